// Command nodesim plays the kubelets of a cluster that has no container runtime.
//
// It registers nodes and keeps them ready, and for every pod bound to one of them writes the
// status a kubelet would: containers start, short programs end, deletions complete. No program
// runs; what a container would do is told from its command (see program.go).
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "",
		"how each node reaches the API server, with its own identity; NODE in it stands for the node's name")
	count := flag.Int("nodes", 3, "nodes to register")
	workers := flag.Int("workers", 2, "pods that each node looks after at the same time")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *kubeconfig, *count, *workers); err != nil {
		klog.ErrorS(err, "Stopped")
		os.Exit(1)
	}
}

func run(ctx context.Context, kubeconfig string, count, workers int) error {
	volumes := &disk{files: files{}}
	kubelets := make([]*kubelet, 0, count)
	for number := 1; number <= count; number++ {
		name := fmt.Sprintf("sim-node-%d", number)
		client, err := connect(strings.ReplaceAll(kubeconfig, "NODE", name))
		if err != nil {
			return err
		}
		machine := newNode(client, name, number)
		if err := machine.register(ctx); err != nil {
			return err
		}
		kubelets = append(kubelets, newKubelet(client, machine, volumes))
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	failures := make(chan error, count)
	var wg sync.WaitGroup
	for _, k := range kubelets {
		wg.Go(func() { k.node.renewLeases(ctx) })
		wg.Go(func() {
			if err := k.run(ctx, workers); err != nil {
				failures <- fmt.Errorf("%s: %w", k.node.name, err)
				stop() // one that fails ends all
			}
		})
	}
	wg.Wait()
	close(failures)
	return <-failures
}

func connect(kubeconfig string) (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = 1000, 1000
	config.UserAgent = "nodesim"
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	return kubernetes.NewForConfig(config)
}
