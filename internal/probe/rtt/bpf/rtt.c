/* Round-trip times of TCP connections that pass, as pping measures them
 * (Kathleen Nichols, 2017): a segment that will be acknowledged carries a
 * timestamp, TSval, and the first acknowledgement that echoes it, TSecr, ends
 * the round trip. Both pass here, so one clock sees both. Nothing is changed
 * or decided: every program says "next". */
#include "packet.h"

/* Every helper used may be called under any licence since Linux 5.8. */
char licence[] SEC("license") = "Apache-2.0";

/* Of durations in ns: 64 buckets to each power of two, so that a bucket's
 * width is at most 1/64 of its values. histogram.go computes the same. */
enum { SUB_BITS = 6, MAX_BITS = 36, BUCKETS = (MAX_BITS - SUB_BITS + 1) << SUB_BITS };
enum { MAX_RULES = 8, NO_LABEL = MAX_RULES };
enum { INGRESS = 0, EGRESS = 1, DIRECTIONS = 2 };

/* One end of the connections that a rule is about. */
struct end {
	u32 network[4], mask[4];
	u16 first_port, last_port; /* host order */
};

/* A connection fits where one of its ends is here and the other there, in
 * either order. */
struct rule {
	struct end here, there;
	u32 label;
};

const volatile struct rule rules[MAX_RULES];
const volatile u32 rule_count;

struct stamp {
	struct flow flow;
	u32 value;
};

struct departure {
	u64 time; /* of CLOCK_MONOTONIC, ns */
	u32 direction;
	u32 label;
};

/* What passed, whosever it is. */
struct total {
	u64 packets, segments, tunnelled, truncated;
};

/* What passed of a label's connections. */
struct count {
	u64 segments;  /* TCP segments, or what will be cut into them */
	u64 unstamped; /* of them, without timestamps */
	u64 stored;    /* timestamps that are waited for, or were */
	u64 matched;   /* round trips */
	u64 refused;   /* timestamps for which there was no room */
};

/* The newest timestamp stored of each direction of a connection: segments
 * that leave within one tick of the sender's clock share theirs, and only the
 * first of them is waited for. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct flow);
	__type(value, u32);
} newest SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct stamp);
	__type(value, struct departure);
} waiting SEC(".maps");

/* Shared by the CPUs and mapped into the reader: there is at most one round
 * trip per connection and tick, so that CPUs hardly meet, and a reader that
 * looks every second copies a few pages. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, MAX_RULES * DIRECTIONS * BUCKETS);
	__type(key, u32);
	__type(value, u64);
} histogram SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, MAX_RULES);
	__type(key, u32);
	__type(value, struct count);
} counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct total);
} totals SEC(".maps");

inlined u32 bucket(u64 v)
{
	if (v >> MAX_BITS)
		return BUCKETS - 1;
	u32 top = 0;
	u64 rest = v;
	if (rest >> 32) { rest >>= 32; top += 32; }
	if (rest >> 16) { rest >>= 16; top += 16; }
	if (rest >> 8) { rest >>= 8; top += 8; }
	if (rest >> 4) { rest >>= 4; top += 4; }
	if (rest >> 2) { rest >>= 2; top += 2; }
	if (rest >> 1) top += 1;
	if (top <= SUB_BITS)
		return v;
	u32 shift = top - SUB_BITS;
	return (shift << SUB_BITS) + (v >> shift);
}

/* misfit is 0 where an address and a port are those of an end. */
inlined u64 misfit(const volatile struct end *e, const u32 *address, u16 port)
{
	u64 off = 0;
	for (int i = 0; i < 4; i++)
		off |= (address[i] & e->mask[i]) ^ e->network[i];
	/* Either difference is negative where the port is out of range. */
	return off | (((u64)port - e->first_port) | ((u64)e->last_port - port)) >> 63;
}

/* all_ones is ~0 of everything but 0. The verifier follows every branch of
 * every rule, which is more than it does; so there is none, and the compiler
 * must not see that there could be. */
inlined u64 all_ones(u64 x)
{
	u64 sign = x | -x;
	asm volatile("" : "+r"(sign));
	return -(sign >> 63);
}

