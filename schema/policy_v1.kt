# The policy group, v1. docs/design/0020-schema-notation.md tells how to read this.
group policy/v1

# What is served.

kind PodDisruptionBudget  namespaced
  plural       poddisruptionbudgets
  short        pdb
  stored       /poddisruptionbudgets  hash EVWiDmWqyJw=
  columns      Name:name "Min Available" "Max Unavailable" "Allowed Disruptions":integer Age
  subresource  status               get patch update

# Values that strings are limited to.

enum UnhealthyPodEvictionPolicyType  AlwaysAllow IfHealthyBudget

# Objects: types with a kind and an apiVersion.

object Eviction
  1  metadata       ObjectMeta
  2  deleteOptions  DeleteOptions?

object PodDisruptionBudget
  1  metadata  ObjectMeta
  2  spec      PodDisruptionBudgetSpec
  3  status    PodDisruptionBudgetStatus

# What they are made of.

type PodDisruptionBudgetSpec
  1  minAvailable                int-or-string?
  2  selector                    LabelSelector?
  3  maxUnavailable              int-or-string?
  4  unhealthyPodEvictionPolicy  UnhealthyPodEvictionPolicyType?

type PodDisruptionBudgetStatus
  1  observedGeneration  int64
  2  disruptedPods       {time}
  3  disruptionsAllowed  int32        always
  4  currentHealthy      int32        always
  5  desiredHealthy      int32        always
  6  expectedPods        int32        always
  7  conditions          [Condition]  keyed by type  merge
