package main

import (
	"bytes"
	"fmt"
	"strings"
)

// The seeded objects are a pure function of their index, so that phases run
// by separate processes agree about what is where.
//
// Pod i is in namespace i mod N. Its node and its bucket are chosen so that
// neither follows from the namespace: every node has pods in many namespaces,
// and each of the 100 buckets is about 1 % of every namespace.

const (
	buckets       = 100
	bucketLabel   = "loadgen.example.com/bucket"
	stampKey      = "loadgen.example.com/ts"  // annotation: when the update was sent
	sequenceKey   = "loadgen.example.com/seq" // annotation: changed by update phases
	crdGroup      = "loadgen.example.com"
	crdPlural     = "widgets"
	crdAPIVersion = crdGroup + "/v1"
)

func (c *config) namespace(i int) string { return fmt.Sprintf("%s-%03d", c.prefix, i%c.namespaces) }

func nodeName(n int) string { return fmt.Sprintf("node-%05d", n) }

func podName(i int) string { return fmt.Sprintf("web-6c8f5d7b9-%06d", i) }

func (c *config) podNode(i int) int { return (i + i/c.namespaces) % c.nodes }

func (c *config) podBucket(i int) int { return (i / c.namespaces) % buckets }

func (c *config) podPath(i int) string { return c.podsPath(i) + "/" + podName(i) }

func (c *config) podsPath(i int) string { return "/api/v1/namespaces/" + c.namespace(i) + "/pods" }

// countPods counts the seeded pods that satisfy a condition.
func (c *config) countPods(match func(i int) bool) int {
	n := 0
	for i := 0; i < c.pods; i++ {
		if match(i) {
			n++
		}
	}
	return n
}

func namespaceJSON(name string) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":%q,"labels":{"loadgen.example.com/seeded":"true"}}}`, name)
}

// podJSON is a pod such as a Deployment would make, with the defaults that
// admission plugins commonly add already present, so that servers with
// different plugins store the same thing.
func (c *config) podJSON(i int, name string) []byte {
	app := fmt.Sprintf("web-%02d", i%37)
	return fmt.Appendf(nil, podTemplate, name, c.namespace(i), app, fmt.Sprintf("b%02d", c.podBucket(i)),
		nodeName(c.podNode(i)), i)
}

var podTemplate = compact(`{
"apiVersion":"v1","kind":"Pod",
"metadata":{"name":"%[1]s","namespace":"%[2]s",
 "labels":{"app":"%[3]s","pod-template-hash":"6c8f5d7b9","` + bucketLabel + `":"%[4]s"},
 "annotations":{"` + sequenceKey + `":"0","` + stampKey + `":"0"}},
"spec":{"nodeName":"%[5]s","serviceAccountName":"default",
 "containers":[
  {"name":"app","image":"images.example.com/shop/%[3]s:v1.14.2","args":["--shard=%[6]d"],
   "ports":[{"name":"http","containerPort":8080,"protocol":"TCP"}],
   "env":[
    {"name":"POD_NAME","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}},
    {"name":"DATABASE_URL","value":"postgres://db.shop.svc:5432/orders?sslmode=require"}],
   "resources":{"requests":{"cpu":"250m","memory":"256Mi"}},
   "volumeMounts":[{"name":"config","mountPath":"/etc/app","readOnly":true}]},
  {"name":"proxy","image":"images.example.com/mesh/proxy:2.9.0",
   "env":[{"name":"MESH_ID","value":"shop"}],
   "volumeMounts":[{"name":"cache","mountPath":"/var/cache"}]}],
 "volumes":[{"name":"config","configMap":{"name":"%[3]s-config"}},{"name":"cache","emptyDir":{}}],
 "tolerations":[
  {"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},
  {"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}]}}`)

func compact(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimLeft(lines[i], " ")
	}
	return strings.Join(lines, "")
}

// payload is n bytes of text that does not compress to nothing.
func payload(n, seed int) string {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	b := make([]byte, n)
	x := uint32(seed)*2654435761 + 12345
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = letters[(x>>16)%uint32(len(letters))]
	}
	return string(b)
}

func (c *config) configMapJSON(i int) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"cm-%06d","namespace":%q,"labels":{"app":"web"}},"data":{"app.conf":%q}}`,
		i, c.namespace(i), payload(c.payload, i))
}

var crdJSON = []byte(compact(`{
"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
"metadata":{"name":"` + crdPlural + "." + crdGroup + `"},
"spec":{"group":"` + crdGroup + `","scope":"Namespaced","names":{"plural":"` + crdPlural + `","singular":"widget","kind":"Widget","listKind":"WidgetList"},
 "versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},
  "schema":{"openAPIV3Schema":{"type":"object","properties":{
   "spec":{"type":"object","required":["size"],"properties":{
    "size":{"type":"integer","minimum":0},
    "mode":{"type":"string","enum":["fast","safe"],"default":"safe"},
    "blob":{"type":"string"},
    "parts":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"weight":{"type":"integer"}}}}}},
   "status":{"type":"object","properties":{"ready":{"type":"boolean"}}}}}}}]}}`))

func (c *config) crsPath(i int) string {
	return "/apis/" + crdAPIVersion + "/namespaces/" + c.namespace(i) + "/" + crdPlural
}

func (c *config) crJSON(i int) []byte {
	return fmt.Appendf(nil, `{"apiVersion":%q,"kind":"Widget","metadata":{"name":"widget-%06d","namespace":%q,"labels":{"app":"web"}},"spec":{"size":%d,"blob":%q,"parts":[{"name":"a","weight":1},{"name":"b","weight":2}]}}`,
		crdAPIVersion, i, c.namespace(i), i, payload(c.payload, i))
}

// statusPatch is a status update like a kubelet's, with the time of sending
// in an annotation.
func statusPatch(stamp int64) []byte {
	return fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"%d"}},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True","reason":"Probe","message":"checked %d"}]}}`,
		stampKey, stamp, stamp)
}

// setSequence rewrites the sequence annotation of a stored pod.
func setSequence(obj []byte, seq string) ([]byte, error) {
	key := []byte(`"` + sequenceKey + `":"`)
	at := bytes.Index(obj, key)
	if at < 0 {
		return nil, fmt.Errorf("object has no annotation %s", sequenceKey)
	}
	at += len(key)
	end := bytes.IndexByte(obj[at:], '"')
	if end < 0 {
		return nil, fmt.Errorf("annotation %s is not terminated", sequenceKey)
	}
	out := append([]byte(nil), obj[:at]...)
	out = append(out, seq...)
	return append(out, obj[at+end:]...), nil
}
