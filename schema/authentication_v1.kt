# The authentication.k8s.io group, v1. docs/design/0020-schema-notation.md tells how to read this.
group authentication.k8s.io/v1

# What is served.

kind SelfSubjectReview  cluster
  plural       selfsubjectreviews
  verbs        create

kind TokenReview  cluster
  plural       tokenreviews
  verbs        create

# Objects: types with a kind and an apiVersion.

object SelfSubjectReview
  1  metadata  ObjectMeta
  2  status    SelfSubjectReviewStatus

object TokenRequest
  1  metadata  ObjectMeta
  2  spec      TokenRequestSpec    always
  3  status    TokenRequestStatus

object TokenReview
  1  metadata  ObjectMeta
  2  spec      TokenReviewSpec    required
  3  status    TokenReviewStatus

# What they are made of.

type BoundObjectReference
  1  kind        string
  2  apiVersion  string
  3  name        string
  4  uid         string

type SelfSubjectReviewStatus
  1  userInfo  UserInfo

type TokenRequestSpec
  1  audiences          [string]               always  atomic
  4  expirationSeconds  int64?                 always
  3  boundObjectRef     BoundObjectReference?  always

type TokenRequestStatus
  1  token                string  always
  2  expirationTimestamp  time    always

type TokenReviewSpec
  1  token      string    required  omit-empty
  2  audiences  [string]  atomic

type TokenReviewStatus
  1  authenticated  bool
  2  user           UserInfo
  4  audiences      [string]  atomic
  3  error          string

type UserInfo
  1  username  string
  2  uid       string
  3  groups    [string]    atomic
  4  extra     {[string]}
