package facts

// machineSysctls are settings of the whole machine that move throughput or
// latency.
var machineSysctls = []string{
	"kernel.numa_balancing", "kernel.sched_autogroup_enabled", "kernel.sched_child_runs_first", "kernel.sched_deadline_period_max_us",
	"kernel.sched_energy_aware", "kernel.sched_min_granularity_ns", "kernel.sched_rt_runtime_us", "kernel.sched_schedstats",
	"kernel.sched_wakeup_granularity_ns", "kernel.timer_migration", "kernel.unprivileged_bpf_disabled", "kernel.watchdog", "kernel.nmi_watchdog",
	"vm.compaction_proactiveness", "vm.dirty_background_ratio", "vm.dirty_ratio", "vm.min_free_kbytes", "vm.nr_hugepages", "vm.overcommit_memory",
	"vm.stat_interval", "vm.swappiness", "vm.watermark_scale_factor", "vm.zone_reclaim_mode",
	"net.core.bpf_jit_enable", "net.core.bpf_jit_harden", "net.core.busy_poll", "net.core.busy_read", "net.core.default_qdisc",
	"net.core.dev_weight", "net.core.flow_limit_cpu_bitmap", "net.core.gro_normal_batch", "net.core.high_order_alloc_disable",
	"net.core.netdev_budget", "net.core.netdev_budget_usecs", "net.core.netdev_max_backlog", "net.core.netdev_tstamp_prequeue",
	"net.core.rps_default_mask", "net.core.rps_sock_flow_entries", "net.core.skb_defer_max", "net.core.tstamp_allow_data", "net.ipv4.neigh.default.gc_thresh3",
}

// namespaceSysctls are settings of a network namespace. Some of them are the
// machine's on older kernels, and then are not shown inside of others.
var namespaceSysctls = []string{
	"net.core.optmem_max", "net.core.rmem_default", "net.core.rmem_max", "net.core.somaxconn", "net.core.txrehash",
	"net.core.wmem_default", "net.core.wmem_max",
	"net.bridge.bridge-nf-call-iptables", "net.ipv4.conf.all.rp_filter", "net.ipv4.conf.default.rp_filter", "net.ipv4.fib_multipath_hash_policy",
	"net.ipv4.ip_early_demux", "net.ipv4.ip_forward", "net.ipv4.ip_local_port_range", "net.ipv4.ip_no_pmtu_disc",
	"net.ipv4.tcp_allowed_congestion_control", "net.ipv4.tcp_autocorking", "net.ipv4.tcp_available_congestion_control",
	"net.ipv4.tcp_congestion_control", "net.ipv4.tcp_early_demux", "net.ipv4.tcp_early_retrans", "net.ipv4.tcp_ecn", "net.ipv4.tcp_fastopen",
	"net.ipv4.tcp_frto", "net.ipv4.tcp_limit_output_bytes", "net.ipv4.tcp_max_syn_backlog", "net.ipv4.tcp_min_rtt_wlen",
	"net.ipv4.tcp_min_tso_segs", "net.ipv4.tcp_moderate_rcvbuf", "net.ipv4.tcp_mtu_probing", "net.ipv4.tcp_no_metrics_save",
	"net.ipv4.tcp_notsent_lowat", "net.ipv4.tcp_pacing_ca_ratio", "net.ipv4.tcp_pacing_ss_ratio", "net.ipv4.tcp_recovery",
	"net.ipv4.tcp_reordering", "net.ipv4.tcp_rmem", "net.ipv4.tcp_sack", "net.ipv4.tcp_shrink_window", "net.ipv4.tcp_slow_start_after_idle",
	"net.ipv4.tcp_syncookies", "net.ipv4.tcp_thin_linear_timeouts", "net.ipv4.tcp_timestamps", "net.ipv4.tcp_tso_rtt_log",
	"net.ipv4.tcp_tso_win_divisor", "net.ipv4.tcp_tw_reuse", "net.ipv4.tcp_window_scaling", "net.ipv4.tcp_wmem", "net.ipv4.udp_early_demux",
	"net.ipv4.udp_rmem_min", "net.ipv4.udp_wmem_min", "net.netfilter.nf_conntrack_acct", "net.netfilter.nf_conntrack_buckets",
	"net.netfilter.nf_conntrack_max", "net.netfilter.nf_conntrack_tcp_be_liberal", "net.netfilter.nf_conntrack_timestamp",
}
