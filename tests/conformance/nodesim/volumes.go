package main

import (
	"context"
	"fmt"
	"path"

	authenticationv1 "k8s.io/api/authentication/v1"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// contents are files by their paths.
type contents map[string][]byte

// volumeFiles reads what the container sees through its mounts: secrets, config maps, tokens of its service account and
// fields of the pod. They stay as they were when the pod started. Volumes of other kinds are empty.
func volumeFiles(ctx context.Context, client kubernetes.Interface, pod *v1.Pod, c *v1.Container) (contents, error) {
	r := volumeReader{ctx: ctx, client: client, pod: pod, into: contents{}}
	for _, mount := range c.VolumeMounts {
		for i := range pod.Spec.Volumes {
			volume := &pod.Spec.Volumes[i]
			if volume.Name != mount.Name {
				continue
			}
			r.at = mount.MountPath
			if err := r.read(&volume.VolumeSource); err != nil {
				return nil, fmt.Errorf("volume %s: %w", volume.Name, err)
			}
		}
	}
	return r.into, nil
}

type volumeReader struct {
	ctx    context.Context
	client kubernetes.Interface
	pod    *v1.Pod
	at     string // the mount's path
	into   contents
}

func (r *volumeReader) put(name string, content []byte) { r.into[path.Join(r.at, name)] = content }

func (r *volumeReader) read(source *v1.VolumeSource) error {
	switch {
	case source.Secret != nil:
		return r.secret(source.Secret.SecretName, source.Secret.Items, source.Secret.Optional)
	case source.ConfigMap != nil:
		return r.configMap(source.ConfigMap.Name, source.ConfigMap.Items, source.ConfigMap.Optional)
	case source.DownwardAPI != nil:
		r.fields(source.DownwardAPI.Items)
	case source.Projected != nil:
		for i := range source.Projected.Sources {
			if err := r.projection(&source.Projected.Sources[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *volumeReader) projection(source *v1.VolumeProjection) error {
	switch {
	case source.Secret != nil:
		return r.secret(source.Secret.Name, source.Secret.Items, source.Secret.Optional)
	case source.ConfigMap != nil:
		return r.configMap(source.ConfigMap.Name, source.ConfigMap.Items, source.ConfigMap.Optional)
	case source.DownwardAPI != nil:
		r.fields(source.DownwardAPI.Items)
	case source.ServiceAccountToken != nil:
		return r.token(source.ServiceAccountToken)
	}
	return nil
}

func (r *volumeReader) secret(name string, items []v1.KeyToPath, optional *bool) error {
	secret, err := r.client.CoreV1().Secrets(r.pod.Namespace).Get(r.ctx, name, metav1.GetOptions{})
	if err != nil {
		return unlessOptional(err, optional)
	}
	return r.keys(secret.Data, items)
}

func (r *volumeReader) configMap(name string, items []v1.KeyToPath, optional *bool) error {
	configMap, err := r.client.CoreV1().ConfigMaps(r.pod.Namespace).Get(r.ctx, name, metav1.GetOptions{})
	if err != nil {
		return unlessOptional(err, optional)
	}
	data := contents{}
	for key, value := range configMap.Data {
		data[key] = []byte(value)
	}
	for key, value := range configMap.BinaryData {
		data[key] = value
	}
	return r.keys(data, items)
}

func unlessOptional(err error, optional *bool) error {
	if apierrors.IsNotFound(err) && optional != nil && *optional {
		return nil
	}
	return err
}

// keys puts all of them, or the items that are asked for.
func (r *volumeReader) keys(data contents, items []v1.KeyToPath) error {
	if len(items) == 0 {
		for key, value := range data {
			r.put(key, value)
		}
	}
	for _, item := range items {
		value, exists := data[item.Key]
		if !exists {
			return fmt.Errorf("there is no key %s", item.Key)
		}
		r.put(item.Path, value)
	}
	return nil
}

func (r *volumeReader) fields(items []v1.DownwardAPIVolumeFile) {
	for _, item := range items {
		if item.FieldRef != nil {
			r.put(item.Path, []byte(field(r.pod, item.FieldRef.FieldPath)))
		}
	}
}

// token asks for one that is bound to the pod, as the node may.
func (r *volumeReader) token(source *v1.ServiceAccountTokenProjection) error {
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
		ExpirationSeconds: source.ExpirationSeconds,
		BoundObjectRef: &authenticationv1.BoundObjectReference{
			APIVersion: "v1", Kind: "Pod", Name: r.pod.Name, UID: r.pod.UID},
	}}
	if source.Audience != "" {
		request.Spec.Audiences = []string{source.Audience}
	}
	accounts := r.client.CoreV1().ServiceAccounts(r.pod.Namespace)
	answer, err := accounts.CreateToken(r.ctx, r.pod.Spec.ServiceAccountName, request, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	r.put(source.Path, []byte(answer.Status.Token))
	return nil
}
