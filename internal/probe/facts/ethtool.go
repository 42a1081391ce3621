package facts

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// card answers one question of SIOCETHTOOL about a link: it replaces the
// question in the buffer, whose first four bytes are the command, by the answer.
type card func(name string, buffer []byte) error

// errSilent means that the driver does not answer this question.
var errSilent = errors.New("the driver does not tell")

// Commands of linux/ethtool.h. None of them needs a privilege.
const (
	getDriver      = 0x03
	getCoalescing  = 0x0e
	getRings       = 0x10
	getPause       = 0x12
	getStrings     = 0x1b
	getStatistics  = 0x1d
	getFeatures    = 0x3a
	getStringCount = 0x37
	getChannels    = 0x3c
	getRSS         = 0x46

	statisticStrings = 1  // ETH_SS_STATS
	featureStrings   = 4  // ETH_SS_FEATURES
	stringBytes      = 32 // ETH_GSTRING_LEN
	mostStrings      = 4096
	mostTable        = 1 << 16 // entries of an indirection table, bytes of a key
)

var order = binary.NativeEndian

// ask sends a question of so many bytes and returns the answer.
func (c card) ask(name string, command uint32, size int, more ...uint32) ([]byte, error) {
	buffer := make([]byte, size)
	order.PutUint32(buffer, command)
	for i, word := range more {
		order.PutUint32(buffer[4*(i+1):], word)
	}
	return buffer, c(name, buffer)
}

// describe notes everything that the driver of a link says. Hardware tells
// whether there is a card behind it: without, nobody expects rings.
func (c card) describe(f Facts, as, name string, hardware bool) {
	c.driver(f, as, name)
	c.features(f, as, name)
	c.words(f, as, name, "ring", getRings, rings)
	c.words(f, as, name, "channels", getChannels, channels)
	if !hardware {
		return
	}
	c.words(f, as, name, "coalesce", getCoalescing, coalescing)
	c.words(f, as, name, "pause", getPause, pause)
	c.rss(f, as, name)
}

// driver reads struct ethtool_drvinfo: six texts of 32 bytes after the command,
// of which the last is reserved.
func (c card) driver(f Facts, as, name string) {
	b, err := c.ask(name, getDriver, 196)
	if err != nil {
		f.Miss(as+".driver", reason(err))
		return
	}
	text := func(i int) string {
		raw, _, _ := bytes.Cut(b[4+32*i:4+32*(i+1)], []byte{0})
		return printable(string(raw))
	}
	f.Set(as+".driver", text(0))
	f.Set(as+".driver.version", text(1))
	if firmware := text(2); firmware != "" && firmware != "N/A" {
		f.Set(as+".firmware", firmware)
	} else {
		f.Miss(as+".firmware", "the driver names none")
	}
	if bus := text(3); bus != "" && bus != "N/A" {
		f.Set(as+".bus", bus)
	}
}

// printable replaces what is no text.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0xfffd {
			return '?'
		}
		return r
	}, s)
}

// features notes each offload: on, off, and whether it can be changed.
func (c card) features(f Facts, as, name string) {
	names, err := c.strings(name, featureStrings)
	if err != nil {
		f.Miss(as+".offload", reason(err))
		return
	}
	blocks := (len(names) + 31) / 32
	b, err := c.ask(name, getFeatures, 8+16*blocks, uint32(blocks))
	if err != nil {
		f.Miss(as+".offload", reason(err))
		return
	}
	for feature, state := range parseFeatures(names, b[8:]) {
		f.Set(as+".offload."+feature, state)
	}
}

// strings asks what the kernel or the driver calls the things of a set, by
// number.
func (c card) strings(name string, set uint32) ([]string, error) {
	// struct ethtool_sset_info: command, reserved, a mask of 64 bits, a count.
	b, err := c.ask(name, getStringCount, 20, 0, maskWord(set, 0), maskWord(set, 1))
	if err != nil {
		return nil, err
	}
	n := order.Uint32(b[16:])
	if n == 0 || n > mostStrings {
		return nil, errSilent
	}
	// struct ethtool_gstrings: command, set, count, texts.
	b, err = c.ask(name, getStrings, 12+int(n)*stringBytes, set, n)
	if err != nil {
		return nil, err
	}
	return parseStrings(b[12:]), nil
}

// maskWord is one half of the mask of 64 bits that has the bit of a set.
func maskWord(set uint32, half int) uint32 {
	var mask [8]byte
	order.PutUint64(mask[:], 1<<set)
	return order.Uint32(mask[4*half:])
}

// statistics asks for the driver's own counters, as `ethtool -S` shows them.
func (c card) statistics(name string) (map[string]uint64, error) {
	names, err := c.strings(name, statisticStrings)
	if err != nil {
		return nil, err
	}
	// struct ethtool_stats: command, count, numbers of 64 bits.
	b, err := c.ask(name, getStatistics, 8+8*len(names), uint32(len(names)))
	if err != nil {
		return nil, err
	}
	return parseStatistics(names, b[8:]), nil
}

// parseStatistics adds up counters of the same name.
func parseStatistics(names []string, b []byte) map[string]uint64 {
	counts := map[string]uint64{}
	for i, name := range names {
		if name != "" && 8*(i+1) <= len(b) {
			counts[strings.TrimSpace(name)] += order.Uint64(b[8*i:])
		}
	}
	return counts
}

