package probe

import "testing"

func TestForwardValidate(t *testing.T) {
	good := ForwardSpec{Proxy: "/load/socket", Host: "10.0.0.1", Ports: []int{5201}}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for _, bad := range []ForwardSpec{
		{Proxy: "socket", Host: "10.0.0.1", Ports: []int{1}},
		{Proxy: "/socket", Host: "a HTTP/1.1\r\n", Ports: []int{1}},
		{Proxy: "/socket", Ports: []int{1}},
		{Proxy: "/socket", Host: "10.0.0.1"},
		{Proxy: "/socket", Host: "10.0.0.1", Ports: []int{0}},
	} {
		if bad.Validate() == nil {
			t.Errorf("%+v was accepted", bad)
		}
	}
}

func TestConnectRefused(t *testing.T) {
	for head, refused := range map[string]bool{
		"HTTP/1.1 200 Connection Established\r\n\r\n": false,
		"HTTP/1.0 204\r\n\r\n":                        false,
		"HTTP/1.1 503 Service Unavailable\r\n\r\n":    true,
		"HTTP/1.1 2000 OK\r\n\r\n":                    true,
		"220 smtp ready\r\n\r\n":                      true,
		"\r\n\r\n":                                    true,
	} {
		if err := connectRefused(head); (err != nil) != refused {
			t.Errorf("%q: %v", head, err)
		}
	}
}

func FuzzConnectRefused(f *testing.F) {
	f.Add("HTTP/1.1 200 OK\r\n\r\n")
	f.Fuzz(func(t *testing.T, head string) {
		if connectRefused(head) == nil && (len(head) < len("HTTP/1. 200") || head[:7] != "HTTP/1.") {
			t.Errorf("%q is no connection", head)
		}
	})
}
