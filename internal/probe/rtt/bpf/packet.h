/* From a frame to the TCP segment in it, through one tunnel. Bytes are copied
 * by the kernel's helper where a packet may lie in pieces, and the packet is
 * never linearised for our sake: that would change it. */
#pragma once
#include "kernel.h"

enum { ETHERNET = 14, ETHERTYPE = 12, ETH_P_IP = 0x0800, ETH_P_IPV6 = 0x86dd, ETH_P_TEB = 0x6558 };
enum { IPPROTO_IPIP = 4, IPPROTO_TCP = 6, IPPROTO_UDP = 17, IPPROTO_IPV6 = 41 };
enum { FLAG_FIN = 1, FLAG_SYN = 2, FLAG_RST = 4, FLAG_ACK = 16 };
enum { OPTION_END = 0, OPTION_NOP = 1, OPTION_TIMESTAMPS = 8, TIMESTAMPS_LENGTH = 10 };
/* Headers end far before this; it is a bound for the verifier. */
enum { MAX_OFFSET = 512 };
/* More options than fit in a header with timestamps in it, all but NOPs. */
enum { MAX_OPTIONS = 24 };

/* A direction of a connection. IPv4 addresses are mapped into IPv6; ports are
 * as on the wire. */
struct flow {
	u32 source[4];
	u32 destination[4];
	u16 source_port;
	u16 destination_port;
};

struct segment {
	struct flow flow;
	u32 value; /* TSval, host order */
	u32 echo;  /* TSecr */
	u32 flags;
	u32 payload;   /* bytes, or 0 */
	u32 stamped;   /* has timestamps */
	u32 tunnelled; /* came out of a tunnel */
};

/* What parse says. */
enum { NOT_TCP, TRUNCATED, SEGMENT };

/* Where the frame begins to be IP: 14, or 0 where the device has no link
 * header. Set before loading. */
const volatile u32 link_header = ETHERNET;
/* UDP ports of tunnels, host order; 0: none. */
const volatile u16 vxlan_ports[2] = {8472, 4789};
const volatile u16 geneve_port = 6081;

inlined long load(void *ctx, int xdp, u32 offset, void *to, const u32 size)
{
	if (offset > MAX_OFFSET)
		return -1;
	return xdp ? bpf_xdp_load_bytes(ctx, offset, to, size) : bpf_skb_load_bytes(ctx, offset, to, size);
}

inlined u32 length(void *ctx, int xdp)
{
	return xdp ? bpf_xdp_get_buff_len(ctx) : ((struct __sk_buff *)ctx)->len;
}

/* network reads an IP header, moves offset behind it and returns the protocol;
 * -1 of what is cut, 0 of what is none or a later fragment. */
inlined int network(void *ctx, int xdp, u32 *offset, u32 type, struct flow *f)
{
	if (type == ETH_P_IP) {
		u8 ip[20];
		if (load(ctx, xdp, *offset, ip, sizeof(ip)))
			return -1;
		u32 words = ip[0] & 15;
		if (ip[0] >> 4 != 4 || words < 5)
			return 0;
		if ((ip[6] & 0x1f) | ip[7])
			return 0;
		f->source[0] = f->source[1] = f->destination[0] = f->destination[1] = 0;
		f->source[2] = f->destination[2] = ntohl(0xffff);
		__builtin_memcpy(&f->source[3], ip + 12, 4);
		__builtin_memcpy(&f->destination[3], ip + 16, 4);
		*offset += 4 * words;
		return ip[9];
	}
	if (type == ETH_P_IPV6) {
		u8 ip[40];
		if (load(ctx, xdp, *offset, ip, sizeof(ip)))
			return -1;
		if (ip[0] >> 4 != 6)
			return 0;
		__builtin_memcpy(f->source, ip + 8, 16);
		__builtin_memcpy(f->destination, ip + 24, 16);
		*offset += 40;
		return ip[6];
	}
	return 0;
}

/* frame_type reads the type out of an Ethernet header and moves offset behind
 * it; 0 of what is cut. */
inlined u32 frame_type(void *ctx, int xdp, u32 *offset)
{
	u16 type;
	if (load(ctx, xdp, *offset + ETHERTYPE, &type, sizeof(type)))
		return 0;
	*offset += ETHERNET;
	return ntohs(type);
}

