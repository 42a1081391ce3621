// Accounts of where the CPUs' time goes that do not depend on the timer tick:
// every entry to and exit from a softirq, and every switch between tasks, by
// the monotonic clock. Needs neither kernel headers nor libbpf's.

typedef unsigned int u32;
typedef unsigned long long u64;

#define SEC(name) __attribute__((section(name), used))
#define VECTORS 10 /* NR_SOFTIRQS of linux/interrupt.h */

static void *(*bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static u64 (*bpf_ktime_get_ns)(void) = (void *)5;
static u64 (*bpf_get_current_pid_tgid)(void) = (void *)14;

/* What is read of the kernel's own; the loader relocates offsets by BTF. */
#define KERNEL __attribute__((preserve_access_index))
struct task_struct {
	int pid;
} KERNEL;
struct hrtimer {
	void *function;
} KERNEL;

/* Where the kernel's tick begins; the loader sets it. */
volatile const u64 tick_function;

struct cpu_account {
	u64 softirq_ns[VECTORS];
	u64 idle_softirq_ns; /* of these, what interrupted an idle CPU */
	u64 softirq_since;   /* 0 outside */
	u64 task_ns;         /* in tasks other than the idle one */
	u64 task_since;      /* 0 while idle */
	u64 softirq_ticks;   /* ticks that interrupted a softirq */
};

struct {
	int (*type)[6]; /* BPF_MAP_TYPE_PERCPU_ARRAY */
	int (*max_entries)[1];
	u32 *key;
	struct cpu_account *value;
} accounts SEC(".maps");

static struct cpu_account *here(void)
{
	u32 zero = 0;
	return bpf_map_lookup_elem(&accounts, &zero);
}

SEC("tp_btf/softirq_entry")
int enter_softirq(u64 *args)
{
	struct cpu_account *a = here();
	if (a)
		a->softirq_since = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/softirq_exit")
int exit_softirq(u64 *args)
{
	struct cpu_account *a = here();
	u32 vector = (u32)args[0];
	if (!a || !a->softirq_since || vector >= VECTORS)
		return 0;
	u64 spent = bpf_ktime_get_ns() - a->softirq_since;
	a->softirq_ns[vector] += spent;
	if ((u32)bpf_get_current_pid_tgid() == 0)
		a->idle_softirq_ns += spent;
	a->softirq_since = 0;
	return 0;
}

/* Arguments: preempt, the task that leaves, the one that comes. */
SEC("tp_btf/sched_switch")
int switch_task(u64 *args)
{
	struct cpu_account *a = here();
	struct task_struct *next = (struct task_struct *)args[2];
	if (!a)
		return 0;
	u64 now = bpf_ktime_get_ns();
	if (a->task_since)
		a->task_ns += now - a->task_since;
	a->task_since = next->pid ? now : 0;
	return 0;
}

/* Arguments: the timer that expired, and when. */
SEC("tp_btf/hrtimer_expire_entry")
int expire_timer(u64 *args)
{
	struct cpu_account *a = here();
	struct hrtimer *timer = (struct hrtimer *)args[0];
	if (a && a->softirq_since && (u64)timer->function == tick_function)
		a->softirq_ticks++;
	return 0;
}

char _license[] SEC("license") = "GPL";
