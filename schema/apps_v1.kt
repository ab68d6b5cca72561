# The apps group, v1. docs/design/0020-schema-notation.md tells how to read this.
group apps/v1

# What is served.

kind ControllerRevision  namespaced
  plural       controllerrevisions
  stored       /controllerrevisions  hash 85nkx63pcBU=
  columns      Name:name Controller Revision Age

kind DaemonSet  namespaced
  plural       daemonsets
  short        ds
  categories   all
  stored       /daemonsets  hash dd7pWHUlMKQ=
  columns      Name:name Desired:integer Current:integer Ready:integer Up-to-date:integer
  columns      Available:integer "Node Selector" Age wide(Containers Images Selector)
  subresource  status               get patch update

kind Deployment  namespaced
  plural       deployments
  short        deploy
  categories   all
  stored       /deployments  hash 8aSe+NMegvE=
  columns      Name:name Ready Up-to-date Available Age wide(Containers Images Selector)
  subresource  scale                get patch update  as autoscaling/v1.Scale
  subresource  status               get patch update

kind ReplicaSet  namespaced
  plural       replicasets
  short        rs
  categories   all
  stored       /replicasets  hash P1RzHs8/mWQ=
  columns      Name:name Desired:integer Current:integer Ready:integer Age
  columns      wide(Containers Images Selector)
  subresource  scale                get patch update  as autoscaling/v1.Scale
  subresource  status               get patch update

kind StatefulSet  namespaced
  plural       statefulsets
  short        sts
  categories   all
  stored       /statefulsets  hash H+vl74LkKdo=
  columns      Name:name Ready Age wide(Containers Images)
  subresource  scale                get patch update  as autoscaling/v1.Scale
  subresource  status               get patch update

# Values that strings are limited to.

enum DaemonSetUpdateStrategyType  OnDelete RollingUpdate
enum DeploymentStrategyType  Recreate RollingUpdate
enum PodManagementPolicyType  OrderedReady Parallel
enum StatefulSetUpdateStrategyType  OnDelete RollingUpdate

# Objects: types with a kind and an apiVersion.

object ControllerRevision
  1  metadata  ObjectMeta
  2  data      raw
  3  revision  int64       required

object DaemonSet
  1  metadata  ObjectMeta
  2  spec      DaemonSetSpec
  3  status    DaemonSetStatus

object Deployment
  1  metadata  ObjectMeta
  2  spec      DeploymentSpec
  3  status    DeploymentStatus

object ReplicaSet
  1  metadata  ObjectMeta
  2  spec      ReplicaSetSpec
  3  status    ReplicaSetStatus

object StatefulSet
  1  metadata  ObjectMeta
  2  spec      StatefulSetSpec
  3  status    StatefulSetStatus

# What they are made of.

type DaemonSetCondition
  1  type                string  required
  2  status              string  required
  3  lastTransitionTime  time
  4  reason              string
  5  message             string

type DaemonSetSpec
  1  selector              LabelSelector?           required
  2  template              core_v1.PodTemplateSpec  required
  3  updateStrategy        DaemonSetUpdateStrategy
  4  minReadySeconds       int32
  6  revisionHistoryLimit  int32?

type DaemonSetStatus
   1  currentNumberScheduled  int32                 required
   2  numberMisscheduled      int32                 required
   3  desiredNumberScheduled  int32                 required
   4  numberReady             int32                 required
   5  observedGeneration      int64
   6  updatedNumberScheduled  int32
   7  numberAvailable         int32
   8  numberUnavailable       int32
   9  collisionCount          int32?
  10  conditions              [DaemonSetCondition]  keyed by type  merge

type DaemonSetUpdateStrategy
  1  type           DaemonSetUpdateStrategyType
  2  rollingUpdate  RollingUpdateDaemonSet?

type DeploymentCondition
  1  type                string  required
  2  status              string  required
  6  lastUpdateTime      time
  7  lastTransitionTime  time
  4  reason              string
  5  message             string

type DeploymentSpec
  1  replicas                 int32?
  2  selector                 LabelSelector?           required
  3  template                 core_v1.PodTemplateSpec  required
  4  strategy                 DeploymentStrategy       retain-keys
  5  minReadySeconds          int32
  6  revisionHistoryLimit     int32?
  7  paused                   bool
  9  progressDeadlineSeconds  int32?

type DeploymentStatus
  1  observedGeneration   int64
  2  replicas             int32
  3  updatedReplicas      int32
  7  readyReplicas        int32
  4  availableReplicas    int32
  5  unavailableReplicas  int32
  9  terminatingReplicas  int32?
  6  conditions           [DeploymentCondition]  keyed by type  merge
  8  collisionCount       int32?

type DeploymentStrategy
  1  type           DeploymentStrategyType
  2  rollingUpdate  RollingUpdateDeployment?

type ReplicaSetCondition
  1  type                string  required
  2  status              string  required
  3  lastTransitionTime  time
  4  reason              string
  5  message             string

type ReplicaSetSpec
  1  replicas         int32?
  4  minReadySeconds  int32
  2  selector         LabelSelector?           required
  3  template         core_v1.PodTemplateSpec

type ReplicaSetStatus
  1  replicas              int32                  required
  2  fullyLabeledReplicas  int32
  4  readyReplicas         int32
  5  availableReplicas     int32
  7  terminatingReplicas   int32?
  3  observedGeneration    int64
  6  conditions            [ReplicaSetCondition]  keyed by type  merge

type RollingUpdateDaemonSet
  1  maxUnavailable  int-or-string?
  2  maxSurge        int-or-string?

type RollingUpdateDeployment
  1  maxUnavailable  int-or-string?
  2  maxSurge        int-or-string?

type RollingUpdateStatefulSetStrategy
  1  partition       int32?
  2  maxUnavailable  int-or-string?

type StatefulSetCondition
  1  type                string  required
  2  status              string  required
  3  lastTransitionTime  time
  4  reason              string
  5  message             string

type StatefulSetOrdinals
  1  start  int32  always

type StatefulSetPersistentVolumeClaimRetentionPolicy
  1  whenDeleted  string
  2  whenScaled   string

type StatefulSetSpec
   1  replicas                              int32?
   2  selector                              LabelSelector?                                    required
   3  template                              core_v1.PodTemplateSpec                           required
   4  volumeClaimTemplates                  [core_v1.PersistentVolumeClaim]                   atomic
   5  serviceName                           string                                            always
   6  podManagementPolicy                   PodManagementPolicyType
   7  updateStrategy                        StatefulSetUpdateStrategy
   8  revisionHistoryLimit                  int32?
   9  minReadySeconds                       int32
  10  persistentVolumeClaimRetentionPolicy  StatefulSetPersistentVolumeClaimRetentionPolicy?
  11  ordinals                              StatefulSetOrdinals?

type StatefulSetStatus
   1  observedGeneration  int64
   2  replicas            int32                   required
   3  readyReplicas       int32
   4  currentReplicas     int32
   5  updatedReplicas     int32
   6  currentRevision     string
   7  updateRevision      string
   9  collisionCount      int32?
  10  conditions          [StatefulSetCondition]  keyed by type  merge
  11  availableReplicas   int32                   always

type StatefulSetUpdateStrategy
  1  type           StatefulSetUpdateStrategyType
  2  rollingUpdate  RollingUpdateStatefulSetStrategy?
