# The authorization.k8s.io group, v1. docs/design/0020-schema-notation.md tells how to read this.
group authorization.k8s.io/v1

# What is served.

kind LocalSubjectAccessReview  namespaced
  plural       localsubjectaccessreviews
  verbs        create

kind SelfSubjectAccessReview  cluster
  plural       selfsubjectaccessreviews
  verbs        create

kind SelfSubjectRulesReview  cluster
  plural       selfsubjectrulesreviews
  verbs        create

kind SubjectAccessReview  cluster
  plural       subjectaccessreviews
  verbs        create

# Objects: types with a kind and an apiVersion.

object LocalSubjectAccessReview
  1  metadata  ObjectMeta
  2  spec      SubjectAccessReviewSpec    required
  3  status    SubjectAccessReviewStatus

object SelfSubjectAccessReview
  1  metadata  ObjectMeta
  2  spec      SelfSubjectAccessReviewSpec  required
  3  status    SubjectAccessReviewStatus

object SelfSubjectRulesReview
  1  metadata  ObjectMeta
  2  spec      SelfSubjectRulesReviewSpec  required
  3  status    SubjectRulesReviewStatus

object SubjectAccessReview
  1  metadata  ObjectMeta
  2  spec      SubjectAccessReviewSpec    required
  3  status    SubjectAccessReviewStatus

# What they are made of.

type FieldSelectorAttributes
  1  rawSelector   string
  2  requirements  [FieldSelectorRequirement]  atomic

type LabelSelectorAttributes
  1  rawSelector   string
  2  requirements  [LabelSelectorRequirement]  atomic

type NonResourceAttributes
  1  path  string
  2  verb  string

type NonResourceRule
  1  verbs            [string]  required  atomic
  2  nonResourceURLs  [string]  atomic

type ResourceAttributes
  1  namespace      string
  2  verb           string
  3  group          string
  4  version        string
  5  resource       string
  6  subresource    string
  7  name           string
  8  fieldSelector  FieldSelectorAttributes?
  9  labelSelector  LabelSelectorAttributes?

type ResourceRule
  1  verbs          [string]  required  atomic
  2  apiGroups      [string]  atomic
  3  resources      [string]  atomic
  4  resourceNames  [string]  atomic

type SelfSubjectAccessReviewSpec
  1  resourceAttributes     ResourceAttributes?
  2  nonResourceAttributes  NonResourceAttributes?

type SelfSubjectRulesReviewSpec
  1  namespace  string

type SubjectAccessReviewSpec
  1  resourceAttributes     ResourceAttributes?
  2  nonResourceAttributes  NonResourceAttributes?
  3  user                   string
  4  groups                 [string]                atomic
  5  extra                  {[string]}
  6  uid                    string

type SubjectAccessReviewStatus
  1  allowed          bool    required
  4  denied           bool
  2  reason           string
  3  evaluationError  string

type SubjectRulesReviewStatus
  1  resourceRules     [ResourceRule]     required  atomic
  2  nonResourceRules  [NonResourceRule]  required  atomic
  3  incomplete        bool               required
  4  evaluationError   string