/* tunnel moves offset to what a datagram carries, and returns its type; 0
 * where it is no tunnel that is known. RFC 7348, RFC 8926. */
inlined u32 tunnel(void *ctx, int xdp, u32 *offset)
{
	u16 udp[2];
	if (load(ctx, xdp, *offset, udp, sizeof(udp)))
		return 0;
	u16 port = ntohs(udp[1]);
	if (!port)
		return 0;
	if (port == vxlan_ports[0] || port == vxlan_ports[1]) {
		*offset += 8 + 8;
		return frame_type(ctx, xdp, offset);
	}
	if (port == geneve_port) {
		u8 geneve[4];
		if (load(ctx, xdp, *offset + 8, geneve, sizeof(geneve)))
			return 0;
		*offset += 8 + 8 + 4 * (geneve[0] & 63);
		u32 type = geneve[2] << 8 | geneve[3];
		return type == ETH_P_TEB ? frame_type(ctx, xdp, offset) : type;
	}
	return 0;
}

/* timestamps looks for the option (RFC 7323 §3) between offset and end. */
inlined int timestamps(void *ctx, int xdp, u32 offset, u32 end, struct segment *s)
{
	u32 four[3];
	if (offset + sizeof(four) > end)
		return SEGMENT;
	if (load(ctx, xdp, offset, four, sizeof(four)))
		return TRUNCATED;
	if (four[0] == ntohl(0x0101080a)) { /* as RFC 7323 recommends, and as all established connections have it */
		s->value = ntohl(four[1]);
		s->echo = ntohl(four[2]);
		s->stamped = 1;
		return SEGMENT;
	}
	for (int i = 0; i < MAX_OPTIONS; i++) {
		u8 option[2];
		if (offset + TIMESTAMPS_LENGTH > end)
			break;
		if (load(ctx, xdp, offset, option, sizeof(option)))
			return TRUNCATED;
		if (option[0] == OPTION_END)
			break;
		if (option[0] == OPTION_NOP) {
			offset++;
			continue;
		}
		if (option[0] == OPTION_TIMESTAMPS && option[1] == TIMESTAMPS_LENGTH) {
			u32 both[2];
			if (load(ctx, xdp, offset + 2, both, sizeof(both)))
				return TRUNCATED;
			s->value = ntohl(both[0]);
			s->echo = ntohl(both[1]);
			s->stamped = 1;
			break;
		}
		if (option[1] < 2)
			break; /* nonsense */
		offset += option[1];
	}
	return SEGMENT;
}

inlined int parse(void *ctx, int xdp, struct segment *s)
{
	u32 offset = 0, type;
	if (link_header) {
		type = frame_type(ctx, xdp, &offset);
	} else {
		u8 first;
		if (load(ctx, xdp, 0, &first, 1))
			return TRUNCATED;
		type = first >> 4 == 6 ? ETH_P_IPV6 : ETH_P_IP;
	}
	int protocol = network(ctx, xdp, &offset, type, &s->flow);
	if (protocol == IPPROTO_UDP || protocol == IPPROTO_IPIP || protocol == IPPROTO_IPV6) {
		type = protocol == IPPROTO_UDP ? tunnel(ctx, xdp, &offset) : protocol == IPPROTO_IPIP ? ETH_P_IP : ETH_P_IPV6;
		if (!type)
			return NOT_TCP;
		s->tunnelled = 1;
		protocol = network(ctx, xdp, &offset, type, &s->flow);
	}
	if (protocol < 0)
		return TRUNCATED;
	if (protocol != IPPROTO_TCP)
		return NOT_TCP;
	u8 tcp[20];
	if (load(ctx, xdp, offset, tcp, sizeof(tcp)))
		return TRUNCATED;
	__builtin_memcpy(&s->flow.source_port, tcp, 4);
	u32 header = (tcp[12] >> 4) * 4, whole = length(ctx, xdp);
	if (header < sizeof(tcp) || offset + header > whole)
		return TRUNCATED;
	s->flags = tcp[13];
	s->payload = whole - offset - header;
	return timestamps(ctx, xdp, offset + sizeof(tcp), offset + header, s);
}
