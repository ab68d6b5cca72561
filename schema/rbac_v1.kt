# The rbac.authorization.k8s.io group, v1.
# docs/design/0020-schema-notation.md tells how to read this.
group rbac.authorization.k8s.io/v1

# What is served.

kind ClusterRoleBinding  cluster
  plural       clusterrolebindings
  stored       /clusterrolebindings  hash 48tpQ8gZHFc=
  columns      Name:name Role Age wide(Users Groups ServiceAccounts)

kind ClusterRole  cluster
  plural       clusterroles
  stored       /clusterroles  hash bYE5ZWDrJ44=
  columns      Name:name "Created At":date

kind RoleBinding  namespaced
  plural       rolebindings
  stored       /rolebindings  hash eGsCzGH6b1g=
  columns      Name:name Role Age wide(Users Groups ServiceAccounts)

kind Role  namespaced
  plural       roles
  stored       /roles  hash 7FuwZcIIItM=
  columns      Name:name "Created At":date

# Objects: types with a kind and an apiVersion.

object ClusterRole
  1  metadata         ObjectMeta
  2  rules            [PolicyRule]      always  atomic
  3  aggregationRule  AggregationRule?

object ClusterRoleBinding
  1  metadata  ObjectMeta
  2  subjects  [Subject]   atomic
  3  roleRef   RoleRef     required

object Role
  1  metadata  ObjectMeta
  2  rules     [PolicyRule]  always  atomic

object RoleBinding
  1  metadata  ObjectMeta
  2  subjects  [Subject]   atomic
  3  roleRef   RoleRef     required

# What they are made of.

type AggregationRule
  1  clusterRoleSelectors  [LabelSelector]  atomic

type PolicyRule
  1  verbs            [string]  required  atomic
  2  apiGroups        [string]  atomic
  3  resources        [string]  atomic
  4  resourceNames    [string]  atomic
  5  nonResourceURLs  [string]  atomic

type RoleRef  atomic
  1  apiGroup  string  always
  2  kind      string  required
  3  name      string  required

type Subject  atomic
  1  kind       string  required
  2  apiGroup   string
  3  name       string  required
  4  namespace  string
