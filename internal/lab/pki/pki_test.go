package pki

import (
	"crypto/tls"
	"crypto/x509"
	"testing"
)

func TestServerCertificateVerifiesForItsHosts(t *testing.T) {
	ca, err := NewAuthority("lab")
	if err != nil {
		t.Fatal(err)
	}
	pair, err := ca.Server("kube-apiserver", "127.0.0.1", "kubernetes.default.svc")
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca.Cert) {
		t.Fatal("authority is no PEM certificate")
	}
	for host, want := range map[string]bool{"127.0.0.1": true, "kubernetes.default.svc": true, "example.com": false} {
		_, err := parse(t, pair).Verify(x509.VerifyOptions{Roots: roots, DNSName: host})
		if (err == nil) != want {
			t.Errorf("verify for %s: %v, want ok=%t", host, err, want)
		}
	}
}

func TestClientCertificateNamesUserAndGroups(t *testing.T) {
	ca, err := NewAuthority("lab")
	if err != nil {
		t.Fatal(err)
	}
	pair, err := ca.Client("system:node:node1", "system:nodes")
	if err != nil {
		t.Fatal(err)
	}
	subject := parse(t, pair).Subject
	if subject.CommonName != "system:node:node1" || len(subject.Organization) != 1 || subject.Organization[0] != "system:nodes" {
		t.Errorf("subject is %v", subject)
	}
}

func parse(t *testing.T, p Pair) *x509.Certificate {
	t.Helper()
	pair, err := tls.X509KeyPair(p.Cert, p.Key)
	if err != nil {
		t.Fatal(err)
	}
	return pair.Leaf
}
