// Uses the client that was generated from /openapi/v2: objects of the core group, of apps, and of a custom resource are
// created, read, listed, changed and deleted by the generated types. Prints what it saw, which is the same on every server.
//
//	use URL TOKEN
package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"

	client "clients/v2"
)

const namespace = "default"

// One of several media types that a patch may have; a generated client takes the first.
type mergePatches struct{ next http.RoundTripper }

func (m mergePatches) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method == http.MethodPatch {
		request.Header.Set("Content-Type", "application/merge-patch+json")
	}
	return m.next.RoundTrip(request)
}

func must[T any](value T, response *http.Response, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err, body(err))
		os.Exit(1)
	}
	fmt.Println(response.Request.Method, response.Request.URL.Path, response.StatusCode)
	return value
}

// What the server refused a request with, as the generated Status has it.
func refused[T any](_ T, response *http.Response, err error) {
	var status client.IoK8sApimachineryPkgApisMetaV1Status
	if err == nil || json.Unmarshal([]byte(body(err)), &status) != nil {
		fmt.Fprintln(os.Stderr, "error: a refusal was expected:", err, body(err))
		os.Exit(1)
	}
	fmt.Println(response.Request.Method, response.Request.URL.Path, response.StatusCode, status.GetReason(), status.GetMessage())
	details := status.GetDetails() // absent in some refusals
	for _, cause := range details.Causes {
		fmt.Println(" ", cause.GetField(), cause.GetReason(), cause.GetMessage())
	}
}

func body(err error) string {
	var known *client.GenericOpenAPIError
	if errors.As(err, &known) {
		return string(known.Body())
	}
	return ""
}

func named(name string) *client.IoK8sApimachineryPkgApisMetaV1ObjectMeta {
	return &client.IoK8sApimachineryPkgApisMetaV1ObjectMeta{Name: &name, Labels: &map[string]string{"made": "by-hand"}}
}

func useConfigMaps(ctx context.Context, api *client.CoreV1APIService) {
	made := must(api.CreateCoreV1NamespacedConfigMap(ctx, namespace).Body(client.IoK8sApiCoreV1ConfigMap{
		Metadata: named("settings"), Data: &map[string]string{"colour": "red"}}).Execute())
	fmt.Println(" ", made.GetKind(), made.GetApiVersion(), made.Metadata.GetNamespace(), made.GetData(),
		made.Metadata.CreationTimestamp != nil, len(made.Metadata.ManagedFields))
	refused(api.CreateCoreV1NamespacedConfigMap(ctx, namespace).Body(*made).Execute())
	changed := must(api.PatchCoreV1NamespacedConfigMap(ctx, "settings", namespace).
		Body(map[string]interface{}{"data": map[string]string{"size": "3"}}).FieldManager("use").Execute())
	fmt.Println(" ", changed.GetData())
	(*changed.Data)["colour"] = "blue"
	replaced := must(api.ReplaceCoreV1NamespacedConfigMap(ctx, "settings", namespace).Body(*changed).Execute())
	fmt.Println(" ", replaced.GetData(), replaced.Metadata.GetResourceVersion() != changed.Metadata.GetResourceVersion())
	list := must(api.ListCoreV1NamespacedConfigMap(ctx, namespace).LabelSelector("made=by-hand").Limit(10).Execute())
	fmt.Println(" ", list.GetKind(), len(list.Items), list.Items[0].Metadata.GetName())
	gone := must(api.DeleteCoreV1NamespacedConfigMap(ctx, "settings", namespace).Execute())
	fmt.Println(" ", gone.GetStatus(), gone.Details.GetKind(), gone.Details.GetName())
	refused(api.ReadCoreV1NamespacedConfigMap(ctx, "settings", namespace).Execute())
}

