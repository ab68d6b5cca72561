# The apiregistration.k8s.io group, v1. docs/design/0020-schema-notation.md tells how to read this.
group apiregistration.k8s.io/v1

# What is served.

kind APIService  cluster
  plural       apiservices
  categories   api-extensions
  stored       /apiregistration.k8s.io/apiservices  hash InPBPD7+PqM=
  columns      Name:name Service Available Age
  subresource  status               get patch update

# Objects: types with a kind and an apiVersion.

object APIService
  1  metadata  ObjectMeta
  2  spec      APIServiceSpec
  3  status    APIServiceStatus

# What they are made of.

type APIServiceCondition
  1  type                string  required
  2  status              string  required
  3  lastTransitionTime  time
  4  reason              string
  5  message             string

type APIServiceSpec
  1  service                ServiceReference?
  2  group                  string
  3  version                string
  4  insecureSkipTLSVerify  bool
  5  caBundle               bytes              atomic
  7  groupPriorityMinimum   int32              required
  8  versionPriority        int32              required

type APIServiceStatus
  1  conditions  [APIServiceCondition]  keyed by type  merge

type ServiceReference
  1  namespace  string
  2  name       string
  3  port       int32?
