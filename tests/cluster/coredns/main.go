// Command coredns is CoreDNS with the plugins that a cluster's Corefile names, and no others.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"

	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/health"
	_ "github.com/coredns/coredns/plugin/hosts"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/loadbalance"
	_ "github.com/coredns/coredns/plugin/log"
	_ "github.com/coredns/coredns/plugin/ready"
	_ "github.com/coredns/coredns/plugin/template"
	_ "github.com/coredns/coredns/plugin/whoami"
)

// The order in which plugins are asked. What kubernetes does not know falls through to template, which says so.
func init() {
	dnsserver.Directives = []string{
		"bind", "health", "ready", "errors", "log", "cache", "loadbalance", "hosts", "kubernetes", "template", "whoami",
	}
}

func main() { coremain.Run() }
