# The autoscaling group, v1. docs/design/0020-schema-notation.md tells how to read this.
group autoscaling/v1

# What is served.

kind HorizontalPodAutoscaler  namespaced
  plural       horizontalpodautoscalers
  short        hpa
  categories   all
  stored       /horizontalpodautoscalers  hash qwQve8ut294=  as autoscaling/v2
  columns      Name:name Reference Targets MinPods MaxPods Replicas Age
  subresource  status               get patch update

# Values that strings are limited to.

enum MetricSourceType  ContainerResource External Object Pods Resource

# Objects: types with a kind and an apiVersion.

object HorizontalPodAutoscaler
  1  metadata  ObjectMeta
  2  spec      HorizontalPodAutoscalerSpec    required  omit-empty
  3  status    HorizontalPodAutoscalerStatus

object Scale
  1  metadata  ObjectMeta
  2  spec      ScaleSpec
  3  status    ScaleStatus

# What they are made of.

type ContainerResourceMetricSource
  1  name                      string     required
  2  targetAverageUtilization  int32?
  3  targetAverageValue        quantity?
  5  container                 string     required

type ContainerResourceMetricStatus
  1  name                       string    required
  2  currentAverageUtilization  int32?
  3  currentAverageValue        quantity  required
  4  container                  string    required

type CrossVersionObjectReference  atomic
  1  kind        string  required
  2  name        string  required
  3  apiVersion  string

type ExternalMetricSource
  1  metricName          string          required
  2  metricSelector      LabelSelector?
  3  targetValue         quantity?
  4  targetAverageValue  quantity?

type ExternalMetricStatus
  1  metricName           string          required
  2  metricSelector       LabelSelector?
  3  currentValue         quantity        required
  4  currentAverageValue  quantity?

type HorizontalPodAutoscalerCondition
  1  type                string  required
  2  status              string  required
  3  lastTransitionTime  time
  4  reason              string
  5  message             string

type HorizontalPodAutoscalerSpec
  1  scaleTargetRef                  CrossVersionObjectReference  required
  2  minReplicas                     int32?
  3  maxReplicas                     int32                        required
  4  targetCPUUtilizationPercentage  int32?

type HorizontalPodAutoscalerStatus
  1  observedGeneration               int64?
  2  lastScaleTime                    time?
  3  currentReplicas                  int32   required
  4  desiredReplicas                  int32   required
  5  currentCPUUtilizationPercentage  int32?

type MetricSpec
  1  type               MetricSourceType                required
  2  object             ObjectMetricSource?
  3  pods               PodsMetricSource?
  4  resource           ResourceMetricSource?
  7  containerResource  ContainerResourceMetricSource?
  5  external           ExternalMetricSource?

type MetricStatus
  1  type               MetricSourceType                required
  2  object             ObjectMetricStatus?
  3  pods               PodsMetricStatus?
  4  resource           ResourceMetricStatus?
  7  containerResource  ContainerResourceMetricStatus?
  5  external           ExternalMetricStatus?

type ObjectMetricSource
  1  target        CrossVersionObjectReference  required
  2  metricName    string                       required
  3  targetValue   quantity                     required
  4  selector      LabelSelector?
  5  averageValue  quantity?

type ObjectMetricStatus
  1  target        CrossVersionObjectReference  required
  2  metricName    string                       required
  3  currentValue  quantity                     required
  4  selector      LabelSelector?
  5  averageValue  quantity?

type PodsMetricSource
  1  metricName          string          required
  2  targetAverageValue  quantity        required
  3  selector            LabelSelector?

type PodsMetricStatus
  1  metricName           string          required
  2  currentAverageValue  quantity        required
  3  selector             LabelSelector?

type ResourceMetricSource
  1  name                      string     required
  2  targetAverageUtilization  int32?
  3  targetAverageValue        quantity?

type ResourceMetricStatus
  1  name                       string    required
  2  currentAverageUtilization  int32?
  3  currentAverageValue        quantity  required

type ScaleSpec
  1  replicas  int32  default 0

type ScaleStatus
  1  replicas  int32   required
  2  selector  string
