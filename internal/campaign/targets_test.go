package campaign

import (
	"net/url"
	"testing"
)

// What a target's URL leads to is what others read in it, too.
func TestReadURL(t *testing.T) {
	for text, want := range map[string]location{
		"http://shop":                           {"http", "shop", ""},
		"https://shop.example.com:8443/a%20b?c": {"https", "shop.example.com", "8443"},
		"http://192.0.2.7?a=b@c":                {"http", "192.0.2.7", ""},
		"https://[fd00::1]:443/":                {"https", "fd00::1", "443"},
	} {
		got := readURL(text)
		if got != want || !got.good() {
			t.Errorf("%s: %+v, good %t; want %+v", text, got, got.good(), want)
		}
		parsed, err := url.Parse(text)
		if err != nil || parsed.Hostname() != want.host || parsed.Port() != want.port || parsed.Scheme != want.scheme {
			t.Errorf("%s: net/url reads %+v, %v", text, parsed, err)
		}
	}
	for _, text := range []string{
		"", "shop", "HTTP://shop/", "http://", "http://:80/", "http://shop:0/", "http://shop:65536/", "http://shop:/", "http://a@shop/", "http://shop/#a",
		"http://shop/%zz", "http://shop/a b", "http://shop\\x/", "http://[::1/", "http://[zz]/", "http://[192.0.2.1]/", "http://fd00::1/", "http://-a/", "http://shop/\x00",
	} {
		if got := readURL(text); got.good() {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// FuzzReadURL: what is taken, net/url takes for the same.
func FuzzReadURL(f *testing.F) {
	f.Add("https://shop.example.com:8443/a%20b?c=d")
	f.Add("http://[fd00::1]/")
	f.Add("http://[0]/")
	f.Fuzz(func(t *testing.T, text string) {
		got := readURL(text)
		if !got.good() {
			return
		}
		parsed, err := url.Parse(text)
		if err != nil || parsed.Hostname() != got.host || parsed.Port() != got.port || parsed.User != nil || parsed.Fragment != "" {
			t.Errorf("%q: %+v, net/url: %+v, %v", text, got, parsed, err)
		}
	})
}
