package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
)

// sandbox is what a pod has whose containers run: a network namespace with the pod's address, and for each such
// container a folder that is its root and holds its program and the files of its volumes.
//
// Threads: close may come at any time, from anyone; the other methods are the pod's worker's.
type sandbox struct {
	host    *host
	name    string // of the network namespace and of its interface
	address string
	wake    func() // a process has ended

	mu        sync.Mutex
	opened    bool
	closed    bool
	processes []*process
}

var errClosed = errors.New("the pod is gone")

func newSandbox(h *host, name, address string, wake func()) *sandbox {
	return &sandbox{host: h, name: name, address: address, wake: wake}
}

func (s *sandbox) folder() string { return filepath.Join(s.host.folder, s.name) }

func (s *sandbox) root(c *v1.Container) string { return filepath.Join(s.folder(), c.Name) }

// open makes the network and the containers' roots. After an error it can be called again.
func (s *sandbox) open(ctx context.Context, client kubernetes.Interface, pod *v1.Pod) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	if s.opened {
		return nil
	}
	for i := range pod.Spec.Containers {
		c := &pod.Spec.Containers[i]
		binary := s.host.program(c)
		if binary == "" {
			continue
		}
		if err := s.furnish(ctx, client, pod, c, binary); err != nil {
			return errors.Join(fmt.Errorf("container %s: %w", c.Name, err), os.RemoveAll(s.folder()))
		}
	}
	if err := s.host.connect(s.name, s.address); err != nil {
		return errors.Join(err, s.host.disconnect(s.name), os.RemoveAll(s.folder()))
	}
	s.opened = true
	return nil
}

// furnish fills the root of one container.
func (s *sandbox) furnish(ctx context.Context, client kubernetes.Interface, pod *v1.Pod, c *v1.Container, binary string) error {
	root := s.root(c)
	if err := install(binary, root, entrypoint(c, binary)); err != nil {
		return err
	}
	contents, err := volumeFiles(ctx, client, pod, c)
	if err != nil {
		return err
	}
	contents["/etc/hosts"] = fmt.Appendf(nil, "127.0.0.1\tlocalhost\n%s\t%s\n", s.address, pod.Name)
	for _, mount := range c.VolumeMounts {
		if err := os.MkdirAll(inside(root, mount.MountPath), 0o755); err != nil {
			return err
		}
	}
	for name, content := range contents {
		file := inside(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, content, 0o600); err != nil {
			return err
		}
	}
	return os.MkdirAll(filepath.Join(root, "tmp"), 0o777)
}

// entrypoint is where the program is in the container's root: where its command says, or where its image would have it.
func entrypoint(c *v1.Container, binary string) string {
	if len(c.Command) > 0 {
		return c.Command[0]
	}
	return "/" + filepath.Base(binary)
}

// start runs the container; nil if it is one to be simulated. A nil sandbox runs none.
func (s *sandbox) start(pod *v1.Pod, c *v1.Container) *process {
	if s == nil {
		return nil
	}
	binary := s.host.program(c)
	s.mu.Lock()
	defer s.mu.Unlock()
	if binary == "" || s.closed || !s.opened {
		return nil
	}
	args := []string{"--net=/run/netns/" + s.name, "--root=" + s.root(c), "--wd=" + s.root(c), "--", entrypoint(c, binary)}
	if len(c.Command) > 0 {
		args = append(args, c.Command[1:]...)
	}
	command := exec.Command("nsenter", append(args, c.Args...)...)
	command.Env = append(command.Env, s.host.environment...)
	command.Env = append(command.Env, "HOSTNAME="+pod.Name)
	for name, value := range environment(pod, c) {
		command.Env = append(command.Env, name+"="+value)
	}
	log := filepath.Join(s.host.folder, fmt.Sprintf("%s_%s_%s.log", pod.Namespace, pod.Name, c.Name))
	klog.InfoS("Running", "pod", klog.KObj(pod), "container", c.Name, "address", s.address, "program", strings.Join(args[4:], " "))
	p := startProcess(command, log, s.wake)
	s.processes = append(s.processes, p)
	return p
}

// close ends what runs and takes the network and the roots away. The logs stay.
func (s *sandbox) close() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	for _, p := range s.processes {
		p.kill()
	}
	if !s.opened {
		return
	}
	if err := errors.Join(s.host.disconnect(s.name), os.RemoveAll(s.folder())); err != nil {
		klog.ErrorS(err, "Not cleaned up", "pod", s.name)
	}
}
