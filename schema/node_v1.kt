# The node.k8s.io group, v1. docs/design/0020-schema-notation.md tells how to read this.
group node.k8s.io/v1

# What is served.

kind RuntimeClass  cluster
  plural       runtimeclasses
  stored       /runtimeclasses  hash WQTu1GL3T2Q=
  columns      Name:name Handler Age

# Objects: types with a kind and an apiVersion.

object RuntimeClass
  1  metadata    ObjectMeta
  2  handler     string       required
  3  overhead    Overhead?
  4  scheduling  Scheduling?

# What they are made of.

type Overhead
  1  podFixed  {quantity}

type Scheduling
  1  nodeSelector  {string}              atomic
  2  tolerations   [core_v1.Toleration]  atomic
