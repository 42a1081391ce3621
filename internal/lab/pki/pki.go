// Package pki makes the certificates of one lab: a certificate authority and
// what it signs. Keys are ECDSA P-256, because a lab must be up in seconds.
package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// validity is longer than any lab lives.
const validity = 10 * 365 * 24 * time.Hour

// Pair is a certificate with its private key, both PEM.
type Pair struct {
	Cert, Key []byte
}

// Authority signs certificates.
type Authority struct {
	Pair
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// NewAuthority makes a self-signed certificate authority.
func NewAuthority(name string) (*Authority, error) {
	template := newTemplate(pkix.Name{CommonName: name})
	template.IsCA = true
	template.BasicConstraintsValid = true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	a := &Authority{}
	pair, err := a.issue(template)
	if err != nil {
		return nil, fmt.Errorf("making certificate authority %s: %w", name, err)
	}
	a.Pair = pair
	return a, nil
}

// Client signs a client certificate for a Kubernetes user with groups.
func (a *Authority) Client(user string, groups ...string) (Pair, error) {
	template := newTemplate(pkix.Name{CommonName: user, Organization: groups})
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	pair, err := a.issue(template)
	if err != nil {
		return Pair{}, fmt.Errorf("making the client certificate of %s: %w", user, err)
	}
	return pair, nil
}

// Server signs a serving certificate for host names and IP addresses.
func (a *Authority) Server(name string, hosts ...string) (Pair, error) {
	template := newTemplate(pkix.Name{CommonName: name})
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, h)
		}
	}
	pair, err := a.issue(template)
	if err != nil {
		return Pair{}, fmt.Errorf("making the serving certificate of %s: %w", name, err)
	}
	return pair, nil
}

// SigningKey makes a key pair for service account tokens; Cert holds the
// public key.
func SigningKey() (Pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, fmt.Errorf("making the service account key: %w", err)
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return Pair{}, fmt.Errorf("making the service account key: %w", err)
	}
	private, err := encodeKey(key)
	if err != nil {
		return Pair{}, fmt.Errorf("making the service account key: %w", err)
	}
	return Pair{Cert: pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}), Key: private}, nil
}

func newTemplate(subject pkix.Name) *x509.Certificate {
	// An hour back, because virtual machines wake up with clocks behind.
	start := time.Now().Add(-time.Hour)
	return &x509.Certificate{
		Subject:   subject,
		NotBefore: start,
		NotAfter:  start.Add(validity),
		KeyUsage:  x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment,
	}
}

// issue signs the template with the authority or, for a template that is an
// authority itself, with the template's own key.
func (a *Authority) issue(template *x509.Certificate) (Pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, err
	}
	template.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return Pair{}, err
	}
	if template.IsCA {
		a.cert, a.key = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		return Pair{}, err
	}
	if template.IsCA {
		if a.cert, err = x509.ParseCertificate(der); err != nil {
			return Pair{}, err
		}
	}
	private, err := encodeKey(key)
	if err != nil {
		return Pair{}, err
	}
	return Pair{Cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), Key: private}, nil
}

func encodeKey(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), nil
}
