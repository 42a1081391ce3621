package stream

import "testing"

// RFC 2544's sizes, and what they take of an MTU and of a link's counter.
func TestFrameSizes(t *testing.T) {
	for _, test := range []struct{ size, v4, v6, packet, link int }{
		{64, 18, 0, 46, 60}, {84, 38, 18, 66, 80}, {512, 466, 446, 494, 508}, {1518, 1472, 1452, 1500, 1514}, {9018, 8972, 8952, 9000, 9014},
	} {
		v4, err := payloadOf(test.size, false)
		if v4 != test.v4 || err != nil {
			t.Errorf("%d: %d bytes over IPv4, want %d (%v)", test.size, v4, test.v4, err)
		}
		v6, err := payloadOf(test.size, true)
		if v6 != test.v6 || (err == nil) != (test.v6 > 0) {
			t.Errorf("%d: %d bytes over IPv6, want %d (%v)", test.size, v6, test.v6, err)
		}
		if PacketOf(test.size) != test.packet || LinkBytesOf(test.size) != test.link {
			t.Errorf("%d: a packet of %d and %d on the link, want %d and %d", test.size, PacketOf(test.size), LinkBytesOf(test.size), test.packet, test.link)
		}
	}
	_, err := payloadOf(70, true)
	if want := "a frame of 70 bytes has no room for a datagram's header: it takes 82"; err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}
