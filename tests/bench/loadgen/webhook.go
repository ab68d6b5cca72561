package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"
)

// webhook is an admission webhook that allows everything as cheaply as it can:
// it looks for the review's uid and reads nothing else of it.
type webhook struct {
	calls atomic.Int64
}

// webhookAddress is what --webhook writes for whoever registers the webhook.
type webhookAddress struct {
	URL string `json:"url"`
	CA  string `json:"ca"` // PEM
}

const maxReview = 16 << 20

func (h *webhook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet { // how often it was asked so far
		fmt.Fprint(w, h.calls.Load())
		return
	}
	review, err := io.ReadAll(io.LimitReader(r.Body, maxReview))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	uid, ok := uidOf(review)
	if !ok {
		http.Error(w, "the review has no uid", http.StatusBadRequest)
		return
	}
	h.calls.Add(1)
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"%s","allowed":true}}`, uid)
}

// uidOf finds the uid of a review, which is the first member of its request:
// that comes before anything that could look like it.
func uidOf(review []byte) ([]byte, bool) {
	_, rest, ok := bytes.Cut(review, []byte(`"uid":"`))
	if !ok {
		return nil, false
	}
	uid, _, ok := bytes.Cut(rest, []byte(`"`))
	return uid, ok
}

// selfSigned makes a certificate for 127.0.0.1 that is its own authority.
func selfSigned() (tls.Certificate, []byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "loadgen webhook"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key},
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), nil
}

// serveWebhook serves the webhook on loopback until ctx ends, and writes where
// it is to file. Webhooks behind services are asked over HTTP/1.1 whatever they
// offer, so this one offers nothing else unless http2 is set.
func serveWebhook(ctx context.Context, file string, http2 bool) error {
	certificate, ca, err := selfSigned()
	if err != nil {
		return err
	}
	protocols := []string{"http/1.1"}
	if http2 {
		protocols = []string{"h2", "http/1.1"}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	// Clients that go away while they connect are none of our business.
	server := &http.Server{Handler: &webhook{}, ErrorLog: log.New(io.Discard, "", 0),
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: protocols}}
	if !http2 {
		server.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){}
	}
	address, err := json.Marshal(webhookAddress{URL: "https://" + listener.Addr().String() + "/", CA: string(ca)})
	if err != nil {
		return err
	}
	// Whoever waits for the file sees all of it or none.
	if err := os.WriteFile(file+".new", address, 0o644); err != nil {
		return err
	}
	if err := os.Rename(file+".new", file); err != nil {
		return err
	}
	go func() {
		<-ctx.Done()
		server.Close()
	}()
	if err := server.ServeTLS(listener, "", ""); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
