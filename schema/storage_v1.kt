# The storage.k8s.io group, v1. docs/design/0020-schema-notation.md tells how to read this.
group storage.k8s.io/v1

# What is served.

kind CSIDriver  cluster
  plural       csidrivers
  stored       /csidrivers  hash hL6j/rwBV5w=
  columns      Name:name AttachRequired:boolean PodInfoOnMount:boolean StorageCapacity:boolean
  columns      TokenRequests RequiresRepublish:boolean Modes Age

kind CSINode  cluster
  plural       csinodes
  stored       /csinodes  hash Pe62DkZtjuo=
  columns      Name:name Drivers:integer Age

kind CSIStorageCapacity  namespaced
  plural       csistoragecapacities
  stored       /csistoragecapacities  hash xeVl+2Ly1kE=
  columns      Name:name "Created At":date

kind StorageClass  cluster
  plural       storageclasses
  short        sc
  stored       /storageclasses  hash K+m6uJwbjGY=
  columns      Name:name Provisioner ReclaimPolicy VolumeBindingMode AllowVolumeExpansion Age

kind VolumeAttachment  cluster
  plural       volumeattachments
  stored       /volumeattachments  hash tJx/ezt6UDU=
  columns      Name:name Attacher:name PV Node Attached:boolean Age
  subresource  status               get patch update

kind VolumeAttributesClass  cluster
  plural       volumeattributesclasses
  short        vac
  stored       /volumeattributesclasses  hash tIjydgKBC5w=
  columns      Name:name DriverName Age

# Values that strings are limited to.

enum VolumeBindingMode  Immediate WaitForFirstConsumer

# Objects: types with a kind and an apiVersion.

object CSIDriver
  1  metadata  ObjectMeta
  2  spec      CSIDriverSpec  required

object CSINode
  1  metadata  ObjectMeta
  2  spec      CSINodeSpec  required

object CSIStorageCapacity
  1  metadata           ObjectMeta
  2  nodeTopology       LabelSelector?
  3  storageClassName   string          required
  4  capacity           quantity?
  5  maximumVolumeSize  quantity?

object StorageClass
  1  metadata              ObjectMeta
  2  provisioner           string                                  required
  3  parameters            {string}
  4  reclaimPolicy         core_v1.PersistentVolumeReclaimPolicy?
  5  mountOptions          [string]                                atomic
  6  allowVolumeExpansion  bool?
  7  volumeBindingMode     VolumeBindingMode?
  8  allowedTopologies     [core_v1.TopologySelectorTerm]          atomic

object VolumeAttachment
  1  metadata  ObjectMeta
  2  spec      VolumeAttachmentSpec    required
  3  status    VolumeAttachmentStatus

object VolumeAttributesClass
  1  metadata    ObjectMeta
  2  driverName  string      required
  3  parameters  {string}

# What they are made of.

type CSIDriverSpec
   1  attachRequired                      bool?
   2  podInfoOnMount                      bool?
   3  volumeLifecycleModes                [string]        set
   4  storageCapacity                     bool?
   5  fsGroupPolicy                       string?
   6  tokenRequests                       [TokenRequest]  atomic
   7  requiresRepublish                   bool?
   8  seLinuxMount                        bool?
   9  nodeAllocatableUpdatePeriodSeconds  int64?
  10  serviceAccountTokenInSecrets        bool?
  11  preventPodSchedulingIfMissing       bool?

type CSINodeDriver
  1  name          string                required
  2  nodeID        string                required
  3  topologyKeys  [string]              always  atomic
  4  allocatable   VolumeNodeResources?

type CSINodeSpec
  1  drivers  [CSINodeDriver]  required  keyed by name  merge

type TokenRequest
  1  audience           string  required
  2  expirationSeconds  int64?

type VolumeAttachmentSource
  1  persistentVolumeName  string?
  2  inlineVolumeSpec      core_v1.PersistentVolumeSpec?

type VolumeAttachmentSpec
  1  attacher  string                  required
  2  source    VolumeAttachmentSource  required
  3  nodeName  string                  required

type VolumeAttachmentStatus
  1  attached            bool          required
  2  attachmentMetadata  {string}
  3  attachError         VolumeError?
  4  detachError         VolumeError?

type VolumeError
  1  time       time
  2  message    string
  3  errorCode  int32?

type VolumeNodeResources
  1  count  int32?
