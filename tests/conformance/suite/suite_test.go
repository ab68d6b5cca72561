package suite

import (
	"flag"
	"os"
	"reflect"
	"regexp"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	conformancetestdata "k8s.io/kubernetes/test/conformance/testdata"
	"k8s.io/kubernetes/test/e2e"
	"k8s.io/kubernetes/test/e2e/framework"
	"k8s.io/kubernetes/test/e2e/framework/config"
	"k8s.io/kubernetes/test/e2e/framework/testfiles"
	e2etestingmanifests "k8s.io/kubernetes/test/e2e/testing-manifests"
	testfixtures "k8s.io/kubernetes/test/fixtures"

	_ "k8s.io/kubernetes/test/e2e/apimachinery"
	_ "k8s.io/kubernetes/test/e2e/apps"
	_ "k8s.io/kubernetes/test/e2e/architecture"
	_ "k8s.io/kubernetes/test/e2e/auth"
	_ "k8s.io/kubernetes/test/e2e/common"
	_ "k8s.io/kubernetes/test/e2e/dra"
	_ "k8s.io/kubernetes/test/e2e/feature"
	_ "k8s.io/kubernetes/test/e2e/framework/debug/init"
	_ "k8s.io/kubernetes/test/e2e/framework/metrics/init"
	_ "k8s.io/kubernetes/test/e2e/framework/node/init"
	_ "k8s.io/kubernetes/test/e2e/instrumentation"
	_ "k8s.io/kubernetes/test/e2e/kubectl"
	_ "k8s.io/kubernetes/test/e2e/lifecycle"
	_ "k8s.io/kubernetes/test/e2e/network"
	_ "k8s.io/kubernetes/test/e2e/node"
	_ "k8s.io/kubernetes/test/e2e/scheduling"
	_ "k8s.io/kubernetes/test/e2e/storage"
	_ "k8s.io/kubernetes/test/utils/format"
)

func TestMain(m *testing.M) {
	config.CopyFlags(config.Flags, flag.CommandLine)
	framework.RegisterCommonFlags(flag.CommandLine)
	framework.RegisterClusterFlags(flag.CommandLine)
	limit := flag.Duration("spec-timeout", 3*time.Minute, "time one spec may take")
	slowLimit := flag.Duration("slow-spec-timeout", 8*time.Minute, "time a slow spec may take")
	slow := flag.String("slow-specs", "^$", "regular expression of specs that are slow without being marked so")
	flag.Parse()

	testfiles.AddFileSource(e2etestingmanifests.GetE2ETestingManifestsFS())
	testfiles.AddFileSource(testfixtures.GetTestFixturesFS())
	testfiles.AddFileSource(conformancetestdata.GetConformanceTestdataFS())
	framework.AfterReadingAllFlags(&framework.TestContext)
	ginkgo.AddTreeConstructionNodeArgsTransformer(limiter(*limit, *slowLimit, regexp.MustCompile(*slow)))
	os.Exit(m.Run())
}

func TestE2E(t *testing.T) { e2e.RunE2ETests(t) }

// limiter gives every spec that can be interrupted, which is one that takes a context, a timeout.
func limiter(limit, slowLimit time.Duration, slow *regexp.Regexp) ginkgo.NodeArgsTransformer {
	return func(kind types.NodeType, _ ginkgo.Offset, text string, args []any) (string, []any, []error) {
		if kind != types.NodeTypeIt {
			return text, args, nil
		}
		for _, arg := range args {
			if f := reflect.TypeOf(arg); f != nil && f.Kind() == reflect.Func && f.NumIn() == 1 {
				timeout := limit
				if isSlow(text, args, slow) {
					timeout = slowLimit
				}
				return text, append(args, ginkgo.SpecTimeout(timeout)), nil
			}
		}
		return text, args, nil
	}
}

// isSlow looks for the decorator and the text, which are made into labels and the spec's text only after this.
func isSlow(text string, args []any, slow *regexp.Regexp) bool {
	for _, arg := range append(args, text) {
		if s, ok := arg.(string); ok && slow.MatchString(s) || reflect.DeepEqual(arg, framework.WithSlow()) {
			return true
		}
	}
	return false
}
