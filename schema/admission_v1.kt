# The admission.k8s.io group, v1. docs/design/0020-schema-notation.md tells how to read this.
group admission.k8s.io/v1

# Objects: types with a kind and an apiVersion.

object AdmissionReview
  1  request   AdmissionRequest?
  2  response  AdmissionResponse?

# What they are made of.

type AdmissionRequest
   1  uid                 string                      always
   2  kind                GroupVersionKind            always
   3  resource            GroupVersionResource        always
   4  subResource         string
  13  requestKind         GroupVersionKind?
  14  requestResource     GroupVersionResource?
  15  requestSubResource  string
   5  name                string
   6  namespace           string
   7  operation           string                      always
   8  userInfo            authentication_v1.UserInfo  always
   9  object              raw
  10  oldObject           raw
  11  dryRun              bool?
  12  options             raw

type AdmissionResponse
  1  uid               string    always
  2  allowed           bool      always
  3  status            Status?
  4  patch             bytes
  5  patchType         string?
  6  auditAnnotations  {string}
  7  warnings          [string]
