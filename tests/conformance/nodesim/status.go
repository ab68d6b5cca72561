package main

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// status is what a kubelet would write for the pod now. Conditions of others and the times of
// transitions that did not happen are taken over from the pod. `due` as for advance.
func (r *podRun) status(pod *v1.Pod, hostIP, podIP string, now time.Time, due *dueTime) *v1.PodStatus {
	s := pod.Status.DeepCopy()
	s.ObservedGeneration = pod.Generation
	s.HostIP, s.HostIPs = hostIP, []v1.HostIP{{IP: hostIP}}
	s.PodIP, s.PodIPs = podIP, []v1.PodIP{{IP: podIP}}
	if s.StartTime == nil {
		start := metav1.NewTime(r.seen)
		s.StartTime = &start
	}
	s.InitContainerStatuses, s.ContainerStatuses, s.EphemeralContainerStatuses = nil, nil, nil
	var notInitialized, notReady []string
	for i := range pod.Spec.InitContainers {
		c := &pod.Spec.InitContainers[i]
		run := r.container(c.Name)
		done := run.state == terminated && run.exitCode == 0 || isSidecar(c) && run.state == running
		if !done {
			notInitialized = append(notInitialized, c.Name)
		}
		s.InitContainerStatuses = append(s.InitContainerStatuses, r.containerStatus(pod, c, run, done))
	}
	for i := range pod.Spec.Containers {
		c := &pod.Spec.Containers[i]
		run := r.container(c.Name)
		ready := run.state == running && r.probed(c, run, now, due)
		if !ready {
			notReady = append(notReady, c.Name)
		}
		s.ContainerStatuses = append(s.ContainerStatuses, r.containerStatus(pod, c, run, ready))
	}
	for i := range pod.Spec.EphemeralContainers {
		c := v1.Container(pod.Spec.EphemeralContainers[i].EphemeralContainerCommon)
		s.EphemeralContainerStatuses = append(s.EphemeralContainerStatuses, r.containerStatus(pod, &c, r.container(c.Name), false))
	}
	r.setPhase(pod, s)
	r.setConditions(pod, s, notInitialized, notReady, now)
	return s
}

// probed: a process is asked. The readiness probe of a simulated server passes as soon as it is tried, but for a
// command that would fail and a port the server does not have.
func (r *podRun) probed(c *v1.Container, run *containerRun, now time.Time, due *dueTime) bool {
	probe := c.ReadinessProbe
	if probe == nil {
		return true
	}
	if run.process != nil {
		return run.probe.check(c, r.sandbox.address, run.started, now, due)
	}
	if probe.Exec != nil && strings.HasSuffix(strings.Join(probe.Exec.Command, " "), "false") {
		return false
	}
	if probe.HTTPGet != nil && !listens(c, probe.HTTPGet.Port) || probe.TCPSocket != nil && !listens(c, probe.TCPSocket.Port) {
		return false
	}
	tried := run.started.Add(time.Duration(probe.InitialDelaySeconds) * time.Second)
	if now.Before(tried) {
		due.add(tried)
		return false
	}
	return true
}

// listens: a container that declares ports has those; one that declares none may have any.
func listens(c *v1.Container, port intstr.IntOrString) bool {
	for _, p := range c.Ports {
		if port.Type == intstr.String && p.Name == port.StrVal || port.Type == intstr.Int && p.ContainerPort == port.IntVal {
			return true
		}
	}
	return len(c.Ports) == 0
}

func (r *podRun) containerStatus(pod *v1.Pod, c *v1.Container, run *containerRun, ready bool) v1.ContainerStatus {
	id := fmt.Sprintf("nodesim://%x", sha256.Sum256(fmt.Appendf(nil, "%s/%s/%d", pod.UID, c.Name, run.restarts)))
	started := run.state == running
	status := v1.ContainerStatus{Name: c.Name, Image: c.Image, Ready: ready, RestartCount: run.restarts, Started: &started}
	if run.last != nil {
		status.LastTerminationState.Terminated = run.last
	}
	switch run.state {
	case waiting:
		reason := run.reason
		if reason == "" {
			reason = "PodInitializing"
			if len(pod.Spec.InitContainers) == 0 {
				reason = "ContainerCreating"
			}
		}
		status.State.Waiting = &v1.ContainerStateWaiting{Reason: reason}
		return status
	case running:
		status.State.Running = &v1.ContainerStateRunning{StartedAt: metav1.NewTime(run.started)}
	case terminated:
		status.State.Terminated = run.termination()
		status.State.Terminated.ContainerID = id
	}
	status.ContainerID = id
	status.ImageID = fmt.Sprintf("%s@sha256:%x", c.Image, sha256.Sum256([]byte(c.Image)))
	status.Resources = c.Resources.DeepCopy()
	status.AllocatedResources = c.Resources.Requests.DeepCopy()
	return status
}

