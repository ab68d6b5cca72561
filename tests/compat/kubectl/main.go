// The whole of kubectl, from the module k8s.io/kubectl of any release since 1.20. lib/kubectls.py compiles it in a copy
// of that module, with the dependencies that the module's own go.mod pins.
package main

import (
	"os"

	"k8s.io/kubectl/pkg/cmd"
)

func main() {
	if err := cmd.NewDefaultKubectlCommand().Execute(); err != nil {
		os.Exit(1)
	}
}