func useDeployments(ctx context.Context, api *client.AppsV1APIService) {
	labels := map[string]string{"app": "web"}
	image := "registry.example/web:1"
	made := must(api.CreateAppsV1NamespacedDeployment(ctx, namespace).Body(client.IoK8sApiAppsV1Deployment{
		Metadata: named("web"),
		Spec: &client.IoK8sApiAppsV1DeploymentSpec{
			Selector: client.IoK8sApimachineryPkgApisMetaV1LabelSelector{MatchLabels: &labels},
			Template: client.IoK8sApiCoreV1PodTemplateSpec{
				Metadata: &client.IoK8sApimachineryPkgApisMetaV1ObjectMeta{Labels: &labels},
				Spec: &client.IoK8sApiCoreV1PodSpec{Containers: []client.IoK8sApiCoreV1Container{{
					Name: "web", Image: &image,
					Resources: &client.IoK8sApiCoreV1ResourceRequirements{Limits: &map[string]string{"memory": "64Mi"}},
					Ports:     []client.IoK8sApiCoreV1ContainerPort{{ContainerPort: 8080}},
				}}}}}}).Execute())
	spec := made.GetSpec()
	fmt.Println(" ", spec.GetReplicas(), spec.Strategy.GetType(), spec.Strategy.RollingUpdate.GetMaxSurge(),
		spec.GetProgressDeadlineSeconds(), spec.Template.Spec.GetRestartPolicy(), spec.Template.Spec.GetDnsPolicy())
	fmt.Println(" ", spec.Template.Spec.Containers[0].Resources.GetLimits(),
		spec.Template.Spec.Containers[0].Ports[0].GetProtocol(), spec.Template.Spec.Containers[0].GetImagePullPolicy())
	scaled := must(api.PatchAppsV1NamespacedDeployment(ctx, "web", namespace).
		Body(map[string]interface{}{"spec": map[string]interface{}{"replicas": 3}}).Execute())
	fmt.Println(" ", scaled.Spec.GetReplicas(), scaled.Metadata.GetGeneration())
	scale := must(api.ReadAppsV1NamespacedDeploymentScale(ctx, "web", namespace).Execute())
	fmt.Println(" ", scale.GetKind(), scale.Spec.GetReplicas())
	status := client.IoK8sApiAppsV1DeploymentStatus{ObservedGeneration: client.PtrInt64(2), Replicas: client.PtrInt32(3),
		Conditions: []client.IoK8sApiAppsV1DeploymentCondition{{Type: "Available", Status: "True"}}}
	scaled.Status = &status
	reported := must(api.ReplaceAppsV1NamespacedDeploymentStatus(ctx, "web", namespace).Body(*scaled).Execute())
	fmt.Println(" ", reported.Status.GetReplicas(), reported.Status.Conditions[0].GetType())
	list := must(api.ListAppsV1DeploymentForAllNamespaces(ctx).FieldSelector("metadata.name=web").Execute())
	fmt.Println(" ", list.GetKind(), len(list.Items))
	wrong := *scaled
	wrong.Spec.Replicas = client.PtrInt32(-1)
	refused(api.ReplaceAppsV1NamespacedDeployment(ctx, "web", namespace).Body(wrong).Execute())
	must(api.DeleteAppsV1NamespacedDeployment(ctx, "web", namespace).PropagationPolicy("Background").Execute())
}

func useWidgets(ctx context.Context, api *client.ExampleComV1APIService) {
	widget := client.ComExampleV1Widget{ApiVersion: client.PtrString("example.com/v1"), Kind: client.PtrString("Widget"),
		Metadata: named("knob"),
		Spec: &client.ComExampleV1WidgetSpec{Size: 3, Colour: client.PtrString("red"),
			Parts: []client.ComExampleV1WidgetSpecPartsInner{{Name: "cap", Count: client.PtrInt64(2)}}}}
	made := must(api.CreateExampleComV1NamespacedWidget(ctx, namespace).Body(widget).FieldValidation("Strict").Execute())
	fmt.Println(" ", made.GetKind(), made.Spec.GetSize(), made.Spec.GetColour(), made.Spec.GetFinish(), made.Spec.Parts[0].GetCount())
	changed := must(api.PatchExampleComV1NamespacedWidget(ctx, "knob", namespace).
		Body(map[string]interface{}{"spec": map[string]interface{}{"size": 4}}).Execute())
	fmt.Println(" ", changed.Spec.GetSize(), changed.Metadata.GetGeneration())
	changed.Status = &client.ComExampleV1WidgetStatus{Ready: client.PtrBool(true)}
	reported := must(api.ReplaceExampleComV1NamespacedWidgetStatus(ctx, "knob", namespace).Body(*changed).Execute())
	fmt.Println(" ", reported.Status.GetReady())
	read := must(api.ReadExampleComV1NamespacedWidget(ctx, "knob", namespace).Execute())
	list := must(api.ListExampleComV1NamespacedWidget(ctx, namespace).Execute())
	fmt.Println(" ", read.Spec.GetSize(), list.GetKind(), len(list.Items), list.Items[0].Spec.GetColour())
	read.Spec.Colour = client.PtrString("green")
	refused(api.ReplaceExampleComV1NamespacedWidget(ctx, "knob", namespace).Body(*read).Execute())
	must(api.DeleteExampleComV1NamespacedWidget(ctx, "knob", namespace).Execute())
}

func main() {
	configuration := client.NewConfiguration()
	configuration.Servers = client.ServerConfigurations{{URL: os.Args[1]}}
	configuration.HTTPClient = &http.Client{Transport: mergePatches{
		&http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}}
	ctx := context.WithValue(context.Background(), client.ContextAPIKeys,
		map[string]client.APIKey{"BearerToken": {Key: os.Args[2], Prefix: "Bearer"}})
	api := client.NewAPIClient(configuration)
	version := must(api.VersionAPI.GetCodeVersion(ctx).Execute())
	fmt.Println(" ", version.GetMajor(), version.GetMinor())
	useConfigMaps(ctx, api.CoreV1API)
	useDeployments(ctx, api.AppsV1API)
	useWidgets(ctx, api.ExampleComV1API)
}