// parseStrings cuts texts of 32 bytes apart. Some are empty: those numbers have
// no feature.
func parseStrings(b []byte) []string {
	var all []string
	for part := range slices.Chunk(b, stringBytes) {
		text, _, _ := bytes.Cut(part, []byte{0})
		all = append(all, printable(string(text)))
	}
	return all
}

// parseFeatures reads the blocks of struct ethtool_gfeatures, four words for 32
// features each: which can be changed, are wanted, are on, and never change.
// It tells their states as `ethtool -k` does.
func parseFeatures(names []string, b []byte) map[string]string {
	states := map[string]string{}
	for i, name := range names {
		at := i / 32 * 16
		if name == "" || at+16 > len(b) {
			continue
		}
		bit := uint32(1) << (i % 32)
		available, wanted := order.Uint32(b[at:])&bit != 0, order.Uint32(b[at+4:])&bit != 0
		active, never := order.Uint32(b[at+8:])&bit != 0, order.Uint32(b[at+12:])&bit != 0
		state := "off"
		if active {
			state = "on"
		}
		switch {
		case !available || never:
			state += " [fixed]"
		case wanted != active:
			state += " [requested " + map[bool]string{true: "on", false: "off"}[wanted] + "]"
		}
		states[name] = state
	}
	return states
}

// word names a field of a struct of 32-bit words, by its position after the
// command.
type word struct {
	at   int
	name string
	unit string
}

// struct ethtool_ringparam.
var rings = []word{{4, "rx", ""}, {7, "tx", ""}, {0, "rx.max", ""}, {3, "tx.max", ""}}

// struct ethtool_channels.
var channels = []word{
	{4, "rx", ""}, {5, "tx", ""}, {7, "combined", ""}, {0, "rx.max", ""}, {1, "tx.max", ""}, {3, "combined.max", ""},
}

// struct ethtool_coalesce; of its 22 words those that drivers commonly have.
var coalescing = []word{
	{0, "rx.time", " µs"}, {1, "rx.frames", ""}, {4, "tx.time", " µs"}, {5, "tx.frames", ""}, {9, "rx.adaptive", ""}, {10, "tx.adaptive", ""},
}

// struct ethtool_pauseparam.
var pause = []word{{0, "autonegotiation", ""}, {1, "rx", ""}, {2, "tx", ""}}

// words notes fields of a struct. A family that the driver does not have is
// missing as a whole.
func (c card) words(f Facts, as, name, family string, command uint32, fields []word) {
	// Every struct here has at most the 22 words of coalescing.
	b, err := c.ask(name, command, 4*23)
	if err != nil {
		f.Miss(as+"."+family, reason(err))
		return
	}
	for _, w := range fields {
		f.Set(as+"."+family+"."+w.name, fmt.Sprint(order.Uint32(b[4*(w.at+1):]))+w.unit)
	}
}

// hashes are the functions of struct ethtool_rxfh, by bit (ETH_RSS_HASH_*).
var hashes = []string{"toeplitz", "xor", "crc32"}

// rss notes how the card spreads flows to its queues. The key is random on most
// machines: its digest tells whether two are the same.
func (c card) rss(f Facts, as, name string) {
	const head = 24 // struct ethtool_rxfh without its table
	b, err := c.ask(name, getRSS, head)
	if err != nil {
		f.Miss(as+".rss", reason(err))
		return
	}
	entries, key := order.Uint32(b[8:]), order.Uint32(b[12:])
	if entries == 0 && key == 0 || entries > mostTable || key > mostTable {
		f.Miss(as+".rss", errSilent.Error())
		return
	}
	b, err = c.ask(name, getRSS, head+4*int(entries)+int(key), 0, entries, key)
	if err != nil {
		f.Miss(as+".rss", reason(err))
		return
	}
	// The kernel says again how much there is; it may have changed meanwhile.
	maps.Copy(f.Values, rssFacts(as, b[16], b[head:], min(entries, order.Uint32(b[8:])), min(key, order.Uint32(b[12:]))))
}

// rssFacts reads hash functions, an indirection table and a key.
func rssFacts(as string, functions byte, b []byte, entries, key uint32) map[string]string {
	values := map[string]string{}
	for bit, name := range hashes {
		if functions == 1<<bit {
			values[as+".rss.hash"] = name
		}
	}
	if entries > 0 {
		share := map[uint32]int{}
		for i := range entries {
			share[order.Uint32(b[4*i:])]++
		}
		counts := slices.Sorted(maps.Values(share))
		spread := fmt.Sprintf("%d to each of %d queues", counts[0], len(counts))
		if last := counts[len(counts)-1]; last != counts[0] {
			spread = fmt.Sprintf("%d to %d to each of %d queues", counts[0], last, len(counts))
		}
		values[as+".rss.table"] = fmt.Sprintf("%d entries, %s", entries, spread)
	}
	if key > 0 {
		sum := sha256.Sum256(b[4*entries : 4*entries+key])
		values[as+".rss.key.bytes"] = fmt.Sprint(key)
		values[as+".rss.key.sha256"] = fmt.Sprintf("%x", sum[:6])
	}
	return values
}
