package main

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var (
	server = v1.Container{Name: "server", Image: "x/pause"}
	well   = v1.Container{Name: "well", Image: "x/busybox", Command: []string{"true"}}
	badly  = v1.Container{Name: "badly", Image: "x/busybox", Command: []string{"false"}}
)

// simulation is a pod and a clock that jumps to whatever is due next.
type simulation struct {
	pod *v1.Pod
	run *podRun
	now time.Time
}

func newSimulation(policy v1.RestartPolicy, init []v1.Container, containers ...v1.Container) *simulation {
	now := time.Unix(1000, 0)
	return &simulation{now: now, run: newPodRun(1, nil, now), pod: &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{UID: "u"},
		Spec:       v1.PodSpec{RestartPolicy: policy, InitContainers: init, Containers: containers}}}
}

// status after at most `steps` things that were due.
func (s *simulation) status(steps int) *v1.PodStatus {
	for ; ; steps-- {
		due := dueTime{at: s.run.advance(s.pod, files{}, s.now)}
		status := s.run.status(s.pod, "10.0.0.1", "10.0.1.1", s.now, &due)
		if due.at.IsZero() || steps == 0 {
			return status
		}
		s.now = due.at
	}
}

func condition(s *v1.PodStatus, kind v1.PodConditionType) v1.ConditionStatus {
	for _, c := range s.Conditions {
		if c.Type == kind {
			return c.Status
		}
	}
	return ""
}

func TestPhases(t *testing.T) {
	cases := []struct {
		name   string
		sim    *simulation
		phase  v1.PodPhase
		ready  v1.ConditionStatus
		inited v1.ConditionStatus
	}{
		{"a server runs and is ready", newSimulation(v1.RestartPolicyAlways, nil, server),
			v1.PodRunning, v1.ConditionTrue, v1.ConditionTrue},
		{"a job's pod succeeds", newSimulation(v1.RestartPolicyNever, nil, well),
			v1.PodSucceeded, v1.ConditionFalse, v1.ConditionTrue},
		{"a program that fails fails its pod", newSimulation(v1.RestartPolicyNever, nil, badly),
			v1.PodFailed, v1.ConditionFalse, v1.ConditionTrue},
		{"a server starts after its init container", newSimulation(v1.RestartPolicyAlways, []v1.Container{well}, server),
			v1.PodRunning, v1.ConditionTrue, v1.ConditionTrue},
		{"an init container that fails for good fails the pod",
			newSimulation(v1.RestartPolicyNever, []v1.Container{badly}, server),
			v1.PodFailed, v1.ConditionFalse, v1.ConditionFalse},
		{"an init container that fails is tried again",
			newSimulation(v1.RestartPolicyAlways, []v1.Container{badly}, server),
			v1.PodPending, v1.ConditionFalse, v1.ConditionFalse},
		{"an image that does not exist keeps the pod pending",
			newSimulation(v1.RestartPolicyAlways, nil, v1.Container{Name: "c", Image: "webserver:404"}),
			v1.PodPending, v1.ConditionFalse, v1.ConditionTrue},
	}
	for _, c := range cases {
		s := c.sim.status(12)
		if s.Phase != c.phase || condition(s, v1.PodReady) != c.ready || condition(s, v1.PodInitialized) != c.inited {
			t.Errorf("%s: got %s, ready %s, initialized %s", c.name, s.Phase, condition(s, v1.PodReady), condition(s, v1.PodInitialized))
		}
	}
}

func TestRestartsAreCounted(t *testing.T) {
	sim := newSimulation(v1.RestartPolicyOnFailure, nil, badly)
	if got := sim.status(10).ContainerStatuses[0]; got.RestartCount < 3 || got.LastTerminationState.Terminated == nil {
		t.Errorf("got %+v", got)
	}
}

func TestDeletionEndsTheContainers(t *testing.T) {
	sim := newSimulation(v1.RestartPolicyAlways, nil, server)
	sim.status(1)
	sim.pod.DeletionTimestamp = &metav1.Time{Time: sim.now.Add(30 * time.Second)}
	if got := sim.status(5); got.Phase != v1.PodSucceeded || !sim.run.stopped {
		t.Errorf("got %s, stopped %v", got.Phase, sim.run.stopped)
	}
}

func TestDeadline(t *testing.T) {
	sim := newSimulation(v1.RestartPolicyAlways, nil, server)
	seconds := int64(5)
	sim.pod.Spec.ActiveDeadlineSeconds = &seconds
	if got := sim.status(5); got.Phase != v1.PodFailed || got.Reason != "DeadlineExceeded" {
		t.Errorf("got %s %s", got.Phase, got.Reason)
	}
}

func TestReadinessGatesHoldThePodBack(t *testing.T) {
	sim := newSimulation(v1.RestartPolicyAlways, nil, server)
	sim.pod.Spec.ReadinessGates = []v1.PodReadinessGate{{ConditionType: "example.com/gate"}}
	if got := condition(sim.status(1), v1.PodReady); got != v1.ConditionFalse {
		t.Errorf("without its condition: %s", got)
	}
	sim.pod.Status.Conditions = []v1.PodCondition{{Type: "example.com/gate", Status: v1.ConditionTrue}}
	if got := condition(sim.status(1), v1.PodReady); got != v1.ConditionTrue {
		t.Errorf("with its condition: %s", got)
	}
}
