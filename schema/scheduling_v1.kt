# The scheduling.k8s.io group, v1. docs/design/0020-schema-notation.md tells how to read this.
group scheduling.k8s.io/v1

# What is served.

kind PriorityClass  cluster
  plural       priorityclasses
  short        pc
  stored       /priorityclasses  hash 1QwjyaZjj3Y=
  columns      Name:name Value:integer Global-Default:boolean Age PreemptionPolicy

# Objects: types with a kind and an apiVersion.

object PriorityClass
  1  metadata          ObjectMeta
  2  value             int32                      always
  3  globalDefault     bool
  4  description       string
  5  preemptionPolicy  core_v1.PreemptionPolicy?
