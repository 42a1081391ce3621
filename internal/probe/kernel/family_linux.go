package kernel

import "golang.org/x/sys/unix"

// tryFamily asks for a family of generic netlink. The kernel itself loads the
// modules that declare theirs, Open vSwitch for one.
func tryFamily(name string) func() error {
	return func() error {
		err := talk(unix.NETLINK_GENERIC, message{unix.GENL_ID_CTRL, unix.NLM_F_ACK,
			append([]byte{unix.CTRL_CMD_GETFAMILY, 1, 0, 0}, attribute(unix.CTRL_ATTR_FAMILY_NAME, text(name))...)})
		return err
	}
}

// tryESP makes an IPsec state with AES-GCM as strongSwan and Cilium use it
// (RFC 4106: 128 bits of key, 32 of salt, 128 of tag). The namespace takes it.
func tryESP() error {
	b := make([]byte, 224) // struct xfrm_usersa_info
	copy(b[56:], []byte{192, 0, 2, 2})
	copy(b[72:], beWord(0x100)) // SPI
	b[76] = unix.IPPROTO_ESP
	copy(b[80:], []byte{192, 0, 2, 1})
	for i := 96; i < 128; i++ {
		b[i] = 0xff // no limits of lifetime
	}
	native.PutUint16(b[40:], unix.AF_INET)  // of the selector
	native.PutUint16(b[212:], unix.AF_INET) // of the state
	b[214] = 1                              // tunnel mode
	algorithm := make([]byte, 72, 92)       // struct xfrm_algo_aead and its key
	copy(algorithm, "rfc4106(gcm(aes))")
	native.PutUint32(algorithm[64:], 160)
	native.PutUint32(algorithm[68:], 128)
	for i := range byte(20) {
		algorithm = append(algorithm, i)
	}
	const newSA, aead = 0x10, 18
	err := talk(unix.NETLINK_XFRM, message{newSA, unix.NLM_F_ACK | unix.NLM_F_CREATE | unix.NLM_F_EXCL,
		append(b, attribute(aead, algorithm)...)})
	return err
}
