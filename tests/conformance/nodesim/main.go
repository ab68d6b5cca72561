// Command nodesim plays the kubelets of a cluster that has no container runtime.
//
// It registers nodes and keeps them ready, and for every pod bound to one of them writes the
// status a kubelet would: containers start, short programs end, deletions complete. No program
// runs; what a container would do is told from its command (see program.go).
package main

import (
	"context"
	"flag"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "how to reach the API server")
	count := flag.Int("nodes", 3, "nodes to register")
	workers := flag.Int("workers", 4, "pods looked after at the same time")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *kubeconfig, *count, *workers); err != nil {
		klog.ErrorS(err, "Stopped")
		os.Exit(1)
	}
}

func run(ctx context.Context, kubeconfig string, count, workers int) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 1000, 1000
	config.UserAgent = "nodesim"
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	nodes := newNodes(client, count)
	if err := nodes.register(ctx); err != nil {
		return err
	}
	go nodes.renewLeases(ctx)
	return newKubelet(client, nodes).run(ctx, workers)
}