// setPhase: pending until all containers were started once, and decided by the exit codes at the end.
func (r *podRun) setPhase(pod *v1.Pod, s *v1.PodStatus) {
	begun, failed := true, r.failure != ""
	for _, c := range s.ContainerStatuses {
		if c.State.Waiting != nil && c.LastTerminationState.Terminated == nil {
			begun = false
		}
		if c.State.Terminated != nil && c.State.Terminated.ExitCode != 0 {
			failed = true
		}
	}
	for _, c := range s.InitContainerStatuses {
		if c.State.Terminated != nil && c.State.Terminated.ExitCode != 0 {
			failed = true
		}
	}
	switch {
	case r.stopped && (failed || !begun):
		s.Phase, s.Reason = v1.PodFailed, r.failure
	case r.stopped:
		s.Phase = v1.PodSucceeded
	case begun:
		s.Phase = v1.PodRunning
	default:
		s.Phase = v1.PodPending
	}
	if r.failure == "DeadlineExceeded" {
		s.Message = "Pod was active on the node longer than the specified deadline"
	}
}

func (r *podRun) setConditions(pod *v1.Pod, s *v1.PodStatus, notInitialized, notReady []string, now time.Time) {
	set := func(kind v1.PodConditionType, reason, message string) {
		condition := v1.PodCondition{Type: kind, Status: v1.ConditionTrue, Reason: reason, Message: message,
			ObservedGeneration: pod.Generation, LastTransitionTime: metav1.NewTime(now)}
		if reason != "" {
			condition.Status = v1.ConditionFalse
		}
		for i := range s.Conditions {
			if s.Conditions[i].Type == kind {
				if s.Conditions[i].Status == condition.Status {
					condition.LastTransitionTime = s.Conditions[i].LastTransitionTime
				}
				s.Conditions[i] = condition
				return
			}
		}
		s.Conditions = append(s.Conditions, condition)
	}
	// A pod that ended well is initialized and no longer ready, whatever its containers say.
	completed := ""
	if r.stopped {
		completed = "PodCompleted"
		if s.Phase == v1.PodFailed {
			completed = "PodFailed"
		}
	}
	sandbox := completed
	set(v1.PodReadyToStartContainers, sandbox, "")
	switch {
	case len(notInitialized) == 0:
		set(v1.PodInitialized, "", "")
	default:
		set(v1.PodInitialized, "ContainersNotInitialized",
			fmt.Sprintf("containers with incomplete status: [%s]", strings.Join(notInitialized, " ")))
	}
	reason, message := completed, ""
	if reason == "" && len(notReady) > 0 {
		reason, message = "ContainersNotReady", fmt.Sprintf("containers with unready status: [%s]", strings.Join(notReady, " "))
	}
	set(v1.ContainersReady, reason, message)
	if reason == "" {
		if gates := unmetGates(pod, s); len(gates) > 0 {
			reason = "ReadinessGatesNotReady"
			message = fmt.Sprintf("corresponding condition of pod readiness gate %q does not exist or is not True.", gates[0])
		}
	}
	set(v1.PodReady, reason, message)
}

func unmetGates(pod *v1.Pod, s *v1.PodStatus) []string {
	var unmet []string
	for _, gate := range pod.Spec.ReadinessGates {
		met := false
		for _, condition := range s.Conditions {
			met = met || condition.Type == gate.ConditionType && condition.Status == v1.ConditionTrue
		}
		if !met {
			unmet = append(unmet, string(gate.ConditionType))
		}
	}
	return unmet
}
