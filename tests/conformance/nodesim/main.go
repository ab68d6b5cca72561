// Command nodesim plays the kubelets of a cluster that has no container runtime.
//
// It registers nodes and keeps them ready, and for every pod bound to one of them writes the
// status a kubelet would: containers start, short programs end, deletions complete. What a
// container would do is told from its command (see program.go). With --programs, those that others
// talk to, webhooks and API servers, run as processes with an address of their own (see host.go).
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
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

type options struct {
	kubeconfig string
	nodes      int
	workers    int
	programs   string
	pods       string
	bridge     string
}

func main() {
	var o options
	flag.StringVar(&o.kubeconfig, "kubeconfig", "",
		"how each node reaches the API server, with its own identity; NODE in it stands for the node's name")
	flag.IntVar(&o.nodes, "nodes", 3, "nodes to register")
	flag.IntVar(&o.workers, "workers", 2, "pods that each node looks after at the same time")
	flag.StringVar(&o.programs, "programs", "",
		"folder of the binaries that stand for images: their containers run instead of being simulated")
	flag.StringVar(&o.pods, "pods", "", "folder for what the containers that run see and write; needed with --programs")
	flag.StringVar(&o.bridge, "bridge", "pods",
		"the bridge that joins the networks of the pods that run; its address is "+podGateway)
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, &o); err != nil {
		klog.ErrorS(err, "Stopped")
		os.Exit(1)
	}
}

func run(ctx context.Context, o *options) error {
	volumes := &disk{files: files{}}
	kubelets := make([]*kubelet, 0, o.nodes)
	for number := 1; number <= o.nodes; number++ {
		name := fmt.Sprintf("sim-node-%d", number)
		config, err := connection(strings.ReplaceAll(o.kubeconfig, "NODE", name))
		if err != nil {
			return err
		}
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			return err
		}
		machine := newNode(client, name, number)
		if err := machine.register(ctx); err != nil {
			return err
		}
		var runtime *host
		if o.programs != "" {
			if runtime, err = newHost(o.programs, o.pods, o.bridge, config.Host); err != nil {
				return err
			}
		}
		kubelets = append(kubelets, newKubelet(client, machine, volumes, runtime))
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	failures := make(chan error, o.nodes)
	var wg sync.WaitGroup
	for _, k := range kubelets {
		wg.Go(func() { k.node.renewLeases(ctx) })
		wg.Go(func() {
			if err := k.run(ctx, o.workers); err != nil {
				failures <- fmt.Errorf("%s: %w", k.node.name, err)
				stop() // one that fails ends all
			}
		})
	}
	wg.Wait()
	close(failures)
	return <-failures
}

func connection(kubeconfig string) (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = 1000, 1000
	config.UserAgent = "nodesim"
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	return config, nil
}
