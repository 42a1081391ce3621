package load

import "encoding/json"

// The JSON of iperf3 -J, as far as it is read. Pointers tell what is absent
// from what is 0. cJSON may write large whole numbers in exponent form, hence
// the floats.
type iperf3JSON struct {
	Start struct {
		Version      string           `json:"version"`
		Cookie       string           `json:"cookie"`
		MSS          int              `json:"tcp_mss_default"`
		ConnectingTo *json.RawMessage `json:"connecting_to"` // only at a client
		Timestamp    struct {
			Seconds int64 `json:"timesecs"`
		} `json:"timestamp"`
		Accepted struct { // only at a server
			Host string `json:"host"`
		} `json:"accepted_connection"`
		Test *struct {
			Protocol string `json:"protocol"`
			Block    int    `json:"blksize"`
			Streams  int    `json:"num_streams"`
			Omit     int64  `json:"omit"`
			Duration int64  `json:"duration"`
			Reverse  int    `json:"reverse"`
			Bidir    int    `json:"bidir"`
		} `json:"test_start"`
	} `json:"start"`
	Intervals []struct {
		Streams []struct {
			RTT  float64 `json:"rtt"` // microseconds
			PMTU int     `json:"pmtu"`
		} `json:"streams"`
		Sum *iperf3JSONSum `json:"sum"`
		// WayBack tells a test of two directions; 3.12 tells it nowhere else.
		WayBack *json.RawMessage `json:"sum_bidir_reverse"`
	} `json:"intervals"`
	End struct {
		Streams []struct {
			Sender *struct {
				MeanRTT *float64 `json:"mean_rtt"` // microseconds
			} `json:"sender"`
			UDP *struct {
				OutOfOrder *float64 `json:"out_of_order"`
			} `json:"udp"`
		} `json:"streams"`
		Sent               *iperf3JSONSum `json:"sum_sent"`
		Received           *iperf3JSONSum `json:"sum_received"`
		CPU                *iperf3JSONCPU `json:"cpu_utilization_percent"`
		SenderCongestion   string         `json:"sender_tcp_congestion"`
		ReceiverCongestion string         `json:"receiver_tcp_congestion"`
	} `json:"end"`
	Error *string `json:"error"`
}

type iperf3JSONSum struct {
	Start         *float64 `json:"start"`
	End           *float64 `json:"end"`
	Seconds       *float64 `json:"seconds"`
	Bytes         *float64 `json:"bytes"`
	BitsPerSecond *float64 `json:"bits_per_second"`
	Retransmits   *float64 `json:"retransmits"`
	Omitted       bool     `json:"omitted"`
	// Over UDP, at the receiver.
	Packets *float64 `json:"packets"`
	Lost    *float64 `json:"lost_packets"`
	Jitter  *float64 `json:"jitter_ms"`
}

type iperf3JSONCPU struct {
	HostTotal    float64 `json:"host_total"`
	HostUser     float64 `json:"host_user"`
	HostSystem   float64 `json:"host_system"`
	RemoteTotal  float64 `json:"remote_total"`
	RemoteUser   float64 `json:"remote_user"`
	RemoteSystem float64 `json:"remote_system"`
}
