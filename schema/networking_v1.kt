# The networking.k8s.io group, v1. docs/design/0020-schema-notation.md tells how to read this.
group networking.k8s.io/v1

# What is served.

kind IngressClass  cluster
  plural       ingressclasses
  stored       /ingressclasses  hash l/iqIbDgFyQ=
  columns      Name:name Controller Parameters Age

kind Ingress  namespaced
  plural       ingresses
  short        ing
  stored       /ingress  hash 39NQlfNR+bo=
  columns      Name:name Class Hosts Address Ports Age
  subresource  status               get patch update

kind IPAddress  cluster
  plural       ipaddresses
  short        ip
  stored       /ipaddresses  hash 3f/plJFChNE=
  columns      Name:name ParentRef

kind NetworkPolicy  namespaced
  plural       networkpolicies
  short        netpol
  stored       /networkpolicies  hash YpfwF18m1G8=
  columns      Name:name Pod-Selector Age

kind ServiceCIDR  cluster
  plural       servicecidrs
  stored       /servicecidrs  hash gNLvruQhW2g=
  columns      Name:name CIDRs Age
  subresource  status               get patch update

# Values that strings are limited to.

enum PathType  Exact ImplementationSpecific Prefix
enum PolicyType  Egress Ingress

# Objects: types with a kind and an apiVersion.

object IPAddress
  1  metadata  ObjectMeta
  2  spec      IPAddressSpec  required  omit-empty

object Ingress
  1  metadata  ObjectMeta
  2  spec      IngressSpec
  3  status    IngressStatus

object IngressClass
  1  metadata  ObjectMeta
  2  spec      IngressClassSpec

object NetworkPolicy
  1  metadata  ObjectMeta
  2  spec      NetworkPolicySpec

object ServiceCIDR
  1  metadata  ObjectMeta
  2  spec      ServiceCIDRSpec
  3  status    ServiceCIDRStatus

# What they are made of.

type HTTPIngressPath
  1  path      string
  3  pathType  PathType?       required
  2  backend   IngressBackend  required

type HTTPIngressRuleValue
  1  paths  [HTTPIngressPath]  required  atomic

type IPAddressSpec
  1  parentRef  ParentReference?  required  omit-empty

type IPBlock
  1  cidr    string    required
  2  except  [string]  atomic

type IngressBackend
  4  service   IngressServiceBackend?
  3  resource  core_v1.TypedLocalObjectReference?

type IngressClassParametersReference
  1  apiGroup   string?
  2  kind       string   required
  3  name       string   required
  4  scope      string?  always
  5  namespace  string?

type IngressClassSpec
  1  controller  string
  2  parameters  IngressClassParametersReference?

type IngressLoadBalancerIngress
  1  ip        string
  2  hostname  string
  4  ports     [IngressPortStatus]  atomic

type IngressLoadBalancerStatus
  1  ingress  [IngressLoadBalancerIngress]  atomic

type IngressPortStatus
  1  port      int32             required
  2  protocol  core_v1.Protocol  required
  3  error     string?

type IngressRule
  1  host    string
  2  inline  IngressRuleValue

type IngressRuleValue
  1  http  HTTPIngressRuleValue?

type IngressServiceBackend
  1  name  string              required
  2  port  ServiceBackendPort

type IngressSpec
  4  ingressClassName  string?
  1  defaultBackend    IngressBackend?
  2  tls               [IngressTLS]     atomic
  3  rules             [IngressRule]    atomic

type IngressStatus
  1  loadBalancer  IngressLoadBalancerStatus

type IngressTLS
  1  hosts       [string]  atomic
  2  secretName  string

type NetworkPolicyEgressRule
  1  ports  [NetworkPolicyPort]  atomic
  2  to     [NetworkPolicyPeer]  atomic

type NetworkPolicyIngressRule
  1  ports  [NetworkPolicyPort]  atomic
  2  from   [NetworkPolicyPeer]  atomic

type NetworkPolicyPeer
  1  podSelector        LabelSelector?
  2  namespaceSelector  LabelSelector?
  3  ipBlock            IPBlock?

type NetworkPolicyPort
  1  protocol  core_v1.Protocol?
  2  port      int-or-string?
  3  endPort   int32?

type NetworkPolicySpec
  1  podSelector  LabelSelector               always
  2  ingress      [NetworkPolicyIngressRule]  atomic
  3  egress       [NetworkPolicyEgressRule]   atomic
  4  policyTypes  [PolicyType]                atomic

type ParentReference
  1  group      string
  2  resource   string  required  omit-empty
  3  namespace  string
  4  name       string  required  omit-empty

type ServiceBackendPort  atomic
  1  name    string
  2  number  int32

type ServiceCIDRSpec
  1  cidrs  [string]  atomic

type ServiceCIDRStatus
  1  conditions  [Condition]  keyed by type  merge
