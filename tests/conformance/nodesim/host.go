package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
)

// Pods that run have their addresses on one bridge, whose own address is their way out. The prefix is that of all
// nodes' pods.
const (
	podPrefix  = 16
	podGateway = "10.244.0.1"
)

// played are the images whose containers run as processes where their program is at hand, by the last word of their
// name, each with the first arguments that are played; none: all are. What is not named here is simulated.
var played = map[string][]string{
	"agnhost":          {"webhook", "crd-conversion-webhook"},
	"sample-apiserver": nil,
	"etcd":             nil,
}

// host is the machine under the simulated nodes, as far as it runs containers. Immutable once made.
type host struct {
	programs    string   // folder of the binaries, named as the images are
	folder      string   // of the containers' roots and logs
	bridge      string   // joins the networks of the pods; its address is podGateway
	environment []string // how programs find the API server
}

// newHost needs the address of the API server as the nodes know it; pods reach it there, too.
func newHost(programs, folder, bridge, server string) (*host, error) {
	at, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	address, port, err := net.SplitHostPort(at.Host)
	if err != nil {
		return nil, fmt.Errorf("the API server's URL %s: %w", server, err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	return &host{programs: programs, folder: folder, bridge: bridge, environment: []string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/", "KUBERNETES_SERVICE_HOST=" + address, "KUBERNETES_SERVICE_PORT=" + port}}, nil
}

// program is the binary that the container runs, "" where it is to be simulated. A nil host has none.
func (h *host) program(c *v1.Container) string {
	if h == nil {
		return ""
	}
	name, _, _ := strings.Cut(path.Base(c.Image), "@")
	name, _, _ = strings.Cut(name, ":")
	arguments, known := played[name]
	if !known || len(arguments) > 0 && (len(c.Args) == 0 || !slices.Contains(arguments, c.Args[0])) {
		return ""
	}
	binary := filepath.Join(h.programs, name)
	if _, err := os.Stat(binary); err != nil {
		return ""
	}
	return binary
}

// plays: some container of the pod runs.
func (h *host) plays(pod *v1.Pod) bool {
	return !pod.Spec.HostNetwork && slices.ContainsFunc(pod.Spec.Containers, func(c v1.Container) bool { return h.program(&c) != "" })
}

// install puts a program into a container's root, with the shared libraries that it needs.
func install(binary, root, target string) error {
	if err := place(binary, inside(root, target)); err != nil {
		return err
	}
	out, err := exec.Command("ldd", binary).Output()
	if err != nil {
		return nil // it is linked statically
	}
	for _, library := range libraries.FindAllString(string(out), -1) {
		if err := place(library, inside(root, library)); err != nil {
			return err
		}
	}
	return nil
}

// libraries are the files that ldd names.
var libraries = regexp.MustCompile(`/\S+`)

// inside is where a container's file is; no name leads out of its root.
func inside(root, name string) string { return filepath.Join(root, filepath.Clean("/"+name)) }

// place puts a file there, by a link where the file systems allow that.
func place(file, target string) error {
	source, err := filepath.EvalSymlinks(file)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	if os.Link(source, target) == nil {
		return nil
	}
	in, err := os.Open(source)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// connect makes a network namespace that holds `address` and is joined to the bridge.
func (h *host) connect(namespace, address string) error {
	for _, args := range [][]string{
		{"netns", "add", namespace},
		{"link", "add", namespace, "type", "veth", "peer", "name", "eth0", "netns", namespace},
		{"link", "set", namespace, "master", h.bridge, "up"},
		{"-n", namespace, "addr", "add", fmt.Sprintf("%s/%d", address, podPrefix), "dev", "eth0"},
		{"-n", namespace, "link", "set", "lo", "up"},
		{"-n", namespace, "link", "set", "eth0", "up"},
		{"-n", namespace, "route", "add", "default", "via", podGateway},
	} {
		if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
		}
	}
	return nil
}

// disconnect takes the namespace away; the interfaces that joined it go with it.
func (h *host) disconnect(namespace string) error {
	if out, err := exec.Command("ip", "netns", "delete", namespace).CombinedOutput(); err != nil {
		return fmt.Errorf("ip netns delete %s: %w: %s", namespace, err, strings.TrimSpace(string(out)))
	}
	return nil
}
