package main

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
)

const (
	kubeletVersion = "v1.36.4"
	leaseSeconds   = 40
	leaseRenewal   = 10 * time.Second
)

// node is a simulated machine. Immutable once made.
type node struct {
	client kubernetes.Interface // proves to be this node
	name   string
	number int // its addresses follow from it
}

// addresses is how many pods of a node can have an address at the same time.
const addresses = 250

func newNode(client kubernetes.Interface, name string, number int) *node {
	return &node{client: client, name: name, number: number}
}

func (n *node) hostIP() string { return fmt.Sprintf("10.250.0.%d", n.number) }

func (n *node) podIP(serial uint32) string {
	return fmt.Sprintf("10.244.%d.%d", n.number, 2+serial%addresses)
}

func (n *node) register(ctx context.Context) error {
	want := n.object()
	created, err := n.client.CoreV1().Nodes().Create(ctx, want, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		created, err = n.client.CoreV1().Nodes().Get(ctx, n.name, metav1.GetOptions{})
	}
	if err != nil {
		return fmt.Errorf("register %s: %w", n.name, err)
	}
	created.Status = want.Status
	if _, err := n.client.CoreV1().Nodes().UpdateStatus(ctx, created, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("status of %s: %w", n.name, err)
	}
	if err := n.renewLease(ctx, created.UID); err != nil { // tried again with every renewal
		klog.ErrorS(err, "No lease", "node", n.name)
	}
	klog.InfoS("Registered", "node", n.name)
	return nil
}

func (n *node) object() *v1.Node {
	capacity := v1.ResourceList{
		v1.ResourceCPU:              resource.MustParse("16"),
		v1.ResourceMemory:           resource.MustParse("32Gi"),
		v1.ResourceEphemeralStorage: resource.MustParse("200Gi"),
		v1.ResourcePods:             resource.MustParse("110"),
	}
	cidr := fmt.Sprintf("10.244.%d.0/24", n.number)
	now := metav1.Now()
	condition := func(kind v1.NodeConditionType, status v1.ConditionStatus, reason string) v1.NodeCondition {
		return v1.NodeCondition{Type: kind, Status: status, Reason: reason, Message: "simulated",
			LastHeartbeatTime: now, LastTransitionTime: now}
	}
	return &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: n.name, Labels: map[string]string{
			v1.LabelHostname: n.name, v1.LabelOSStable: "linux", v1.LabelArchStable: "amd64",
		}},
		Spec: v1.NodeSpec{PodCIDR: cidr, PodCIDRs: []string{cidr}},
		Status: v1.NodeStatus{
			Capacity:    capacity,
			Allocatable: capacity,
			Conditions: []v1.NodeCondition{
				condition(v1.NodeMemoryPressure, v1.ConditionFalse, "KubeletHasSufficientMemory"),
				condition(v1.NodeDiskPressure, v1.ConditionFalse, "KubeletHasNoDiskPressure"),
				condition(v1.NodePIDPressure, v1.ConditionFalse, "KubeletHasSufficientPID"),
				condition(v1.NodeReady, v1.ConditionTrue, "KubeletReady"),
			},
			Addresses: []v1.NodeAddress{
				{Type: v1.NodeInternalIP, Address: n.hostIP()},
				{Type: v1.NodeHostName, Address: n.name},
			},
			DaemonEndpoints: v1.NodeDaemonEndpoints{KubeletEndpoint: v1.DaemonEndpoint{Port: 10250}},
			NodeInfo: v1.NodeSystemInfo{
				MachineID: n.name, SystemUUID: n.name, BootID: n.name,
				KernelVersion: "6.1.0", OSImage: "simulated", OperatingSystem: "linux", Architecture: "amd64",
				ContainerRuntimeVersion: "nodesim://1.0", KubeletVersion: kubeletVersion,
			},
		},
	}
}

// renewLeases keeps the node alive in the eyes of the node lifecycle controller.
func (n *node) renewLeases(ctx context.Context) {
	ticker := time.NewTicker(leaseRenewal)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := n.renewLease(ctx, ""); err != nil {
			klog.ErrorS(err, "Lease not renewed", "node", n.name)
		}
	}
}

// renewLease makes the lease where it is missing; only then the node's uid matters.
func (n *node) renewLease(ctx context.Context, uid types.UID) error {
	leases := n.client.CoordinationV1().Leases(v1.NamespaceNodeLease)
	now := metav1.NowMicro()
	lease, err := leases.Get(ctx, n.name, metav1.GetOptions{})
	if err == nil {
		lease.Spec.RenewTime = &now
		_, err = leases.Update(ctx, lease, metav1.UpdateOptions{})
		return err
	}
	if !apierrors.IsNotFound(err) {
		return err
	}
	seconds := int32(leaseSeconds)
	lease = &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: n.name, Namespace: v1.NamespaceNodeLease},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: &n.name, LeaseDurationSeconds: &seconds, RenewTime: &now,
		},
	}
	if uid != "" {
		lease.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: n.name, UID: uid}}
	}
	_, err = leases.Create(ctx, lease, metav1.CreateOptions{})
	return err
}
