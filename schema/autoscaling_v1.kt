# Of the autoscaling group, what the scale subresource needs.
group autoscaling/v1

# Objects: types with a kind and an apiVersion.

object Scale
  1  metadata  ObjectMeta
  2  spec      ScaleSpec
  3  status    ScaleStatus

# What they are made of.

type ScaleSpec
  1  replicas  int32  default 0

type ScaleStatus
  1  replicas  int32   required
  2  selector  string
