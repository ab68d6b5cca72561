package main

import (
	"math/rand/v2"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
)

// forever is how long a server runs.
const forever = time.Duration(1<<63 - 1)

// A program that does something quickly still takes a moment, as starting a process does.
const moment = 300 * time.Millisecond

// outcome is what becomes of a container that is started: it ends with exitCode after some time.
type outcome struct {
	after    time.Duration
	exitCode int32
}

// Programs that do one thing and end. Every other program is taken for a server.
var shortPrograms = map[string]bool{
	"true": true, "false": true, "sleep": true, "exit": true, "echo": true, "cat": true, "ls": true, "env": true,
	"printenv": true, "date": true, "id": true, "touch": true, "rm": true, "mkdir": true, "mount": true, "test": true,
}

// files are the names that exist on the simulated volumes. Contents are not simulated.
type files map[string]bool

// predict tells what the container's command would do. Programs see the environment of the
// container and, through its mounts, the files of the pod's volumes.
func predict(pod *v1.Pod, container *v1.Container, instance string, fs files) outcome {
	words := append(append([]string{}, container.Command...), container.Args...)
	if len(words) == 0 {
		if strings.Contains(path.Base(container.Image), "busybox") {
			return outcome{after: moment} // a shell without a terminal ends at once
		}
		return outcome{after: forever}
	}
	sh := &shell{
		vars:  environment(pod, container),
		files: fs,
		key:   func(name string) string { return fileKey(pod, container, instance, name) },
	}
	name := path.Base(words[0])
	switch {
	case (name == "sh" || name == "bash" || name == "ash") && len(words) >= 3 && strings.HasPrefix(words[1], "-"):
		sh.run(words[2])
	case len(container.Command) > 0 && shortPrograms[name]:
		sh.run(name + " " + strings.Join(words[1:], " "))
	default:
		return outcome{after: forever}
	}
	if sh.elapsed < moment {
		sh.elapsed = moment
	}
	return outcome{after: sh.elapsed, exitCode: sh.status}
}

func environment(pod *v1.Pod, container *v1.Container) map[string]string {
	vars := map[string]string{}
	for _, env := range container.Env {
		vars[env.Name] = env.Value
		if env.ValueFrom != nil && env.ValueFrom.FieldRef != nil {
			vars[env.Name] = field(pod, env.ValueFrom.FieldRef.FieldPath)
		}
	}
	return vars
}

var subscript = regexp.MustCompile(`^metadata\.(labels|annotations)\['(.+)'\]$`)

func field(pod *v1.Pod, fieldPath string) string {
	if m := subscript.FindStringSubmatch(fieldPath); m != nil {
		if m[1] == "labels" {
			return pod.Labels[m[2]]
		}
		return pod.Annotations[m[2]]
	}
	switch fieldPath {
	case "metadata.name":
		return pod.Name
	case "metadata.namespace":
		return pod.Namespace
	case "spec.nodeName":
		return pod.Spec.NodeName
	}
	return ""
}

// fileKey says where a file lives: on the node, in a volume of the pod, or in the one run of the container.
func fileKey(pod *v1.Pod, container *v1.Container, instance, name string) string {
	var mount v1.VolumeMount
	for _, m := range container.VolumeMounts {
		if strings.HasPrefix(name, m.MountPath) && len(m.MountPath) > len(mount.MountPath) {
			mount = m
		}
	}
	if mount.Name == "" {
		return instance + ":" + name
	}
	inside := strings.TrimPrefix(name, mount.MountPath)
	for _, volume := range pod.Spec.Volumes {
		if volume.Name == mount.Name && volume.HostPath != nil {
			return pod.Spec.NodeName + ":" + volume.HostPath.Path + inside
		}
	}
	return string(pod.UID) + ":" + mount.Name + inside
}

// shell follows the few constructs the suite's scripts decide by: exit, sleep, if on a file or a
// number, touch and rm. Any other command succeeds at once; a loop never ends.
type shell struct {
	vars    map[string]string
	files   files
	key     func(name string) string
	elapsed time.Duration
	status  int32
}

var separators = regexp.MustCompile(`\n|;|&&`)

func (s *shell) run(script string) {
	type branch struct{ outer, taken bool }
	var nested []branch
	active := true
	for _, statement := range split(script) {
		word, rest, _ := strings.Cut(statement, " ")
		switch word {
		case "if":
			nested = append(nested, branch{outer: active, taken: active && s.test(rest)})
			continue
		case "then", "else":
			if n := len(nested); n > 0 {
				active = nested[n-1].outer && nested[n-1].taken == (word == "then")
			}
			continue
		case "fi":
			if n := len(nested); n > 0 {
				active, nested = nested[n-1].outer, nested[:n-1]
			}
			continue
		}
		if active && s.command(word, strings.Fields(s.expand(rest))) {
			return
		}
	}
}

// split gives one statement per element; then and else stand alone.
func split(script string) []string {
	var statements []string
	for _, part := range separators.Split(script, -1) {
		part = strings.TrimSpace(part)
		for _, keyword := range []string{"then ", "else "} {
			if rest, found := strings.CutPrefix(part, keyword); found {
				statements = append(statements, strings.TrimSpace(keyword))
				part = strings.TrimSpace(rest)
			}
		}
		if part != "" {
			statements = append(statements, part)
		}
	}
	return statements
}

// command runs one and says whether the script ends there.
func (s *shell) command(name string, args []string) bool {
	first := ""
	if len(args) > 0 {
		first = args[len(args)-1]
	}
	s.status = 0
	switch path.Base(name) {
	case "exit":
		code, _ := strconv.Atoi(first)
		s.status = int32(code)
		return true
	case "false":
		s.status = 1
	case "sleep":
		if seconds, err := strconv.ParseFloat(strings.TrimSuffix(first, "s"), 64); err == nil {
			s.elapsed += time.Duration(seconds * float64(time.Second))
		} else {
			s.elapsed = forever
		}
	case "touch":
		s.files[s.key(first)] = true
	case "rm":
		delete(s.files, s.key(first))
	case "test", "[":
		if !s.test(name + " " + strings.Join(args, " ")) {
			s.status = 1
		}
	case "while", "until", "for", "exec", "wait", "trap":
		s.elapsed = forever
		return true
	}
	return s.elapsed == forever
}

var remainder = regexp.MustCompile(`\$\(expr (\S+) % (\d+)\)`)

// test decides `[ -r FILE ]` and `[ A -ne B ]`; what it does not know is true.
func (s *shell) test(condition string) bool {
	words := strings.Fields(strings.Trim(s.expand(condition), "[] "))
	switch {
	case len(words) == 2 && (words[0] == "-r" || words[0] == "-f" || words[0] == "-e"):
		return s.files[s.key(words[1])]
	case len(words) == 3 && words[1] == "-ne":
		return words[0] != words[2]
	case len(words) == 3 && words[1] == "-eq":
		return words[0] == words[2]
	}
	return true
}

var variable = regexp.MustCompile(`\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?`)

func (s *shell) expand(text string) string {
	if strings.Contains(text, "$RANDOM") { // only ever used to toss a coin
		return strconv.Itoa(rand.IntN(2))
	}
	text = variable.ReplaceAllStringFunc(text, func(use string) string {
		return s.vars[variable.FindStringSubmatch(use)[1]]
	})
	return remainder.ReplaceAllStringFunc(text, func(use string) string {
		m := remainder.FindStringSubmatch(use)
		a, _ := strconv.Atoi(m[1])
		b, _ := strconv.Atoi(m[2])
		if b == 0 {
			return "0"
		}
		return strconv.Itoa(a % b)
	})
}
