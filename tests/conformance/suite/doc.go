// Package suite is upstream's end-to-end suite with a limit on the time of one spec.
package suite
