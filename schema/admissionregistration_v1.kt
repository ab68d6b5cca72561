# The admissionregistration.k8s.io group, v1.
# docs/design/0020-schema-notation.md tells how to read this.
group admissionregistration.k8s.io/v1

# What is served.

kind MutatingAdmissionPolicy  cluster
  plural       mutatingadmissionpolicies
  categories   api-extensions
  stored       /mutatingadmissionpolicies  hash LYmCf+UMVdg=
  columns      Name:name Mutations:integer ParamKind Age

kind MutatingAdmissionPolicyBinding  cluster
  plural       mutatingadmissionpolicybindings
  categories   api-extensions
  stored       /mutatingadmissionpolicybindings  hash 90V5FRZZ3Zg=
  columns      Name:name PolicyName ParamRef Age

kind MutatingWebhookConfiguration  cluster
  plural       mutatingwebhookconfigurations
  categories   api-extensions
  stored       /mutatingwebhookconfigurations  hash Sqi0GUgDaX0=
  columns      Name:name Webhooks:integer Age

kind ValidatingAdmissionPolicy  cluster
  plural       validatingadmissionpolicies
  categories   api-extensions
  stored       /validatingadmissionpolicies  hash 6OxvlMmQ6is=
  columns      Name:name Validations:integer ParamKind Age
  subresource  status               get patch update

kind ValidatingAdmissionPolicyBinding  cluster
  plural       validatingadmissionpolicybindings
  categories   api-extensions
  stored       /validatingadmissionpolicybindings  hash v9715VZqakg=
  columns      Name:name PolicyName ParamRef Age

kind ValidatingWebhookConfiguration  cluster
  plural       validatingwebhookconfigurations
  categories   api-extensions
  stored       /validatingwebhookconfigurations  hash B0wHjQmsGNk=
  columns      Name:name Webhooks:integer Age

# Values that strings are limited to.

enum FailurePolicyType  Fail Ignore
enum MatchPolicyType  Equivalent Exact
enum OperationType  * CONNECT CREATE DELETE UPDATE
enum PatchType  ApplyConfiguration JSONPatch
enum ReinvocationPolicyType  IfNeeded Never
enum ScopeType  * Cluster Namespaced
enum SideEffectClass  None NoneOnDryRun Some Unknown
enum ValidationAction  Audit Deny Warn

# Objects: types with a kind and an apiVersion.

object MutatingAdmissionPolicy
  1  metadata  ObjectMeta
  2  spec      MutatingAdmissionPolicySpec

object MutatingAdmissionPolicyBinding
  1  metadata  ObjectMeta
  2  spec      MutatingAdmissionPolicyBindingSpec

object MutatingWebhookConfiguration
  1  metadata  ObjectMeta
  2  webhooks  [MutatingWebhook]  keyed by name  merge

object ValidatingAdmissionPolicy
  1  metadata  ObjectMeta
  2  spec      ValidatingAdmissionPolicySpec
  3  status    ValidatingAdmissionPolicyStatus

object ValidatingAdmissionPolicyBinding
  1  metadata  ObjectMeta
  2  spec      ValidatingAdmissionPolicyBindingSpec  required  omit-empty

object ValidatingWebhookConfiguration
  1  metadata  ObjectMeta
  2  webhooks  [ValidatingWebhook]  keyed by name  merge

# What they are made of.

type ApplyConfiguration
  1  expression  string

type AuditAnnotation
  1  key              string  required
  2  valueExpression  string  required

type ExpressionWarning
  2  fieldRef  string  required
  3  warning   string  required

type JSONPatch
  1  expression  string

type MatchCondition
  1  name        string  required
  2  expression  string  required

type MatchResources  atomic
  1  namespaceSelector     LabelSelector?
  2  objectSelector        LabelSelector?
  3  resourceRules         [NamedRuleWithOperations]  atomic
  4  excludeResourceRules  [NamedRuleWithOperations]  atomic
  7  matchPolicy           MatchPolicyType?

