package probe

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"fmt"
)

// maxDatagram is the largest UDP payload of an IPv4 packet, rounded up.
const maxDatagram = 1 << 16

// A datagram that begins with sizedMark, a nonce, and a size of four bytes, the
// most significant first, is answered by one of that size, which begins as the
// question does and has zeros after that. So a path's directions are searched
// apart.
const (
	sizedMark   = "cnibench"
	sizedHeader = len(sizedMark) + nonceBytes + 4
	// smallPayload is the size of the datagrams on the way that is not
	// searched: any path carries it.
	smallPayload = 32
)

// answerTo is what an echo server answers a datagram with: the datagram, or
// what it asks for, made in sized, which has room for any datagram.
func answerTo(datagram, sized []byte) []byte {
	if len(datagram) < sizedHeader || !bytes.HasPrefix(datagram, []byte(sizedMark)) {
		return datagram
	}
	size := int(binary.BigEndian.Uint32(datagram[sizedHeader-4:]))
	if size < sizedHeader || size > len(sized) {
		return datagram
	}
	clear(sized[copy(sized, datagram[:sizedHeader]):size])
	return sized[:size]
}

// question makes a datagram of payload bytes and what it is answered with; with
// [Back] the answer has the size, and with [There] the datagram alone.
func question(way Way, payload int) (datagram, answer []byte, err error) {
	var nonce [nonceBytes]byte
	if _, err := rand.Read(nonce[:]); err != nil {
		return nil, nil, fmt.Errorf("making a nonce: %w", err)
	}
	asked, answered := payload, smallPayload
	switch way {
	case There:
	case Back:
		asked, answered = smallPayload, payload
	default:
		datagram = make([]byte, payload)
		copy(datagram, nonce[:])
		return datagram, datagram, nil
	}
	datagram = make([]byte, max(asked, sizedHeader))
	header := append([]byte(sizedMark), nonce[:]...)
	copy(datagram, binary.BigEndian.AppendUint32(header, uint32(answered)))
	return datagram, answerTo(datagram, make([]byte, maxDatagram)), nil
}
