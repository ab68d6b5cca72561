# The coordination.k8s.io group, v1. docs/design/0020-schema-notation.md tells how to read this.
group coordination.k8s.io/v1

# What is served.

kind Lease  namespaced
  plural       leases
  stored       /leases  hash gqkMMb/YqFM=
  columns      Name:name Holder Age

# Objects: types with a kind and an apiVersion.

object Lease
  1  metadata  ObjectMeta
  2  spec      LeaseSpec

# What they are made of.

type LeaseSpec
  1  holderIdentity        string?
  2  leaseDurationSeconds  int32?
  3  acquireTime           microtime?
  4  renewTime             microtime?
  5  leaseTransitions      int32?
  6  strategy              string?
  7  preferredHolder       string?
