package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

// disk is what the simulated volumes hold. All nodes see the same ones.
type disk struct {
	mu    sync.Mutex
	files files
}

// kubelet looks after the pods of one node: one informer, one queue, and nothing that runs while
// nothing happens.
type kubelet struct {
	client kubernetes.Interface
	node   *node
	disk   *disk
	host   *host // nil: every container is simulated
	pods   cache.SharedIndexInformer
	queue  workqueue.TypedRateLimitingInterface[string]

	mu     sync.Mutex
	runs   map[types.UID]*podRun
	serial uint32
}

func newKubelet(client kubernetes.Interface, n *node, volumes *disk, h *host) *kubelet {
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0,
		informers.WithTweakListOptions(func(o *metav1.ListOptions) { o.FieldSelector = "spec.nodeName=" + n.name }))
	return &kubelet{
		client: client,
		node:   n,
		disk:   volumes,
		host:   h,
		pods:   factory.Core().V1().Pods().Informer(),
		queue: workqueue.NewTypedRateLimitingQueue(
			workqueue.NewTypedItemExponentialFailureRateLimiter[string](20*time.Millisecond, 5*time.Second)),
		runs: map[types.UID]*podRun{},
	}
}

func (k *kubelet) run(ctx context.Context, workers int) error {
	enqueue := func(object any) {
		if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object); err == nil {
			k.queue.Add(key)
		}
	}
	_, err := k.pods.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    enqueue,
		UpdateFunc: func(_, object any) { enqueue(object) },
		DeleteFunc: k.forget,
	})
	if err != nil {
		return err
	}
	go k.pods.RunWithContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), k.pods.HasSynced) {
		return nil // told to stop
	}
	klog.InfoS("Looking after pods", "node", k.node.name)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for k.next(ctx) {
			}
		})
	}
	<-ctx.Done()
	k.queue.ShutDown()
	wg.Wait()
	for _, run := range k.runs { // no worker is left that could add one
		run.sandbox.close()
	}
	return nil
}

func (k *kubelet) forget(object any) {
	if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = gone.Obj
	}
	if pod, ok := object.(*v1.Pod); ok {
		k.mu.Lock()
		run := k.runs[pod.UID]
		delete(k.runs, pod.UID)
		k.mu.Unlock()
		if run != nil && run.sandbox != nil { // it was deleted without grace
			go run.sandbox.close()
		}
	}
}

func (k *kubelet) next(ctx context.Context) bool {
	key, shutdown := k.queue.Get()
	if shutdown {
		return false
	}
	defer k.queue.Done(key)
	due, err := k.sync(ctx, key)
	switch {
	case err != nil && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err):
		klog.ErrorS(err, "Not written", "pod", key)
		k.queue.AddRateLimited(key)
	case err != nil: // the cache is behind; its event, or a short wait, brings us here again
		k.queue.AddRateLimited(key)
	default:
		k.queue.Forget(key)
		if !due.IsZero() {
			k.queue.AddAfter(key, time.Until(due))
		}
	}
	return true
}

// sync brings one pod's status up to date and completes its deletion.
func (k *kubelet) sync(ctx context.Context, key string) (time.Time, error) {
	object, exists, err := k.pods.GetStore().GetByKey(key)
	if err != nil || !exists {
		return time.Time{}, err
	}
	pod := object.(*v1.Pod)
	now := time.Now()
	run := k.runOf(pod, key, now)
	// A phase that is final was written by us or by someone who knows better, such as an eviction.
	ended := pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
	var due dueTime
	if !ended {
		if due.at, err = k.write(ctx, pod, run, now); err != nil {
			return time.Time{}, err
		}
	}
	if pod.DeletionTimestamp != nil && (ended || run.stopped) && !run.deleted {
		return due.at, k.finishDeletion(ctx, pod, run)
	}
	return due.at, nil
}

func (k *kubelet) runOf(pod *v1.Pod, key string, now time.Time) *podRun {
	k.mu.Lock()
	defer k.mu.Unlock()
	run := k.runs[pod.UID]
	if run == nil {
		k.nextAddress()
		var box *sandbox
		if k.host != nil && k.host.plays(pod) {
			box = newSandbox(k.host, fmt.Sprintf("pod-%d-%d", k.node.number, k.serial), k.node.podIP(k.serial),
				func() { k.queue.Add(key) })
		}
		run = newPodRun(k.serial, box, now)
		k.runs[pod.UID] = run
	}
	return run
}

// nextAddress moves the serial on to one whose address no pod has, if there is one.
func (k *kubelet) nextAddress() {
	taken := map[string]bool{}
	for _, run := range k.runs {
		taken[k.node.podIP(run.serial)] = true
	}
	for range addresses {
		k.serial++
		if !taken[k.node.podIP(k.serial)] {
			return
		}
	}
}

// write sends the status when ours changed. What others did to it in between stands: a kubelet
// does not fight over a status it has not changed either.
func (k *kubelet) write(ctx context.Context, pod *v1.Pod, run *podRun, now time.Time) (time.Time, error) {
	hostIP := k.node.hostIP()
	podIP := hostIP
	if !pod.Spec.HostNetwork {
		podIP = k.node.podIP(run.serial)
	}
	if run.sandbox != nil && !run.stopped && pod.DeletionTimestamp == nil {
		if err := run.sandbox.open(ctx, k.client, pod); err != nil {
			return time.Time{}, err
		}
	}
	k.disk.mu.Lock()
	due := dueTime{at: run.advance(pod, k.disk.files, now)}
	k.disk.mu.Unlock()
	if run.stopped {
		run.sandbox.close()
	}
	status := run.status(pod, hostIP, podIP, now, &due)
	if run.written != nil && run.observed == pod.Generation && sameStatus(run.written, status) {
		return due.at, nil
	}
	update := pod.DeepCopy()
	update.Status = *status
	if _, err := k.client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, update, metav1.UpdateOptions{}); err != nil {
		return time.Time{}, err
	}
	run.written, run.observed = status, pod.Generation
	return due.at, nil
}

// sameStatus compares what is ours to write.
func sameStatus(a, b *v1.PodStatus) bool {
	return a.Phase == b.Phase && a.PodIP == b.PodIP &&
		equality.Semantic.DeepEqual(a.ContainerStatuses, b.ContainerStatuses) &&
		equality.Semantic.DeepEqual(a.InitContainerStatuses, b.InitContainerStatuses) &&
		equality.Semantic.DeepEqual(a.EphemeralContainerStatuses, b.EphemeralContainerStatuses) &&
		readiness(a) == readiness(b)
}

func readiness(s *v1.PodStatus) string {
	for _, c := range s.Conditions {
		if c.Type == v1.PodReady {
			return string(c.Status) + c.Message
		}
	}
	return ""
}

func (k *kubelet) finishDeletion(ctx context.Context, pod *v1.Pod, run *podRun) error {
	now := int64(0)
	err := k.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{
		GracePeriodSeconds: &now, Preconditions: metav1.NewUIDPreconditions(string(pod.UID))})
	if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		run.deleted = true
		return nil
	}
	return err
}
