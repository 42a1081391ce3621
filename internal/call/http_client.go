package call

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/quic-go/quic-go/http3"
)

// httpClient asks over connections of its own, one per slot.
type httpClient struct {
	slots    []http.RoundTripper
	url      string
	major    int // of the version of HTTP that answers must have
	request  []byte
	response int // bytes
}

func newHTTPClient(spec ClientSpec) (*httpClient, error) {
	config, err := trusting(spec.Certificate)
	if err != nil {
		return nil, err
	}
	c := &httpClient{
		url: "https://" + spec.Pace.Target + "/", request: make([]byte, spec.Pace.RequestBytes), response: spec.Pace.ResponseBytes,
		major: map[Protocol]int{H1: 1, H2: 2, H3: 3}[spec.Protocol],
	}
	for range spec.Pace.Connections {
		c.slots = append(c.slots, transport(spec.Protocol, config.Clone()))
	}
	return c, nil
}

// transport speaks one version of HTTP over one connection.
func transport(p Protocol, config *tls.Config) http.RoundTripper {
	if p == H3 {
		return &http3.Transport{TLSClientConfig: config, DisableCompression: true}
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(p == H1)
	protocols.SetHTTP2(p == H2)
	return &http.Transport{TLSClientConfig: config, Protocols: protocols, MaxConnsPerHost: 1, MaxIdleConnsPerHost: 1, DisableCompression: true}
}

// call asks once, and reads the answer to its end.
func (c *httpClient) call(ctx context.Context, slot int) (err error) {
	var body io.Reader = http.NoBody
	method := http.MethodGet
	if len(c.request) > 0 {
		body, method = bytes.NewReader(c.request), http.MethodPost
	}
	request, err := http.NewRequestWithContext(ctx, method, c.url, body)
	if err != nil {
		return err
	}
	answer, err := c.slots[slot].RoundTrip(request)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, answer.Body.Close()) }()
	size, err := io.Copy(io.Discard, answer.Body)
	switch {
	case err != nil:
		return err
	case answer.StatusCode != http.StatusOK:
		return fmt.Errorf("status %d", answer.StatusCode)
	case answer.ProtoMajor != c.major:
		return fmt.Errorf("answered over %s", answer.Proto)
	case size != int64(c.response):
		return fmt.Errorf("answer of %d bytes", size)
	}
	return nil
}

func (c *httpClient) close() {
	for _, slot := range c.slots {
		switch t := slot.(type) {
		case *http.Transport:
			t.CloseIdleConnections()
		case *http3.Transport:
			_ = t.Close() // everything was read
		}
	}
}
