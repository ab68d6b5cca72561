// Pins the module whose test suites `make envtest` runs; nothing here is built.
package envtest

import _ "sigs.k8s.io/controller-runtime"
