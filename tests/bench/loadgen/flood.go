package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// floodStreams is how many requests the flood has under way on one connection
// at most: below what servers allow, so that no further connection is made.
const floodStreams = 90

// slowBytes of a list are read by a slow reader in each slowPause.
const (
	slowBytes = 16 << 10
	slowPause = 100 * time.Millisecond
)

// arrivals calls fn for each request that is due at `rate` per second, with
// the time it is due at, whether or not earlier ones are answered: an open
// loop. It returns at the end of the time, without waiting for fn's work.
func arrivals(ctx context.Context, rate float64, limit time.Duration, fn func(i int, due time.Time)) {
	began := time.Now()
	total := int(rate * limit.Seconds())
	for i := 0; i < total; i++ {
		due := began.Add(time.Duration(float64(i) / rate * float64(time.Second)))
		if wait := time.Until(due); wait > 0 {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return
			}
		}
		fn(i, due)
	}
}

// floodForm is how request i of the flood wants its list.
func floodForm(i int) *request {
	rq := &request{method: "GET", path: "/api/v1/pods"}
	switch i % 3 {
	case 1:
		rq.gzip = true // as client libraries ask for it
	case 2:
		rq.accept = acceptProto
	}
	return rq
}

// drain reads a list as the connection's kind of reader does.
func (e *env) drain(ctx context.Context, conn int, body io.Reader, buf []byte) (int64, error) {
	if conn < e.cfg.stalled { // never, until the server or the flood ends it
		<-ctx.Done()
		return 0, ctx.Err()
	}
	slow := conn < e.cfg.stalled+e.cfg.slow
	if slow {
		buf = buf[:slowBytes]
	}
	var total int64
	for {
		n, err := body.Read(buf)
		total += int64(n)
		if err != nil {
			return total, err
		}
		if slow {
			time.Sleep(slowPause)
		}
	}
}

// flood offers lists of all pods at --rate, for --duration, over --conns
// connections. What is turned away with 429 is what a server should do, so it
// is counted and is no error. Of the connections --stalled do not read what
// they asked for, and --slow read it slowly.
func flood(ctx context.Context, e *env) error {
	if e.cfg.rate <= 0 {
		return errors.New("flood needs --rate")
	}
	var whole, refused, cut, heldBack, bytes, failed atomic.Int64
	var other sync.Map // status or error -> *atomic.Int64
	var wg sync.WaitGroup
	buffers := sync.Pool{New: func() any { b := make([]byte, 256<<10); return &b }}
	underWay := make([]atomic.Int64, len(e.api.clients))
	work, stop := context.WithCancel(ctx)

	one := func(i, conn int) {
		defer wg.Done()
		defer underWay[conn].Add(-1)
		resp, err := e.api.send(work, conn, floodForm(i))
		if err == nil {
			defer resp.Body.Close()
			switch resp.StatusCode {
			case http.StatusOK:
				buf := buffers.Get().(*[]byte)
				var n int64
				n, err = e.drain(work, conn, resp.Body, *buf)
				buffers.Put(buf)
				bytes.Add(n)
				if err == io.EOF {
					whole.Add(1)
				} else {
					cut.Add(1)
				}
				return
			case http.StatusTooManyRequests:
				io.Copy(io.Discard, resp.Body)
				refused.Add(1)
				return
			}
			err = errors.New("HTTP " + strconv.Itoa(resp.StatusCode))
		}
		if work.Err() == nil {
			failed.Add(1)
			count, _ := other.LoadOrStore(err.Error(), new(atomic.Int64))
			count.(*atomic.Int64).Add(1)
		}
	}

	m := e.begin()
	arrivals(ctx, e.cfg.rate, e.cfg.duration, func(i int, _ time.Time) {
		conn := i % len(e.api.clients)
		if underWay[conn].Add(1) > floodStreams {
			underWay[conn].Add(-1)
			heldBack.Add(1)
			return
		}
		wg.Add(1)
		go one(i, conn)
	})
	r := &Result{Phase: e.phase, Unit: "list", Concurrency: len(e.api.clients)}
	r.Ops, r.Bytes = whole.Load(), bytes.Load()
	m.finish(r)
	stop()
	wg.Wait()

	offered := int64(e.cfg.rate*e.cfg.duration.Seconds()) - heldBack.Load()
	r.extra("offered_per_second", float64(offered)/r.Seconds)
	r.extra("refused_429", float64(refused.Load()))
	r.extra("held_back", float64(heldBack.Load())) // too many of the flood's requests were waiting already
	r.extra("cut_short", float64(cut.Load()))
	r.extra("failed", float64(failed.Load()))
	other.Range(func(what, count any) bool {
		if len(r.ErrorSamples) < maxErrorSamples {
			r.ErrorSamples = append(r.ErrorSamples, fmt.Sprintf("%d times: %s", count.(*atomic.Int64).Load(), what))
		}
		return true
	})
	e.add(r)
	return nil
}

// leaseJSON is what a kubelet sends to renew its lease.
func leasePatch(now time.Time) []byte {
	return fmt.Appendf(nil, `{"spec":{"renewTime":%q}}`, now.UTC().Format("2006-01-02T15:04:05.000000Z07:00"))
}

// pacedRequest is request i of the phase "paced".
func (c *config) pacedRequest(i int) (*request, error) {
	switch c.op {
	case "get":
		return &request{method: "GET", path: c.podPath(i % c.pods)}, nil
	case "create":
		return &request{method: "POST", path: "/api/v1/namespaces/" + c.namespace(i) + "/configmaps",
			body: []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"paced-"},"data":{"a":"1"}}`)}, nil
	case "renew":
		return &request{method: "PATCH", path: "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/" + c.lease,
			contentType: mergePatch, body: leasePatch(time.Now())}, nil
	}
	return nil, fmt.Errorf("--op %q is none of get, create, renew", c.op)
}

// paced sends one kind of small request at --rate for --duration. A latency
// begins when the request was due, so that a server that answers late is not
// asked less.
func paced(ctx context.Context, e *env) error {
	if _, err := e.cfg.pacedRequest(0); err != nil || e.cfg.rate <= 0 {
		return errors.Join(err, errors.New("paced needs --op and --rate"))
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	all := tally{}
	var refused int64
	m := e.begin()
	arrivals(ctx, e.cfg.rate, e.cfg.duration, func(i int, due time.Time) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			rq, err := e.cfg.pacedRequest(i)
			var n int64
			if err == nil {
				n, err = e.api.caller(i).discard(ctx, rq)
			}
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				all.fail(err)
				if isStatus(err, http.StatusTooManyRequests) {
					refused++
				}
				return
			}
			all.ok(due, n, 1)
		}()
	})
	wg.Wait()
	r := &Result{Phase: e.phase, Variant: e.cfg.op, Unit: "request", Concurrency: len(e.api.clients)}
	lat := r.collect([]tally{all})
	m.finish(r)
	r.Latency = summarize(lat)
	r.extra("refused_429", float64(refused))
	e.add(r)
	return nil
}
