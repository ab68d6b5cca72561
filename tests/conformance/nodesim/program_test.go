package main

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestPredict(t *testing.T) {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "u", Annotations: map[string]string{"index": "3"}}}
	index := v1.EnvVar{Name: "INDEX", ValueFrom: &v1.EnvVarSource{
		FieldRef: &v1.ObjectFieldSelector{FieldPath: "metadata.annotations['index']"}}}
	odd := "\nif [ $(expr ${INDEX} % 2) -ne 0 ]; then\n exit 1\nelse\n exit 0\nfi\n"
	cases := []struct {
		name    string
		image   string
		command []string
		args    []string
		want    outcome
	}{
		{"a server without a command", "example.com/httpd:1", nil, nil, outcome{after: forever}},
		{"a shell without a terminal", "example.com/busybox:1", nil, nil, outcome{after: moment}},
		{"a program that fails", "example.com/busybox:1", []string{"/bin/false"}, nil, outcome{moment, 1}},
		{"exit in a script", "x/y", []string{"/bin/sh", "-c", "exit 42"}, nil, outcome{moment, 42}},
		{"sleeping takes time", "x/y", []string{"sh", "-c", "echo hi; sleep 240"}, nil, outcome{after: 240 * time.Second}},
		{"the script among the arguments", "x/y", []string{"sh", "-c"}, []string{odd}, outcome{moment, 1}},
		{"a loop never ends", "x/y", []string{"sh", "-c", "while true; do sleep 1; done"}, nil, outcome{after: forever}},
		{"arguments of a server", "x/agnhost:2", nil, []string{"netexec"}, outcome{after: forever}},
	}
	for _, c := range cases {
		container := &v1.Container{Image: c.image, Command: c.command, Args: c.args, Env: []v1.EnvVar{index}}
		if got := predict(pod, container, "i", files{}); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestFilesOfAVolumeOutliveTheContainer(t *testing.T) {
	once := "if [[ -r /data/foo ]]\nthen\n exit 0\nelse\n touch /data/foo\n exit 1\nfi"
	container := &v1.Container{Image: "x/y", Command: []string{"/bin/sh", "-c"}, Args: []string{once},
		VolumeMounts: []v1.VolumeMount{{Name: "data", MountPath: "/data"}}}
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "u"}, Spec: v1.PodSpec{Volumes: []v1.Volume{{Name: "data"}}}}
	fs := files{}
	if got := predict(pod, container, "1", fs); got.exitCode != 1 {
		t.Errorf("the first run should fail: %+v", got)
	}
	if got := predict(pod, container, "2", fs); got.exitCode != 0 {
		t.Errorf("the second run should find the file: %+v", got)
	}
}
