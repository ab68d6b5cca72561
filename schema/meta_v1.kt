# What every group shares: object metadata, options, errors, tables.
# docs/design/0020-schema-notation.md tells how to read this.
group meta.k8s.io/v1

# Objects: types with a kind and an apiVersion.

object APIGroup  in core/v1
  1  name                        string                       required
  2  versions                    [GroupVersionForDiscovery]   required  atomic
  3  preferredVersion            GroupVersionForDiscovery
  4  serverAddressByClientCIDRs  [ServerAddressByClientCIDR]  atomic

object APIGroupList  in core/v1
  1  groups  [APIGroup]  required  atomic

object APIResourceList  in core/v1
  1  groupVersion  string         required
  2  resources     [APIResource]  required  atomic

object APIVersions  in core/v1
  1  versions                    [string]                     required  atomic
  2  serverAddressByClientCIDRs  [ServerAddressByClientCIDR]  required  atomic

object ApplyOptions
  1  dryRun        [string]  atomic
  2  force         bool      required
  3  fieldManager  string    required

object CreateOptions  everywhere
  1  dryRun           [string]  atomic
  3  fieldManager     string
  4  fieldValidation  string

object DeleteOptions  everywhere
  1  gracePeriodSeconds                                int64?
  2  preconditions                                     Preconditions?
  3  orphanDependents                                  bool?
  4  propagationPolicy                                 string?
  5  dryRun                                            [string]        atomic
  6  ignoreStoreReadErrorWithClusterBreakingPotential  bool?

object GetOptions  everywhere
  1  resourceVersion  string

object List
  1  metadata  ListMeta
  2  items     [raw]     required

object ListOptions  everywhere
   1  labelSelector         string
   2  fieldSelector         string
   3  watch                 bool
   9  allowWatchBookmarks   bool
   4  resourceVersion       string
  10  resourceVersionMatch  string
   5  timeoutSeconds        int64?
   7  limit                 int64
   8  continue              string
  11  sendInitialEvents     bool?
  15  shardSelector         string

object PartialObjectMetadata
  1  metadata  ObjectMeta

object PartialObjectMetadataList
  1  metadata  ListMeta
  2  items     [PartialObjectMetadata]  required

object PatchOptions  everywhere
  1  dryRun           [string]  atomic
  2  force            bool?
  3  fieldManager     string
  4  fieldValidation  string

object Status  in core/v1
  1  metadata  ListMeta
  2  status    string
  3  message   string
  4  reason    string
  5  details   StatusDetails?
  6  code      int32

object Table
  -  metadata           ListMeta
  -  columnDefinitions  [TableColumnDefinition]  required  atomic
  -  rows               [TableRow]               required  atomic

object TableOptions
  1  includeObject  string

object UpdateOptions  everywhere
  1  dryRun           [string]  atomic
  2  fieldManager     string
  3  fieldValidation  string

# What they are made of.

type APIResource
   1  name                string    required
   6  singularName        string    required
   2  namespaced          bool      required
   8  group               string
   9  version             string
   3  kind                string    required
   4  verbs               [string]  required  wrapped
   5  shortNames          [string]  atomic
   7  categories          [string]  atomic
  10  storageVersionHash  string

type Condition
  1  type                string  required
  2  status              string  required
  3  observedGeneration  int64
  4  lastTransitionTime  time    required
  5  reason              string  required
  6  message             string  required

type FieldSelectorRequirement
  1  key       string    required
  2  operator  string    required
  3  values    [string]  atomic

type GroupKind
  1  group  string  required
  2  kind   string  required

type GroupResource
  1  group     string  required
  2  resource  string  required

type GroupVersion
  1  group    string  required
  2  version  string  required

type GroupVersionForDiscovery
  1  groupVersion  string  required
  2  version       string  required

type GroupVersionKind
  1  group    string  required
  2  version  string  required
  3  kind     string  required

type GroupVersionResource
  1  group     string  required
  2  version   string  required
  3  resource  string  required

type LabelSelector  atomic
  1  matchLabels       {string}
  2  matchExpressions  [LabelSelectorRequirement]  atomic

type LabelSelectorRequirement
  1  key       string    required
  2  operator  string    required
  3  values    [string]  atomic

type ListMeta
  1  selfLink            string
  2  resourceVersion     string
  3  continue            string
  4  remainingItemCount  int64?
  5  shardInfo           ShardInfo?

type ManagedFieldsEntry
  1  manager      string
  2  operation    string
  3  apiVersion   string
  4  time         time?
  6  fieldsType   string
  7  fieldsV1     raw?
  8  subresource  string

type ObjectMeta
   1  name                        string
   2  generateName                string
   3  namespace                   string
   4  selfLink                    string
   5  uid                         string
   6  resourceVersion             string
   7  generation                  int64
   8  creationTimestamp           time                  omit-zero
   9  deletionTimestamp           time?
  10  deletionGracePeriodSeconds  int64?
  11  labels                      {string}
  12  annotations                 {string}
  13  ownerReferences             [OwnerReference]      keyed by uid  merge
  14  finalizers                  [string]              set  merge
  17  managedFields               [ManagedFieldsEntry]  atomic

type OwnerReference  atomic
  5  apiVersion          string  required
  1  kind                string  required
  3  name                string  required
  4  uid                 string  required
  6  controller          bool?
  7  blockOwnerDeletion  bool?

type Preconditions
  1  uid              string?
  2  resourceVersion  string?

type RootPaths
  1  paths  [string]  required  atomic

type ServerAddressByClientCIDR
  1  clientCIDR     string  required
  2  serverAddress  string  required

type ShardInfo
  1  selector  string  required

type StatusCause
  1  reason   string
  2  message  string
  3  field    string

type StatusDetails
  1  name               string
  2  group              string
  3  kind               string
  6  uid                string
  4  causes             [StatusCause]  atomic
  5  retryAfterSeconds  int32

type TableColumnDefinition
  -  name         string  required
  -  type         string  required
  -  format       string  required
  -  description  string  required
  -  priority     int32   required

type TableRow
  -  cells       [any]                required  atomic
  -  conditions  [TableRowCondition]  atomic
  -  object      raw

type TableRowCondition
  -  type     string  required
  -  status   string  required
  -  reason   string
  -  message  string

type WatchEvent
  1  type    string  required
  2  object  raw     required
