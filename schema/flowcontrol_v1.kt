# The flowcontrol.apiserver.k8s.io group, v1.
# docs/design/0020-schema-notation.md tells how to read this.
group flowcontrol.apiserver.k8s.io/v1

# What is served.

kind FlowSchema  cluster
  plural       flowschemas
  stored       /flowschemas  hash GJVAJZSZBIw=
  columns      Name:name PriorityLevel MatchingPrecedence DistinguisherMethod Age MissingPL
  subresource  status               get patch update

kind PriorityLevelConfiguration  cluster
  plural       prioritylevelconfigurations
  stored       /prioritylevelconfigurations  hash Kir5PVfvNeI=
  columns      Name:name Type NominalConcurrencyShares Queues HandSize QueueLengthLimit Age
  subresource  status               get patch update

# Objects: types with a kind and an apiVersion.

object FlowSchema
  1  metadata  ObjectMeta
  2  spec      FlowSchemaSpec
  3  status    FlowSchemaStatus

object PriorityLevelConfiguration
  1  metadata  ObjectMeta
  2  spec      PriorityLevelConfigurationSpec
  3  status    PriorityLevelConfigurationStatus

# What they are made of.

type ExemptPriorityLevelConfiguration
  1  nominalConcurrencyShares  int32?
  2  lendablePercent           int32?

type FlowDistinguisherMethod
  1  type  string  required

type FlowSchemaCondition
  1  type                string
  2  status              string
  3  lastTransitionTime  time
  4  reason              string
  5  message             string

type FlowSchemaSpec
  1  priorityLevelConfiguration  PriorityLevelConfigurationReference  required
  2  matchingPrecedence          int32                                always
  3  distinguisherMethod         FlowDistinguisherMethod?
  4  rules                       [PolicyRulesWithSubjects]            atomic

type FlowSchemaStatus
  1  conditions  [FlowSchemaCondition]  keyed by type  merge

type GroupSubject
  1  name  string  required

type LimitResponse
  1  type     string                 required
  2  queuing  QueuingConfiguration?

type LimitedPriorityLevelConfiguration
  1  nominalConcurrencyShares  int32?         always
  2  limitResponse             LimitResponse
  3  lendablePercent           int32?
  4  borrowingLimitPercent     int32?

type NonResourcePolicyRule
  1  verbs            [string]  required  set
  6  nonResourceURLs  [string]  required  set

type PolicyRulesWithSubjects
  1  subjects          [Subject]                required  atomic
  2  resourceRules     [ResourcePolicyRule]     atomic
  3  nonResourceRules  [NonResourcePolicyRule]  atomic

type PriorityLevelConfigurationCondition
  1  type                string
  2  status              string
  3  lastTransitionTime  time
  4  reason              string
  5  message             string

type PriorityLevelConfigurationReference
  1  name  string  required

type PriorityLevelConfigurationSpec
  1  type     string                              required
  2  limited  LimitedPriorityLevelConfiguration?
  3  exempt   ExemptPriorityLevelConfiguration?

type PriorityLevelConfigurationStatus
  1  conditions  [PriorityLevelConfigurationCondition]  keyed by type  merge

type QueuingConfiguration
  1  queues            int32  always
  2  handSize          int32  always
  3  queueLengthLimit  int32  always

type ResourcePolicyRule
  1  verbs         [string]  required  set
  2  apiGroups     [string]  required  set
  3  resources     [string]  required  set
  4  clusterScope  bool
  5  namespaces    [string]  always  set

type ServiceAccountSubject
  1  namespace  string  required
  2  name       string  required

type Subject
  1  kind            string                  required
  2  user            UserSubject?
  3  group           GroupSubject?
  4  serviceAccount  ServiceAccountSubject?

type UserSubject
  1  name  string  required
