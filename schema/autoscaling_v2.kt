# The autoscaling group, v2. docs/design/0020-schema-notation.md tells how to read this.
group autoscaling/v2

# What is served.

kind HorizontalPodAutoscaler  namespaced
  plural       horizontalpodautoscalers
  short        hpa
  categories   all
  stored       /horizontalpodautoscalers  hash qwQve8ut294=
  columns      Name:name Reference Targets MinPods MaxPods Replicas Age
  subresource  status               get patch update

# Objects: types with a kind and an apiVersion.

object HorizontalPodAutoscaler
  1  metadata  ObjectMeta
  2  spec      HorizontalPodAutoscalerSpec    required  omit-empty
  3  status    HorizontalPodAutoscalerStatus

# What they are made of.

type ContainerResourceMetricSource
  1  name       string        required
  2  target     MetricTarget  required
  3  container  string        required

type ContainerResourceMetricStatus
  1  name       string             required
  2  current    MetricValueStatus  required
  3  container  string             required

type CrossVersionObjectReference
  1  kind        string  required
  2  name        string  required
  3  apiVersion  string

type ExternalMetricSource
  1  metric  MetricIdentifier  required
  2  target  MetricTarget      required

type ExternalMetricStatus
  1  metric   MetricIdentifier   required
  2  current  MetricValueStatus  required

type HPAScalingPolicy
  1  type           string  required
  2  value          int32   required
  3  periodSeconds  int32   required

type HPAScalingRules
  3  stabilizationWindowSeconds  int32?
  1  selectPolicy                string?
  2  policies                    [HPAScalingPolicy]  atomic
  4  tolerance                   quantity?

type HorizontalPodAutoscalerBehavior
  1  scaleUp    HPAScalingRules?
  2  scaleDown  HPAScalingRules?

type HorizontalPodAutoscalerCondition
  1  type                string  required
  2  status              string  required
  3  lastTransitionTime  time
  4  reason              string
  5  message             string

type HorizontalPodAutoscalerSpec
  1  scaleTargetRef  CrossVersionObjectReference       required
  2  minReplicas     int32?
  3  maxReplicas     int32                             required
  4  metrics         [MetricSpec]                      atomic
  5  behavior        HorizontalPodAutoscalerBehavior?

type HorizontalPodAutoscalerStatus
  1  observedGeneration  int64?
  2  lastScaleTime       time?
  3  currentReplicas     int32
  4  desiredReplicas     int32                               required
  5  currentMetrics      [MetricStatus]                      always  atomic
  6  conditions          [HorizontalPodAutoscalerCondition]  keyed by type  merge

type MetricIdentifier
  1  name      string          required
  2  selector  LabelSelector?

type MetricSpec
  1  type               string                          required
  2  object             ObjectMetricSource?
  3  pods               PodsMetricSource?
  4  resource           ResourceMetricSource?
  7  containerResource  ContainerResourceMetricSource?
  5  external           ExternalMetricSource?

type MetricStatus
  1  type               string                          required
  2  object             ObjectMetricStatus?
  3  pods               PodsMetricStatus?
  4  resource           ResourceMetricStatus?
  7  containerResource  ContainerResourceMetricStatus?
  5  external           ExternalMetricStatus?

type MetricTarget
  1  type                string     required
  2  value               quantity?
  3  averageValue        quantity?
  4  averageUtilization  int32?

type MetricValueStatus
  1  value               quantity?
  2  averageValue        quantity?
  3  averageUtilization  int32?

type ObjectMetricSource
  1  describedObject  CrossVersionObjectReference  required
  2  target           MetricTarget                 required
  3  metric           MetricIdentifier             required

type ObjectMetricStatus
  1  metric           MetricIdentifier             required
  2  current          MetricValueStatus            required
  3  describedObject  CrossVersionObjectReference  required

type PodsMetricSource
  1  metric  MetricIdentifier  required
  2  target  MetricTarget      required

type PodsMetricStatus
  1  metric   MetricIdentifier   required
  2  current  MetricValueStatus  required

type ResourceMetricSource
  1  name    string        required
  2  target  MetricTarget  required

type ResourceMetricStatus
  1  name     string             required
  2  current  MetricValueStatus  required
