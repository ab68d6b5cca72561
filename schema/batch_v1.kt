# The batch group, v1. docs/design/0020-schema-notation.md tells how to read this.
group batch/v1

# What is served.

kind CronJob  namespaced
  plural       cronjobs
  short        cj
  categories   all
  stored       /cronjobs  hash sd5LIXh4Fjs=
  columns      Name:name Schedule Timezone Suspend:boolean Active:integer "Last Schedule" Age
  columns      wide(Containers Images Selector)
  subresource  status               get patch update

kind Job  namespaced
  plural       jobs
  categories   all
  stored       /jobs  hash mudhfqk/qZY=
  columns      Name:name Status Completions Duration Age wide(Containers Images Selector)
  selectable   status.successful
  subresource  status               get patch update

# Values that strings are limited to.

enum CompletionMode  Indexed NonIndexed
enum ConcurrencyPolicy  Allow Forbid Replace
enum PodFailurePolicyAction  Count FailIndex FailJob Ignore
enum PodFailurePolicyOnExitCodesOperator  In NotIn
enum PodReplacementPolicy  Failed TerminatingOrFailed

# Objects: types with a kind and an apiVersion.

object CronJob
  1  metadata  ObjectMeta
  2  spec      CronJobSpec    required  omit-empty
  3  status    CronJobStatus

object Job
  1  metadata  ObjectMeta
  2  spec      JobSpec
  3  status    JobStatus

# What they are made of.

type CronJobSpec
  1  schedule                    string             required
  8  timeZone                    string?
  2  startingDeadlineSeconds     int64?
  3  concurrencyPolicy           ConcurrencyPolicy
  4  suspend                     bool?
  5  jobTemplate                 JobTemplateSpec    required
  6  successfulJobsHistoryLimit  int32?
  7  failedJobsHistoryLimit      int32?

type CronJobStatus
  1  active              [core_v1.ObjectReference]  atomic
  4  lastScheduleTime    time?
  5  lastSuccessfulTime  time?

type JobCondition
  1  type                string  required
  2  status              string  required
  3  lastProbeTime       time
  4  lastTransitionTime  time
  5  reason              string
  6  message             string

type JobSpec
   1  parallelism              int32?
   2  completions              int32?
   3  activeDeadlineSeconds    int64?
  11  podFailurePolicy         PodFailurePolicy?
  16  successPolicy            SuccessPolicy?
   7  backoffLimit             int32?
  12  backoffLimitPerIndex     int32?
  13  maxFailedIndexes         int32?
   4  selector                 LabelSelector?
   5  manualSelector           bool?
   6  template                 core_v1.PodTemplateSpec  required
   8  ttlSecondsAfterFinished  int32?
   9  completionMode           CompletionMode?
  10  suspend                  bool?
  14  podReplacementPolicy     PodReplacementPolicy?
  15  managedBy                string?

type JobStatus
   1  conditions               [JobCondition]            atomic  merge by type
   2  startTime                time?
   3  completionTime           time?
   4  active                   int32
   5  succeeded                int32
   6  failed                   int32
  11  terminating              int32?
   7  completedIndexes         string
  10  failedIndexes            string?
   8  uncountedTerminatedPods  UncountedTerminatedPods?
   9  ready                    int32?

type JobTemplateSpec
  1  metadata  ObjectMeta
  2  spec      JobSpec

type PodFailurePolicy
  1  rules  [PodFailurePolicyRule]  required  atomic

type PodFailurePolicyOnExitCodesRequirement
  1  containerName  string?
  2  operator       PodFailurePolicyOnExitCodesOperator  required
  3  values         [int32]                              required  set

type PodFailurePolicyOnPodConditionsPattern
  1  type    string  required
  2  status  string  always

type PodFailurePolicyRule
  1  action           PodFailurePolicyAction                    required
  2  onExitCodes      PodFailurePolicyOnExitCodesRequirement?
  3  onPodConditions  [PodFailurePolicyOnPodConditionsPattern]  atomic

type SuccessPolicy
  1  rules  [SuccessPolicyRule]  required  atomic

type SuccessPolicyRule
  1  succeededIndexes  string?
  2  succeededCount    int32?

type UncountedTerminatedPods
  1  succeeded  [string]  set
  2  failed     [string]  set
