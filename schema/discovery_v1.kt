# The discovery.k8s.io group, v1. docs/design/0020-schema-notation.md tells how to read this.
group discovery.k8s.io/v1

# What is served.

kind EndpointSlice  namespaced
  plural       endpointslices
  stored       /endpointslices  hash qgS0xkrxYAI=
  columns      Name:name AddressType Ports Endpoints Age

# Values that strings are limited to.

enum AddressType  FQDN IPv4 IPv6

# Objects: types with a kind and an apiVersion.

object EndpointSlice
  1  metadata     ObjectMeta
  4  addressType  AddressType     required
  2  endpoints    [Endpoint]      always  atomic
  3  ports        [EndpointPort]  always  atomic

# What they are made of.

type Endpoint
  1  addresses           [string]                  required  set
  2  conditions          EndpointConditions
  3  hostname            string?
  4  targetRef           core_v1.ObjectReference?
  5  deprecatedTopology  {string}
  6  nodeName            string?
  7  zone                string?
  8  hints               EndpointHints?

type EndpointConditions
  1  ready        bool?
  2  serving      bool?
  3  terminating  bool?

type EndpointHints
  1  forZones  [ForZone]  atomic
  2  forNodes  [ForNode]  atomic

type EndpointPort  atomic
  1  name         string?
  2  protocol     core_v1.Protocol?
  3  port         int32?
  4  appProtocol  string?

type ForNode
  1  name  string  required

type ForZone
  1  name  string  required