type MutatingAdmissionPolicyBindingSpec
  1  policyName      string
  2  paramRef        ParamRef?
  3  matchResources  MatchResources?

type MutatingAdmissionPolicySpec
  1  paramKind           ParamKind?
  2  matchConstraints    MatchResources?
  3  variables           [Variable]              atomic
  4  mutations           [Mutation]              atomic
  5  failurePolicy       FailurePolicyType?
  6  matchConditions     [MatchCondition]        keyed by name  merge
  7  reinvocationPolicy  ReinvocationPolicyType

type MutatingWebhook
   1  name                     string                   required
   2  clientConfig             WebhookClientConfig      required
   3  rules                    [RuleWithOperations]     atomic
   4  failurePolicy            FailurePolicyType?
   9  matchPolicy              MatchPolicyType?
   5  namespaceSelector        LabelSelector?
  11  objectSelector           LabelSelector?
   6  sideEffects              SideEffectClass?         required
   7  timeoutSeconds           int32?
   8  admissionReviewVersions  [string]                 required  atomic
  10  reinvocationPolicy       ReinvocationPolicyType?
  12  matchConditions          [MatchCondition]         keyed by name  merge

type Mutation
  2  patchType           PatchType            required
  3  applyConfiguration  ApplyConfiguration?
  4  jsonPatch           JSONPatch?

type NamedRuleWithOperations  atomic
  1  resourceNames  [string]            atomic
  2  inline         RuleWithOperations

type ParamKind  atomic
  1  apiVersion  string
  2  kind        string

type ParamRef  atomic
  1  name                     string
  2  namespace                string
  3  selector                 LabelSelector?
  4  parameterNotFoundAction  string?

type Rule
  1  apiGroups    [string]    atomic
  2  apiVersions  [string]    atomic
  3  resources    [string]    atomic
  4  scope        ScopeType?

type RuleWithOperations
  1  operations  [OperationType]  atomic
  2  inline      Rule

type ServiceReference
  1  namespace  string   required
  2  name       string   required
  3  path       string?
  4  port       int32?

type TypeChecking
  1  expressionWarnings  [ExpressionWarning]  atomic

type ValidatingAdmissionPolicyBindingSpec
  1  policyName         string              required  omit-empty
  2  paramRef           ParamRef?
  3  matchResources     MatchResources?
  4  validationActions  [ValidationAction]  required  omit-empty  set

type ValidatingAdmissionPolicySpec
  1  paramKind         ParamKind?
  2  matchConstraints  MatchResources?
  3  validations       [Validation]        atomic
  4  failurePolicy     FailurePolicyType?
  5  auditAnnotations  [AuditAnnotation]   atomic
  6  matchConditions   [MatchCondition]    keyed by name  merge
  7  variables         [Variable]          keyed by name  merge

type ValidatingAdmissionPolicyStatus
  1  observedGeneration  int64
  2  typeChecking        TypeChecking?
  3  conditions          [Condition]    keyed by type

type ValidatingWebhook
   1  name                     string                required
   2  clientConfig             WebhookClientConfig   required
   3  rules                    [RuleWithOperations]  atomic
   4  failurePolicy            FailurePolicyType?
   9  matchPolicy              MatchPolicyType?
   5  namespaceSelector        LabelSelector?
  10  objectSelector           LabelSelector?
   6  sideEffects              SideEffectClass?      required
   7  timeoutSeconds           int32?
   8  admissionReviewVersions  [string]              required  atomic
  11  matchConditions          [MatchCondition]      keyed by name  merge

type Validation
  1  expression         string   required
  2  message            string
  3  reason             string?
  4  messageExpression  string

type Variable  atomic
  1  name        string  required
  2  expression  string  required

type WebhookClientConfig
  3  url       string?
  1  service   ServiceReference?
  2  caBundle  bytes
