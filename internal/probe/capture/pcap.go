package capture

import (
	"bytes"
	"encoding/binary"
)

// Evidence is a sample: enough to look at, small enough for a message.
const (
	keptOfEach = 32   // frames with the canary, and without
	keptBytes  = 1600 // of each frame
)

// evidence keeps the first frames of both sorts.
type evidence struct{ canary, others []Frame }

func (e *evidence) keep(f Frame, canary bool) {
	sort := &e.others
	if canary {
		sort = &e.canary
	}
	if len(*sort) < keptOfEach {
		f.Data = bytes.Clone(f.Data[:min(len(f.Data), keptBytes)])
		*sort = append(*sort, f)
	}
}

// Link types of pcap files (draft-ietf-opsawg-pcaplinktype).
const (
	linkEthernet = 1
	linkRaw      = 101
)

// pcap writes what was kept as a pcap file (draft-ietf-opsawg-pcap), without
// times. Nothing kept gives nothing.
func (e *evidence) pcap() []byte {
	frames := append(append([]Frame(nil), e.canary...), e.others...)
	if len(frames) == 0 {
		return nil
	}
	link := uint32(linkRaw)
	if frames[0].Ethernet {
		link = linkEthernet
	}
	var b bytes.Buffer
	write := func(fields ...uint32) {
		for _, f := range fields {
			_ = binary.Write(&b, binary.LittleEndian, f) // a buffer takes everything
		}
	}
	const magic, version = 0xa1b2c3d4, 4<<16 | 2
	write(magic, version, 0, 0, keptBytes, link)
	for _, f := range frames {
		write(0, 0, uint32(len(f.Data)), uint32(f.Length))
		b.Write(f.Data)
	}
	return b.Bytes()
}
