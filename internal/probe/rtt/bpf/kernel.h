/* What the programs need of the kernel's interface: types, the layout of two
 * contexts, map definitions as loaders read them, and the numbers of helpers.
 * All of it is ABI (include/uapi/linux/bpf.h), so that generating needs clang
 * and no other headers. */
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int s32;

#define SEC(name) __attribute__((section(name), used))
#define inlined static inline __attribute__((always_inline))
#define __uint(name, value) int(*name)[value]
#define __type(name, value) typeof(value) *name

enum {
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LRU_HASH = 9,
};
enum { BPF_ANY = 0, BPF_NOEXIST = 1 };
enum { BPF_F_MMAPABLE = 1 << 10 };
enum { TC_ACT_UNSPEC = -1 }; /* the next program decides; TCX_NEXT is the same */
enum { XDP_PASS = 2 };

static void *(*bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static long (*bpf_map_update_elem)(void *map, const void *key, const void *value, u64 flags) = (void *)2;
static long (*bpf_map_delete_elem)(void *map, const void *key) = (void *)3;
static u64 (*bpf_ktime_get_ns)(void) = (void *)5;
static long (*bpf_skb_load_bytes)(const void *skb, u32 offset, void *to, u32 length) = (void *)26;
/* Since Linux 5.18. */
static u64 (*bpf_xdp_get_buff_len)(void *xdp) = (void *)188;
static long (*bpf_xdp_load_bytes)(void *xdp, u32 offset, void *to, u32 length) = (void *)189;

struct __sk_buff {
	u32 len; /* the rest is not used */
};

struct xdp_md;

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ntohs(x) __builtin_bswap16(x)
#define ntohl(x) __builtin_bswap32(x)
#else
#define ntohs(x) (x)
#define ntohl(x) (x)
#endif