inlined u32 label_of(const struct flow *f)
{
	u16 from = ntohs(f->source_port), to = ntohs(f->destination_port);
	u64 label = NO_LABEL, found = 0;
	for (u32 i = 0; i < MAX_RULES; i++) {
		if (i >= rule_count)
			break;
		const volatile struct rule *r = &rules[i];
		u64 misses = all_ones(misfit(&r->here, f->source, from) | misfit(&r->there, f->destination, to)) &
			     all_ones(misfit(&r->there, f->source, from) | misfit(&r->here, f->destination, to));
		u64 fits = ~misses & ~found;
		label = (label & ~fits) | (r->label & fits);
		found |= fits;
	}
	return label;
}

/* depart stores when a segment passed that will be acknowledged. */
inlined void depart(const struct segment *s, u32 direction, u32 label, struct count *c)
{
	u32 *seen = bpf_map_lookup_elem(&newest, &s->flow);
	if (seen) {
		s32 ahead = s->value - *seen;
		/* Sent again within a tick, the first time counts. A connection
		 * that begins has a clock of its own. */
		if (!ahead || (ahead < 0 && !(s->flags & FLAG_SYN)))
			return;
	}
	struct stamp key = {.flow = s->flow, .value = s->value};
	struct departure value = {.time = bpf_ktime_get_ns(), .direction = direction, .label = label};
	if (bpf_map_update_elem(&newest, &s->flow, &s->value, BPF_ANY)) {
		c->refused++;
		return;
	}
	if (bpf_map_update_elem(&waiting, &key, &value, BPF_ANY))
		c->refused++;
	else
		c->stored++;
}

/* arrive ends the round trip of the segment whose timestamp is echoed. */
inlined void arrive(const struct segment *s, struct count *c)
{
	struct stamp key = {.value = s->echo};
	__builtin_memcpy(key.flow.source, s->flow.destination, 16);
	__builtin_memcpy(key.flow.destination, s->flow.source, 16);
	key.flow.source_port = s->flow.destination_port;
	key.flow.destination_port = s->flow.source_port;
	struct departure *sent = bpf_map_lookup_elem(&waiting, &key);
	if (!sent)
		return;
	u64 took = bpf_ktime_get_ns() - sent->time;
	u32 index = (sent->label * DIRECTIONS + sent->direction) * BUCKETS + bucket(took);
	/* Whoever deletes it has found it: two CPUs cannot both count it. */
	if (bpf_map_delete_elem(&waiting, &key))
		return;
	u64 *n = bpf_map_lookup_elem(&histogram, &index);
	if (!n)
		return;
	__sync_fetch_and_add(n, 1);
	c->matched++;
}

inlined void observe(void *ctx, int xdp, u32 direction)
{
	u32 zero = 0;
	struct total *t = bpf_map_lookup_elem(&totals, &zero);
	if (!t)
		return;
	t->packets++;
	struct segment s = {};
	int what = parse(ctx, xdp, &s);
	t->tunnelled += s.tunnelled;
	if (what == TRUNCATED)
		t->truncated++;
	if (what != SEGMENT)
		return;
	t->segments++;
	u32 label = label_of(&s.flow);
	if (label == NO_LABEL)
		return;
	struct count *c = bpf_map_lookup_elem(&counts, &label);
	if (!c)
		return;
	c->segments++;
	if (!s.stamped) {
		c->unstamped++;
		return;
	}
	if (s.flags & FLAG_RST)
		return;
	/* What ends a round trip may begin another. */
	if (s.flags & FLAG_ACK)
		arrive(&s, c);
	/* A bare acknowledgement is not acknowledged. */
	if (s.payload || s.flags & (FLAG_SYN | FLAG_FIN))
		depart(&s, direction, label, c);
}

SEC("tc")
int tc_ingress(struct __sk_buff *ctx)
{
	observe(ctx, 0, INGRESS);
	return TC_ACT_UNSPEC;
}

SEC("tc")
int tc_egress(struct __sk_buff *ctx)
{
	observe(ctx, 0, EGRESS);
	return TC_ACT_UNSPEC;
}

SEC("xdp")
int xdp_ingress(struct xdp_md *ctx)
{
	observe(ctx, 1, INGRESS);
	return XDP_PASS;
}
