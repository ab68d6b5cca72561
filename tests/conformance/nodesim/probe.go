package main

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// prober asks a running program whether it is ready, as often as its probe says. The zero value has not asked yet.
type prober struct {
	ready    bool
	failures int32     // since it was last ready
	next     time.Time // not before this
}

// check asks if it is time to, and gives the last known answer.
func (p *prober) check(c *v1.Container, address string, started, now time.Time, due *dueTime) bool {
	probe := c.ReadinessProbe
	if p.next.IsZero() {
		p.next = started.Add(time.Duration(probe.InitialDelaySeconds) * time.Second)
	}
	if !now.Before(p.next) {
		if answers(c, probe, address) {
			p.ready, p.failures = true, 0
		} else if p.failures++; p.failures >= max(probe.FailureThreshold, 1) {
			p.ready = false
		}
		p.next = now.Add(time.Duration(max(probe.PeriodSeconds, 1)) * time.Second)
	}
	due.add(p.next)
	return p.ready
}

// answers sends what the probe describes. Commands in containers are not run; they pass.
func answers(c *v1.Container, probe *v1.Probe, address string) bool {
	timeout := time.Duration(max(probe.TimeoutSeconds, 1)) * time.Second
	switch {
	case probe.HTTPGet != nil:
		return answersHTTP(c, probe.HTTPGet, address, timeout)
	case probe.TCPSocket != nil:
		connection, err := net.DialTimeout("tcp", net.JoinHostPort(address, portOf(c, probe.TCPSocket.Port)), timeout)
		if err == nil {
			connection.Close()
		}
		return err == nil
	}
	return true
}

func answersHTTP(c *v1.Container, get *v1.HTTPGetAction, address string, timeout time.Duration) bool {
	scheme := "http"
	if get.Scheme == v1.URISchemeHTTPS {
		scheme = "https"
	}
	client := http.Client{Timeout: timeout, Transport: &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} // kubelets do not check it either
	answer, err := client.Get(fmt.Sprintf("%s://%s%s", scheme, net.JoinHostPort(address, portOf(c, get.Port)), get.Path))
	if err != nil {
		return false
	}
	answer.Body.Close()
	return answer.StatusCode >= 200 && answer.StatusCode < 400
}

func portOf(c *v1.Container, port intstr.IntOrString) string {
	for _, p := range c.Ports {
		if port.Type == intstr.String && p.Name == port.StrVal {
			return strconv.Itoa(int(p.ContainerPort))
		}
	}
	return port.String()
}
