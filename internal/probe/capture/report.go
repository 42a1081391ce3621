package capture

import (
	"errors"
	"fmt"
	"net/netip"
	"time"
)

// Spec says what to watch.
type Spec struct {
	// Address is the node's own; the interface that has it is watched.
	Address netip.Addr `json:"address"`
	// Canary is searched in every byte of every frame.
	Canary []byte `json:"canary"`
	// Between are pairs of addresses whose packets are counted, both ways:
	// the nodes' and the pods'.
	Between [][2]netip.Addr `json:"between"`
	// Timeout ends the capture if its caller does not.
	Timeout time.Duration `json:"timeoutNs"`
}

// minCanary bytes are not met by chance: 2⁻¹²⁸ per position.
const minCanary = 16

// Validate reports what makes s unusable.
func (s Spec) Validate() error {
	switch {
	case !s.Address.IsValid():
		return errors.New("capture needs the node's address")
	case len(s.Canary) < minCanary:
		return fmt.Errorf("a canary of %d bytes may be met by chance: give %d or more", len(s.Canary), minCanary)
	case s.Timeout <= 0:
		return errors.New("capture needs a positive timeoutNs")
	}
	return nil
}

// Ready is the payload of the frame that says the capture runs.
type Ready struct {
	Interface string `json:"interface"`
}

// Report is what was seen.
type Report struct {
	Interface string       `json:"interface"`
	Prefix    netip.Prefix `json:"prefix"` // the node's address in its subnet
	Packets   int64        `json:"packets"`
	// Dropped counts packets that the kernel had no room for, Truncated those
	// of which the end was not searched. If either is not 0, a canary that was
	// not seen may have been there.
	Dropped   int64   `json:"dropped"`
	Truncated int64   `json:"truncated"`
	Counts    []Count `json:"counts"`
	// Pcap holds the first packets that were counted, those with the canary
	// before the others, in the format of pcap files.
	Pcap []byte `json:"pcap"`
}

// Kind is what packets that are counted together have in common.
type Kind struct {
	Source      netip.Addr `json:"source"`
	Destination netip.Addr `json:"destination"`
	// Leaving says that the packets left the node. Only these show what
	// travels: Linux shows a packet that arrived by IPsec a second time,
	// decrypted, as if the link had brought it so.
	Leaving   bool   `json:"leaving"`
	Protocol  string `json:"protocol"`  // as in Packet, or "other" for what is no IP
	Transport string `json:"transport"` // as in Packet
}

// Count is how many packets of a kind there were.
type Count struct {
	Kind
	Packets int64 `json:"packets"`
	Canary  int64 `json:"canary"` // those with the canary inside
	// Lengths counts packets by their length, see Packet; at most 64 lengths.
	Lengths map[int]int64 `json:"lengths"`
}
