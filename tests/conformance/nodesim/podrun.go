package main

import (
	"fmt"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Restarts back off from here to there. A kubelet takes 10 s to 5 minutes; nothing is saved by that here.
const (
	firstBackoff = time.Second
	lastBackoff  = 10 * time.Second
)

type containerState int

const (
	waiting containerState = iota
	running
	terminated
)

// containerRun is one container and its restarts.
type containerRun struct {
	state    containerState
	reason   string // why it waits
	restarts int32
	started  time.Time
	finished time.Time
	exitCode int32
	ends     outcome                      // of this start; after counts from started
	startAt  time.Time                    // not before this, while waiting
	sandbox  *sandbox                     // of the pod, nil if it is simulated altogether
	process  *process                     // of this start, nil if it is simulated
	probe    prober                       // of the process
	last     *v1.ContainerStateTerminated // how the run before this one ended
}

// podRun is what a kubelet knows of a pod beyond its spec. One worker at a time uses it.
type podRun struct {
	serial   uint32
	sandbox  *sandbox // nil: all of its containers are simulated
	seen     time.Time
	runs     map[string]*containerRun
	failure  string // why the kubelet ended the pod, if it did
	stopAt   time.Time
	stopped  bool
	deleted  bool          // the final delete was sent
	written  *v1.PodStatus // what was last written
	observed int64         // the generation it was written for
}

func newPodRun(serial uint32, box *sandbox, now time.Time) *podRun {
	return &podRun{serial: serial, sandbox: box, seen: now, runs: map[string]*containerRun{}}
}

func (r *podRun) container(name string) *containerRun {
	run := r.runs[name]
	if run == nil {
		run = &containerRun{sandbox: r.sandbox}
		r.runs[name] = run
	}
	return run
}

// pullable: a name without a registry in it is the suite's way to ask for an image that does not exist.
func pullable(image string) bool { return strings.Contains(image, "/") }

// advance moves every container on to where it is at `now`, and says when something is due next
// (the zero time: nothing until the pod changes).
func (r *podRun) advance(pod *v1.Pod, fs files, now time.Time) time.Time {
	var due dueTime
	if r.stopped {
		return due.at
	}
	if r.deadline(pod, now, &due) || r.stop(pod, now, &due) {
		return due.at
	}
	initialized, broken := r.advanceInit(pod, fs, now, &due)
	if broken {
		r.stopped = true
		return due.at
	}
	if initialized {
		for i := range pod.Spec.Containers {
			c := &pod.Spec.Containers[i]
			r.container(c.Name).advance(pod, c, pod.Spec.RestartPolicy, fs, now, &due)
		}
	}
	for i := range pod.Spec.EphemeralContainers {
		c := v1.Container(pod.Spec.EphemeralContainers[i].EphemeralContainerCommon)
		r.container(c.Name).advance(pod, &c, v1.RestartPolicyNever, fs, now, &due)
	}
	if initialized && r.finished(pod) {
		r.stopped = true
	}
	return due.at
}

// dueTime is the earliest of the times it was told.
type dueTime struct{ at time.Time }

func (d *dueTime) add(at time.Time) {
	if d.at.IsZero() || at.Before(d.at) {
		d.at = at
	}
}

func isSidecar(c *v1.Container) bool {
	return c.RestartPolicy != nil && *c.RestartPolicy == v1.ContainerRestartPolicyAlways
}

// advanceInit: one after the other; a sidecar lets the next one start once it runs.
func (r *podRun) advanceInit(pod *v1.Pod, fs files, now time.Time, due *dueTime) (initialized, broken bool) {
	for i := range pod.Spec.InitContainers {
		c := &pod.Spec.InitContainers[i]
		run := r.container(c.Name)
		policy := pod.Spec.RestartPolicy
		if isSidecar(c) {
			policy = v1.RestartPolicyAlways
		} else if policy == v1.RestartPolicyAlways {
			policy = v1.RestartPolicyOnFailure // an init container that succeeded is done
		}
		run.advance(pod, c, policy, fs, now, due)
		if isSidecar(c) && run.state == running {
			continue
		}
		if run.state != terminated || run.exitCode != 0 {
			return false, run.state == terminated && pod.Spec.RestartPolicy == v1.RestartPolicyNever
		}
	}
	return true, false
}

// deadline ends a pod that was given activeDeadlineSeconds.
func (r *podRun) deadline(pod *v1.Pod, now time.Time, due *dueTime) bool {
	if pod.Spec.ActiveDeadlineSeconds == nil {
		return false
	}
	end := r.seen.Add(time.Duration(*pod.Spec.ActiveDeadlineSeconds) * time.Second)
	if now.Before(end) {
		due.add(end)
		return false
	}
	r.failure = "DeadlineExceeded"
	r.kill(now)
	return true
}

// stop is graceful deletion: a preStop hook takes the whole grace period, servers end at once, and so must processes.
func (r *podRun) stop(pod *v1.Pod, now time.Time, due *dueTime) bool {
	if pod.DeletionTimestamp == nil {
		return false
	}
	if r.stopAt.IsZero() {
		r.stopAt = now.Add(moment)
		if hasPreStop(pod) {
			r.stopAt = pod.DeletionTimestamp.Time
		}
		for _, run := range r.runs {
			if run.process != nil {
				run.process.terminate()
			}
		}
	}
	if now.Before(r.stopAt) {
		due.add(r.stopAt)
		return true
	}
	r.kill(now)
	return true
}

func hasPreStop(pod *v1.Pod) bool {
	for _, c := range pod.Spec.Containers {
		if c.Lifecycle != nil && c.Lifecycle.PreStop != nil {
			return true
		}
	}
	return false
}

// kill ends what runs. A server handles the signal and ends well, a program that was to end by
// itself is cut short.
func (r *podRun) kill(now time.Time) {
	for _, run := range r.runs {
		if run.state == running {
			code := int32(0)
			if run.ends.after != forever || r.failure != "" {
				code = 137
			}
			run.finish(code, now)
		}
	}
	r.stopped = true
}

// finished: all containers ended for good.
func (r *podRun) finished(pod *v1.Pod) bool {
	for i := range pod.Spec.Containers {
		run := r.container(pod.Spec.Containers[i].Name)
		if run.state != terminated {
			return false
		}
	}
	return true
}

func (c *containerRun) advance(pod *v1.Pod, spec *v1.Container, policy v1.RestartPolicy, fs files, now time.Time, due *dueTime) {
	if c.state == waiting {
		switch {
		case !pullable(spec.Image):
			c.reason = "ErrImagePull"
			return
		case now.Before(c.startAt):
			due.add(c.startAt)
			return
		}
		c.start(pod, spec, fs, now)
	}
	if c.state != running || !c.ended(now, due) {
		return
	}
	c.finish(c.ends.exitCode, now)
	if policy == v1.RestartPolicyAlways || policy == v1.RestartPolicyOnFailure && c.exitCode != 0 {
		c.restart(now, due)
	}
}

func (c *containerRun) start(pod *v1.Pod, spec *v1.Container, fs files, now time.Time) {
	c.state, c.started, c.probe = running, now, prober{}
	if c.process = c.sandbox.start(pod, spec); c.process != nil {
		c.ends = outcome{after: forever} // nobody knows; the process tells
		return
	}
	c.ends = predict(pod, spec, fmt.Sprintf("%s/%s/%d", pod.UID, spec.Name, c.restarts), fs)
}

// ended: the program is over, and `ends` says how.
func (c *containerRun) ended(now time.Time, due *dueTime) bool {
	if c.process != nil {
		code, over := c.process.ended()
		if over {
			c.ends.exitCode = code
		}
		return over
	}
	if c.ends.after == forever {
		return false
	}
	end := c.started.Add(c.ends.after)
	if now.Before(end) {
		due.add(end)
		return false
	}
	return true
}

func (c *containerRun) finish(code int32, now time.Time) {
	c.state, c.exitCode, c.finished = terminated, code, now
}

func (c *containerRun) restart(now time.Time, due *dueTime) {
	c.last = c.termination()
	wait := min(firstBackoff<<min(c.restarts, 8), lastBackoff)
	c.state, c.reason, c.startAt = waiting, "CrashLoopBackOff", now.Add(wait)
	c.restarts++
	due.add(c.startAt)
}

func (c *containerRun) termination() *v1.ContainerStateTerminated {
	reason := "Completed"
	if c.exitCode != 0 {
		reason = "Error"
	}
	return &v1.ContainerStateTerminated{ExitCode: c.exitCode, Reason: reason,
		StartedAt: metav1.NewTime(c.started), FinishedAt: metav1.NewTime(c.finished)}
}
