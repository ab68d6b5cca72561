# The certificates.k8s.io group, v1. docs/design/0020-schema-notation.md tells how to read this.
group certificates.k8s.io/v1

# What is served.

kind CertificateSigningRequest  cluster
  plural       certificatesigningrequests
  short        csr
  stored       /certificatesigningrequests  hash 95fRKMXA+00=
  columns      Name:name Age SignerName Requestor RequestedDuration Condition
  selectable   spec.signerName
  subresource  approval             get patch update
  subresource  status               get patch update

# Values that strings are limited to.

enum KeyUsage
    any "cert sign" "client auth" "code signing" "content commitment" "crl sign"
    "data encipherment" "decipher only" "digital signature" "email protection" "encipher only"
    "ipsec end system" "ipsec tunnel" "ipsec user" "key agreement" "key encipherment"
    "microsoft sgc" "netscape sgc" "ocsp signing" s/mime "server auth" signing timestamping

# Objects: types with a kind and an apiVersion.

object CertificateSigningRequest
  1  metadata  ObjectMeta
  2  spec      CertificateSigningRequestSpec    required
  3  status    CertificateSigningRequestStatus

# What they are made of.

type CertificateSigningRequestCondition
  1  type                string  required
  6  status              string  required
  2  reason              string
  3  message             string
  4  lastUpdateTime      time
  5  lastTransitionTime  time

type CertificateSigningRequestSpec
  1  request            bytes       required
  7  signerName         string      required
  8  expirationSeconds  int32?
  5  usages             [KeyUsage]  atomic
  2  username           string
  3  uid                string
  4  groups             [string]    atomic
  6  extra              {[string]}

type CertificateSigningRequestStatus
  1  conditions   [CertificateSigningRequestCondition]  keyed by type
  2  certificate  bytes
