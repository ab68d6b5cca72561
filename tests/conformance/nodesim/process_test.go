package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

func TestOnlyProgramsThatOthersTalkToRun(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"agnhost", "etcd"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	machine := &host{programs: folder}
	cases := []struct {
		name  string
		image string
		args  []string
		want  string
	}{
		{"a webhook", "x/y/agnhost:2.56", []string{"webhook", "--port=1"}, "agnhost"},
		{"an image by its digest", "x/etcd:3@sha256:00", nil, "etcd"},
		{"a server that is only waited for", "x/agnhost:2.56", []string{"netexec"}, ""},
		{"a program without a binary", "x/sample-apiserver:1", nil, ""},
		{"an image nobody knows", "x/nginx:1", nil, ""},
	}
	for _, c := range cases {
		want := c.want
		if want != "" {
			want = filepath.Join(folder, want)
		}
		if got := machine.program(&v1.Container{Image: c.image, Args: c.args}); got != want {
			t.Errorf("%s: got %q, want %q", c.name, got, want)
		}
	}
	var none *host
	if none.program(&v1.Container{Image: "x/etcd"}) != "" {
		t.Error("a node that only simulates runs a program")
	}
}

func TestExitCodesOfProcesses(t *testing.T) {
	cases := []struct {
		name    string
		command []string
		want    int32
	}{
		{"it ends by itself", []string{"sh", "-c", "exit 3"}, 3},
		{"a signal ends it", []string{"sh", "-c", "kill -9 $$"}, 137},
		{"there is no such program", []string{"/no/such/program"}, 128},
	}
	for _, c := range cases {
		over := make(chan struct{})
		p := startProcess(exec.Command(c.command[0], c.command[1:]...), filepath.Join(t.TempDir(), "log"), func() { close(over) })
		<-over
		if code, ended := p.ended(); !ended || code != c.want {
			t.Errorf("%s: got %d (ended: %v), want %d", c.name, code, ended, c.want)
		}
	}
}

func TestAKilledProcessIsOver(t *testing.T) {
	p := startProcess(exec.Command("sleep", "600"), filepath.Join(t.TempDir(), "log"), func() {})
	if _, ended := p.ended(); ended {
		t.Fatal("it ended at once")
	}
	p.kill()
	if code, ended := p.ended(); !ended || code != 137 {
		t.Errorf("got %d (ended: %v)", code, ended)
	}
}

func TestMountsShowSecretsConfigMapsTokensAndFields(t *testing.T) {
	yes := true
	client := fake.NewClientset(
		&v1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "s"}, Data: map[string][]byte{"tls.crt": []byte("certificate")}},
		&v1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "m"}, Data: map[string]string{"ca.crt": "authority", "other": "-"}})
	client.PrependReactor("create", "serviceaccounts", func(action clienttesting.Action) (bool, runtime.Object, error) {
		request := action.(clienttesting.CreateAction).GetObject().(*authenticationv1.TokenRequest)
		request.Status.Token = "token of " + request.Spec.BoundObjectRef.Name
		return true, request, nil
	})
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "p"},
		Spec: v1.PodSpec{ServiceAccountName: "default", Volumes: []v1.Volume{
			{Name: "certs", VolumeSource: v1.VolumeSource{Secret: &v1.SecretVolumeSource{SecretName: "s"}}},
			{Name: "absent", VolumeSource: v1.VolumeSource{Secret: &v1.SecretVolumeSource{SecretName: "none", Optional: &yes}}},
			{Name: "access", VolumeSource: v1.VolumeSource{Projected: &v1.ProjectedVolumeSource{Sources: []v1.VolumeProjection{
				{ServiceAccountToken: &v1.ServiceAccountTokenProjection{Path: "token"}},
				{ConfigMap: &v1.ConfigMapProjection{LocalObjectReference: v1.LocalObjectReference{Name: "m"},
					Items: []v1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}}}},
				{DownwardAPI: &v1.DownwardAPIProjection{Items: []v1.DownwardAPIVolumeFile{
					{Path: "namespace", FieldRef: &v1.ObjectFieldSelector{FieldPath: "metadata.namespace"}}}}},
			}}}},
			{Name: "required", VolumeSource: v1.VolumeSource{Secret: &v1.SecretVolumeSource{SecretName: "none"}}},
		}},
	}
	container := &v1.Container{VolumeMounts: []v1.VolumeMount{
		{Name: "certs", MountPath: "/certs"}, {Name: "absent", MountPath: "/absent"}, {Name: "access", MountPath: "/access/"}}}
	got, err := volumeFiles(context.Background(), client, pod, container)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"/certs/tls.crt": "certificate", "/access/token": "token of p", "/access/ca.crt": "authority",
		"/access/namespace": "n"}
	if len(got) != len(want) {
		t.Errorf("got %d files, want %d: %v", len(got), len(want), got)
	}
	for name, content := range want {
		if string(got[name]) != content {
			t.Errorf("%s: got %q, want %q", name, got[name], content)
		}
	}
	container.VolumeMounts = append(container.VolumeMounts, v1.VolumeMount{Name: "required", MountPath: "/r"})
	if _, err := volumeFiles(context.Background(), client, pod, container); err == nil {
		t.Error("a secret that is not there yet should hold the pod back")
	}
}

func TestAProcessIsReadyWhenItsProbeSaysSo(t *testing.T) {
	healthy := true
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !healthy || r.URL.Path != "/readyz" {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	defer server.Close()
	at, _ := url.Parse(server.URL)
	port, _ := strconv.Atoi(at.Port())
	container := &v1.Container{ReadinessProbe: &v1.Probe{InitialDelaySeconds: 5, PeriodSeconds: 2, FailureThreshold: 2,
		ProbeHandler: v1.ProbeHandler{HTTPGet: &v1.HTTPGetAction{Scheme: v1.URISchemeHTTPS, Path: "/readyz", Port: intstr.FromInt(port)}}}}
	start := time.Unix(1000, 0)
	var p prober
	for _, step := range []struct {
		after   time.Duration
		healthy bool
		want    bool
		what    string
	}{
		{0, true, false, "before the initial delay"},
		{5 * time.Second, true, true, "once it was asked"},
		{6 * time.Second, false, true, "between two questions"},
		{7 * time.Second, false, true, "after one failure of two that are allowed"},
		{9 * time.Second, false, false, "after the second"},
		{11 * time.Second, true, true, "when it is well again"},
	} {
		healthy = step.healthy
		var due dueTime
		if got := p.check(container, at.Hostname(), start, start.Add(step.after), &due); got != step.want {
			t.Errorf("%s: ready is %v", step.what, got)
		}
		if due.at.IsZero() {
			t.Errorf("%s: nothing is due", step.what)
		}
	}
}
