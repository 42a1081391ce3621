package stream

import "encoding/binary"

// minPayload is what a datagram carries at least: its header, in network
// byte order: key (4 bytes), trial (4), sequence number in its stream (8). A
// frame of 64 bytes has room for 18.
const minPayload = 16

type header struct {
	key, trial uint32
	sequence   uint64
}

func (h header) put(b []byte) {
	binary.BigEndian.PutUint32(b[0:4], h.key)
	binary.BigEndian.PutUint32(b[4:8], h.trial)
	binary.BigEndian.PutUint64(b[8:16], h.sequence)
}

// parseHeader returns false for what is too short to be one of ours.
func parseHeader(b []byte) (header, bool) {
	if len(b) < minPayload {
		return header{}, false
	}
	return header{
		key:      binary.BigEndian.Uint32(b[0:4]),
		trial:    binary.BigEndian.Uint32(b[4:8]),
		sequence: binary.BigEndian.Uint64(b[8:16]),
	}, true
}
