// What kube-apiserver v1.36 answers to the same objects, sent to it for creation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/defaulting/defaulting.h"
#include "api/generated/core_v1.h"
#include "api/validation/testing/json_doc.h"
#include "registry/core/strategies.h"

namespace keelson::registry::core {
namespace {

using api::Doc;
using api::testing::DocFromJson;
using api::testing::Texts;
using api::testing::ToJson;
using ::testing::UnorderedElementsAreArray;

namespace v1 = api::core_v1;

// As the Store does before it writes a new object.
Doc Prepared(const Strategy& strategy, std::string_view json, const api::TypeDesc& type) {
  Doc doc = DocFromJson(json, type);
  api::SetDefaults(doc);
  strategy.PrepareForCreate(WriteContext(), doc);
  return doc;
}

struct InvalidCase {
  const char* name;
  const Strategy& strategy;
  const api::TypeDesc& type;
  std::string_view object;
  std::vector<std::string> errors;
};

TEST(PodFamilyTest, EveryMistakeIsNamedWithItsPlace) {
  const InvalidCase cases[] = {
      {"pod empty",
       Pods(),
       v1::kPodType,
       R"json({"metadata":{"name":"p"},"spec":{}})json",
       {
           R"json(spec.containers: Required value)json",
       }},
      {"pod names",
       Pods(),
       v1::kPodType,
       R"json({"metadata":{"name":"p"},"spec":{"containers":[{"name":"A","image":"i"},{"name":"c"},{"name":"c","image":" i"}]}})json",
       {
           R"json(spec.containers[0].name: Invalid value: "A": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?'))json",
           R"json(spec.containers[1].image: Required value)json",
           R"json(spec.containers[2].name: Duplicate value: "c")json",
           R"json(spec.containers[2].image: Invalid value: " i": must not have leading or trailing whitespace)json",
       }},
      {"pod ports",
       Pods(),
       v1::kPodType,
       R"json({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i","ports":[{"name":"http","containerPort":80},{"name":"http","containerPort":70000},{"name":"UP","containerPort":1,"protocol":"X"},{"hostPort":5}]}]}})json",
       {
           R"json(spec.containers[0].ports[1].name: Duplicate value: "http")json",
           R"json(spec.containers[0].ports[1].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive)json",
           R"json(spec.containers[0].ports[2].name: Invalid value: "UP": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-))json",
           R"json(spec.containers[0].ports[2].name: Invalid value: "UP": must contain at least one letter (a-z))json",
           R"json(spec.containers[0].ports[2].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP")json",
           R"json(spec.containers[0].ports[3].containerPort: Required value)json",
       }},
      {"pod env",
       Pods(),
       v1::kPodType,
       R"json({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i","env":[{"name":""},{"name":"A=B"},{"name":"a","value":"v","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}},{"name":"b","valueFrom":{}},{"name":"c","valueFrom":{"fieldRef":{"fieldPath":"spec.x"}}},{"name":"d","valueFrom":{"fieldRef":{"fieldPath":"status.phase"}}},{"name":"e","valueFrom":{"secretKeyRef":{"name":"S","key":"a b"}}},{"name":"f","valueFrom":{"resourceFieldRef":{"resource":"limits.x","divisor":"3"}}}],"envFrom":[{"configMapRef":{}},{}]}]}})json",
       {
           R"json(spec.containers[0].env[0].name: Required value)json",
           R"json(spec.containers[0].env[1].name: Invalid value: "A=B": a valid environment variable name must consist only of printable ASCII characters other than '=')json",
           R"json(spec.containers[0].env[2].valueFrom: Invalid value: "": may not be specified when `value` is not empty)json",
           R"json(spec.containers[0].env[3].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`)json",
           R"json(spec.containers[0].env[4].valueFrom.fieldRef.fieldPath: Invalid value: "spec.x": error converting fieldPath: field label not supported: spec.x)json",
           R"json(spec.containers[0].env[5].valueFrom.fieldRef.fieldPath: Unsupported value: "status.phase": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs")json",
           R"json(spec.containers[0].env[6].valueFrom.secretKeyRef.name: Invalid value: "S": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'))json",
           R"json(spec.containers[0].env[6].valueFrom.secretKeyRef.key: Invalid value: "a b": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+'))json",
           R"json(spec.containers[0].env[7].valueFrom.resourceFieldRef.resource: Unsupported value: "limits.x": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory")json",
           R"json(spec.containers[0].envFrom[0].configMapRef.name: Required value)json",
           R"json(spec.containers[0].envFrom: Invalid value: "": must specify one of: `configMapRef` or `secretRef`)json",
       }},
      {"pod mounts",
       Pods(),
       v1::kPodType,
       R"json({"metadata":{"name":"p"},"spec":{"volumes":[{"name":"v","emptyDir":{}}],"containers":[{"name":"c","image":"i","volumeMounts":[{"name":"v","mountPath":"/a"},{"name":"w","mountPath":"/a"},{"name":"v","mountPath":"/b","subPath":"../x"}]}]}})json",
       {
           R"json(spec.containers[0].volumeMounts[1].name: Not found: "w")json",
           R"json(spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/a": must be unique)json",
           R"json(spec.containers[0].volumeMounts.subPath: Invalid value: "../x": must not contain '..')json",
       }},
      {"pod volumes",
       Pods(),
       v1::kPodType,
       R"json({"metadata":{"name":"p"},"spec":{"volumes":[{"name":"v","emptyDir":{},"hostPath":{"path":"/x"}},{"name":"V"},{"name":"v2","hostPath":{"path":"/a/../b","type":"Foo"}},{"name":"v3","secret":{"items":[{"key":"","path":"/x"}],"defaultMode":1000}},{"name":"v4","persistentVolumeClaim":{"claimName":""}},{"name":"v5","projected":{"sources":[{"serviceAccountToken":{"path":"../t","expirationSeconds":1}}]}},{"name":"v5","emptyDir":{}}],"containers":[{"name":"c","image":"i"}]}})json",
       {
           R"json(spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type)json",
           R"json(spec.volumes[1].name: Invalid value: "V": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?'))json",
           R"json(spec.volumes[2].hostPath.path: Invalid value: "/a/../b": must not contain '..')json",
           R"json(spec.volumes[2].hostPath.type: Unsupported value: "Foo": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket")json",
           R"json(spec.volumes[3].secret.secretName: Required value)json",
           R"json(spec.volumes[3].secret.defaultMode: Invalid value: 1000: must be a number between 0 and 0777 (octal), both inclusive)json",
           R"json(spec.volumes[3].secret.items[0].key: Required value)json",
           R"json(spec.volumes[3].secret.items[0].path: Invalid value: "/x": must be a relative path)json",
           R"json(spec.volumes[4].persistentVolumeClaim.claimName: Required value)json",
           R"json(spec.volumes[5].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes)json",
           R"json(spec.volumes[5].projected.path: Invalid value: "../t": must not contain '..')json",
           R"json(spec.volumes[5].projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set)json",
       }},
      {"pod probes",
       Pods(),
       v1::kPodType,
       R"json({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i","livenessProbe":{"successThreshold":2},"readinessProbe":{"httpGet":{"port":0,"scheme":"x","httpHeaders":[{"name":"a b","value":""}]},"exec":{"command":[]},"periodSeconds":-1},"startupProbe":{"tcpSocket":{"port":"abc_"}},"lifecycle":{"preStop":{"sleep":{"seconds":100}}}}]}})json",
       {
           R"json(spec.containers[0].lifecycle.preStop.sleep: Invalid value: 100: must be non-negative and less than terminationGracePeriodSeconds (30))json",
           R"json(spec.containers[0].livenessProbe: Required value: must specify a handler type)json",
           R"json(spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1)json",
           R"json(spec.containers[0].readinessProbe.exec.command: Required value)json",
           R"json(spec.containers[0].readinessProbe.httpGet: Forbidden: may not specify more than 1 handler type)json",
           R"json(spec.containers[0].readinessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0)json",
           R"json(spec.containers[0].startupProbe.tcpSocket.port: Invalid value: "abc_": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-))json",
       }},
      {"pod resources",
       Pods(),
       v1::kPodType,
       R"json({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":"1","foo":"1","a.b/c":"1500m","memory":"-1"},"requests":{"cpu":"2","a.b/c":"1"}}}]}})json",
       {
           R"json(spec.containers[0].resources.limits[foo]: Invalid value: "foo": must be a standard resource type or fully qualified)json",
           R"json(spec.containers[0].resources.limits[foo]: Invalid value: "foo": must be a standard resource for containers)json",
           R"json(spec.containers[0].resources.limits[a.b/c]: Invalid value: "1500m": must be an integer)json",
           R"json(spec.containers[0].resources.limits[memory]: Invalid value: "-1": must be greater than or equal to 0)json",
           R"json(spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1)json",
           R"json(spec.containers[0].resources.requests: Invalid value: "1": must be equal to a.b/c limit of 1500m)json",
           R"json(spec.containers[0].resources.requests[foo]: Invalid value: "foo": must be a standard resource type or fully qualified)json",
           R"json(spec.containers[0].resources.requests[foo]: Invalid value: "foo": must be a standard resource for containers)json",
           R"json(spec.containers[0].resources.requests[memory]: Invalid value: "-1": must be greater than or equal to 0)json",
       }},
      {"pod policies",
       Pods(),
       v1::kPodType,
       R"json({"metadata":{"name":"p"},"spec":{"restartPolicy":"Sometimes","dnsPolicy":"X","containers":[{"name":"c","image":"i","imagePullPolicy":"x","terminationMessagePolicy":"y"}]}})json",
       {
           R"json(spec.containers[0].terminationMessagePolicy: Unsupported value: "y": supported values: "File", "FallbackToLogsOnError")json",
           R"json(spec.containers[0].imagePullPolicy: Unsupported value: "x": supported values: "Always", "IfNotPresent", "Never")json",
           R"json(spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never")json",
           R"json(spec.dnsPolicy: Unsupported value: "X": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")json",
       }},
      {"pod tolerations",
       Pods(),
       v1::kPodType,
       R"json({"metadata":{"name":"p"},"spec":{"tolerations":[{"operator":"Equal"},{"key":"a b","operator":"Exists","value":"x"},{"key":"k","operator":"Foo","effect":"Bar"},{"key":"k","tolerationSeconds":1}],"containers":[{"name":"c","image":"i"}]}})json",
       {
           R"json(spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys")json",
           R"json(spec.tolerations[1].key: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'))json",
           R"json(spec.tolerations[1].operator: Invalid value: "x": value must be empty when `operator` is 'Exists')json",
           R"json(spec.tolerations[2].operator: Unsupported value: "Foo": supported values: "Equal", "Exists")json",
           R"json(spec.tolerations[2].effect: Unsupported value: "Bar": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute")json",
           R"json(spec.tolerations[3].effect: Invalid value: "": effect must be 'NoExecute' when `tolerationSeconds` is set)json",
       }},
      {"pod affinity",
       Pods(),
       v1::kPodType,
       R"json({"metadata":{"name":"p"},"spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[]},"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":0,"preference":{"matchExpressions":[{"key":"k","operator":"In"}]}}]},"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":""}]}},"containers":[{"name":"c","image":"i"}]}})json",
       {
           R"json(spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term)json",
           R"json(spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 0: must be in the range 1-100)json",
           R"json(spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn')json",
           R"json(spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Required value: can not be empty)json",
           R"json(spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: "": name part must be non-empty)json",
           R"json(spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Invalid value: "": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'))json",
       }},
      {"pod spread",
       Pods(),
       v1::kPodType,
       R"json({"metadata":{"name":"p"},"spec":{"topologySpreadConstraints":[{"maxSkew":0,"topologyKey":"","whenUnsatisfiable":"x"},{"maxSkew":1,"topologyKey":"z","whenUnsatisfiable":"ScheduleAnyway","minDomains":1},{"maxSkew":1,"topologyKey":"z","whenUnsatisfiable":"ScheduleAnyway"}],"containers":[{"name":"c","image":"i"}]}})json",
       {
           R"json(spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero)json",
           R"json(spec.topologySpreadConstraints[0].topologyKey: Required value: can not be empty)json",
           R"json(spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "x": supported values: "DoNotSchedule", "ScheduleAnyway")json",
           R"json(spec.topologySpreadConstraints[1].{topologyKey, whenUnsatisfiable}: Duplicate value: "{z, ScheduleAnyway}")json",
           R"json(spec.topologySpreadConstraints[1].minDomains: Invalid value: 1: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway)json",
       }},
      {"pod security",
       Pods(),
       v1::kPodType,
       R"json({"metadata":{"name":"p"},"spec":{"hostPID":true,"shareProcessNamespace":true,"securityContext":{"runAsUser":-1,"seccompProfile":{"type":"Localhost"},"sysctls":[{"name":"A"}]},"containers":[{"name":"c","image":"i","securityContext":{"procMount":"x"}}]}})json",
       {
           R"json(spec.containers[0].securityContext.procMount: Unsupported value: "x": supported values: "Default", "Unmasked")json",
           R"json(spec.securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive)json",
           R"json(spec.securityContext.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled)json",
           R"json(spec.securityContext.sysctls[0].name: Invalid value: "A": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$)json",
           R"json(spec.securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost)json",
       }},
      {"pod misc",
       Pods(),
       v1::kPodType,
       R"json({"metadata":{"name":"p"},"spec":{"hostNetwork":true,"nodeSelector":{"a b":"c"},"hostname":"A","nodeName":"N","activeDeadlineSeconds":0,"schedulingGates":[{"name":"a b"}],"dnsConfig":{"nameservers":["x"]},"hostAliases":[{"ip":"1"}],"os":{"name":"dos"},"serviceAccountName":"S","containers":[{"name":"c","image":"i","ports":[{"containerPort":80,"hostPort":81}]}]}})json",
       {
           R"json(spec.containers[0].ports[0].hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is true)json",
           R"json(spec.nodeSelector: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'))json",
           R"json(spec.dnsConfig.nameservers[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff))json",
           R"json(spec.schedulingGates[0]: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'))json",
           R"json(spec.serviceAccountName: Invalid value: "S": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'))json",
           R"json(spec.nodeName: Invalid value: "N": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'))json",
           R"json(spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive)json",
           R"json(spec.hostname: Invalid value: "A": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?'))json",
           R"json(spec.hostAliases[0].ip: Invalid value: "1": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff))json",
           R"json(spec.os: Unsupported value: "dos": supported values: "linux", "windows")json",
           R"json(spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared)json",
       }},
      {"pod init",
       Pods(),
       v1::kPodType,
       R"json({"metadata":{"name":"p"},"spec":{"initContainers":[{"name":"c","image":"i","livenessProbe":{"exec":{"command":["x"]}}}],"containers":[{"name":"c","image":"i"}],"ephemeralContainers":[{"name":"e","image":"i"}]}})json",
       {
           R"json(spec.initContainers[0].name: Duplicate value: "c")json",
           R"json(spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always)json",
           R"json(spec.ephemeralContainers: Forbidden: cannot be set on create)json",
       }},
      {"rc",
       ReplicationControllers(),
       v1::kReplicationControllerType,
       R"json({"metadata":{"name":"r"},"spec":{"replicas":-1,"selector":{"a":"b"},"template":{"metadata":{"labels":{"a":"c"}},"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})json",
       {
           R"json(spec.replicas: Invalid value: -1: must be greater than or equal to 0)json",
           R"json(spec.template.metadata.labels: Invalid value: {"a":"c"}: `selector` does not match template `labels`)json",
           R"json(spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always")json",
       }},
      {"rc empty",
       ReplicationControllers(),
       v1::kReplicationControllerType,
       R"json({"metadata":{"name":"r"}})json",
       {
           R"json(spec.selector: Required value)json",
           R"json(spec.template: Required value)json",
       }},
      {"svc empty",
       Services(),
       v1::kServiceType,
       R"json({"metadata":{"name":"s"}})json",
       {
           R"json(spec.ports: Required value)json",
       }},
      {"svc ports",
       Services(),
       v1::kServiceType,
       R"json({"metadata":{"name":"s"},"spec":{"ports":[{"port":0},{"name":"a","port":80,"protocol":"X"},{"name":"a","port":80,"protocol":"X","targetPort":"A_"},{"name":"B","port":81,"nodePort":5}]}})json",
       {
           R"json(spec.ports[0].name: Required value)json",
           R"json(spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive)json",
           R"json(spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive)json",
           R"json(spec.ports[1].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP")json",
           R"json(spec.ports[2].name: Duplicate value: "a")json",
           R"json(spec.ports[2].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP")json",
           R"json(spec.ports[2].targetPort: Invalid value: "A_": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-))json",
           R"json(spec.ports[2].targetPort: Invalid value: "A_": must contain at least one letter (a-z))json",
           R"json(spec.ports[3].name: Invalid value: "B": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?'))json",
           R"json(spec.ports[3].nodePort: Forbidden: may not be used when `type` is 'ClusterIP')json",
           R"json(spec.ports[2]: Duplicate value: {"Name":"","Protocol":"X","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0})json",
       }},
      {"svc ext",
       Services(),
       v1::kServiceType,
       R"json({"metadata":{"name":"s"},"spec":{"type":"ExternalName","externalName":"a..b","clusterIP":"None","clusterIPs":["None"]}})json",
       {
           R"json(spec.clusterIPs: Forbidden: may not be set for ExternalName services)json",
           R"json(spec.externalName: Invalid value: "a..b": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'))json",
       }},
      {"svc type",
       Services(),
       v1::kServiceType,
       R"json({"metadata":{"name":"s"},"spec":{"type":"Foo","sessionAffinity":"x","externalIPs":["127.0.0.1","x"],"ports":[{"port":1}],"selector":{"a b":"c"},"internalTrafficPolicy":"x","loadBalancerSourceRanges":["1"],"loadBalancerClass":"a"}})json",
       {
           R"json(spec.selector: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'))json",
           R"json(spec.sessionAffinity: Unsupported value: "x": supported values: "ClientIP", "None")json",
           R"json(spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128))json",
           R"json(spec.externalIPs[1]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff))json",
           R"json(spec.type: Unsupported value: "Foo": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort")json",
           R"json(spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer')json",
           R"json(spec.LoadBalancerSourceRanges[0]: Invalid value: "1": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64))json",
           R"json(spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer')json",
           R"json(spec.internalTrafficPolicy: Unsupported value: "x": supported values: "Cluster", "Local")json",
       }},
      {"pv empty",
       PersistentVolumes(),
       v1::kPersistentVolumeType,
       R"json({"metadata":{"name":"v"}})json",
       {
           R"json(spec.accessModes: Required value)json",
           R"json(spec.capacity: Required value)json",
           R"json(spec.capacity: Unsupported value: null: supported values: "storage")json",
           R"json(spec: Required value: must specify a volume type)json",
       }},
      {"pv bad",
       PersistentVolumes(),
       v1::kPersistentVolumeType,
       R"json({"metadata":{"name":"v"},"spec":{"capacity":{"storage":"0","cpu":"1"},"accessModes":["X","ReadWriteOncePod","ReadWriteOnce"],"persistentVolumeReclaimPolicy":"x","volumeMode":"y","storageClassName":"A","local":{"path":""},"hostPath":{"path":"/"}}})json",
       {
           R"json(spec.accessModes: Unsupported value: "X": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")json",
           R"json(spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes)json",
           R"json(spec.capacity: Unsupported value: {"cpu":"1","storage":"0"}: supported values: "storage")json",
           R"json(spec.capacity[storage]: Invalid value: "0": must be greater than zero)json",
           R"json(spec.persistentVolumeReclaimPolicy: Unsupported value: "x": supported values: "Delete", "Recycle", "Retain")json",
           R"json(spec.local: Forbidden: may not specify more than 1 volume type)json",
           R"json(spec.storageClassName: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'))json",
           R"json(spec.volumeMode: Unsupported value: "y": supported values: "Block", "Filesystem")json",
       }},
      {"pv csi",
       PersistentVolumes(),
       v1::kPersistentVolumeType,
       R"json({"metadata":{"name":"v"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"csi":{"driver":"","nodePublishSecretRef":{"name":"A"}},"nodeAffinity":{}}})json",
       {
           R"json(spec.nodeAffinity.required: Required value: must specify required node constraints)json",
           R"json(spec.csi.driver: Required value)json",
           R"json(spec.csi.volumeHandle: Required value)json",
           R"json(spec.csi.nodePublishSecretRef.name: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'))json",
           R"json(spec.csi.nodePublishSecretRef.namespace: Required value)json",
       }},
      {"pvc empty",
       PersistentVolumeClaims(),
       v1::kPersistentVolumeClaimType,
       R"json({"metadata":{"name":"v"}})json",
       {
           R"json(spec.accessModes: Required value: at least 1 access mode is required)json",
           R"json(spec.resources[storage]: Required value)json",
       }},
      {"pvc bad",
       PersistentVolumeClaims(),
       v1::kPersistentVolumeClaimType,
       R"json({"metadata":{"name":"v"},"spec":{"accessModes":["X"],"resources":{"requests":{"storage":"-1"}},"storageClassName":"A","volumeMode":"y","dataSourceRef":{"kind":"Foo","name":""},"selector":{"matchLabels":{"a b":"c"}}}})json",
       {
           R"json(spec.selector.matchLabels: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'))json",
           R"json(spec.accessModes: Unsupported value: "X": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")json",
           R"json(spec.resources[storage]: Invalid value: "-1": must be greater than zero)json",
           R"json(spec.storageClassName: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'))json",
           R"json(spec.volumeMode: Unsupported value: "y": supported values: "Block", "Filesystem")json",
           R"json(spec.dataSource.name: Required value)json",
           R"json(spec.dataSource: Invalid value: "Foo": must be 'PersistentVolumeClaim' when referencing the default apiGroup)json",
           R"json(spec.dataSourceRef.name: Required value)json",
           R"json(spec.dataSourceRef: Invalid value: "Foo": must be 'PersistentVolumeClaim' when referencing the default apiGroup)json",
       }},
      {"node bad",
       Nodes(),
       v1::kNodeType,
       R"json({"metadata":{"name":"n"},"spec":{"taints":[{"key":"a","effect":"x"},{"key":"a","effect":"NoSchedule"}],"podCIDRs":["10.0.0.0/24","10.1.0.0/24"]},"status":{"capacity":{"cpu":"-1"}}})json",
       {
           R"json(metadata.taints[0].effect: Unsupported value: "x": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute")json",
           R"json(status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0)json",
           R"json(status.allocatable.cpu: Invalid value: "-1": must be greater than or equal to 0)json",
           R"json(spec.podCIDRs: Invalid value: ["10.0.0.0/24","10.1.0.0/24"]: may specify no more than one CIDR for each IP family)json",
       }},
  };
  for (const InvalidCase& c : cases) {
    const Doc doc = Prepared(c.strategy, c.object, c.type);
    EXPECT_THAT(Texts(c.strategy.Validate(WriteContext(), doc)), UnorderedElementsAreArray(c.errors))
        << c.name;
  }
}

struct ValidCase {
  const char* name;
  const Strategy& strategy;
  const api::TypeDesc& type;
  std::string_view object, expected;
};

// Expected is all that the server adds on its own; admission and allocation add more.
TEST(PodFamilyTest, ANewObjectIsCompleted) {
  const ValidCase cases[] = {
      {"pod", Pods(), v1::kPodType,
       R"json({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"nginx","ports":[{"containerPort":80}],"livenessProbe":{"httpGet":{"port":80}},"readinessProbe":{"grpc":{"port":1}},"lifecycle":{"preStop":{"httpGet":{"port":1}}},"env":[{"name":"a","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}],"resources":{"limits":{"cpu":"1500m","memory":"1Gi"}}},{"name":"d","image":"reg.io:5000/a/b:v1","resources":{"requests":{"cpu":"0.1"}}},{"name":"e","image":"a@sha256:0123456789012345678901234567890123456789012345678901234567890123"},{"name":"f","image":"A/B"}]}})json", R"json({"metadata":{"name":"p","generation":1},"spec":{"containers":[{"name":"c","image":"nginx","ports":[{"containerPort":80,"protocol":"TCP"}],"env":[{"name":"a","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}}],"resources":{"limits":{"cpu":"1500m","memory":"1Gi"},"requests":{"cpu":"1500m","memory":"1Gi"}},"livenessProbe":{"httpGet":{"path":"/","port":80,"scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3},"readinessProbe":{"grpc":{"port":1,"service":""},"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3},"lifecycle":{"preStop":{"httpGet":{"path":"/","port":1,"scheme":"HTTP"}}},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"Always"},{"name":"d","image":"reg.io:5000/a/b:v1","resources":{"requests":{"cpu":"100m"}},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"},{"name":"e","image":"a@sha256:0123456789012345678901234567890123456789012345678901234567890123","resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"},{"name":"f","image":"A/B","resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","securityContext":{},"schedulerName":"default-scheduler","enableServiceLinks":true},"status":{"phase":"Pending","qosClass":"Burstable"}})json"},
      {"pod vols", Pods(), v1::kPodType,
       R"json({"metadata":{"name":"p"},"spec":{"hostNetwork":true,"volumes":[{"name":"a"},{"name":"b","secret":{"secretName":"s"}},{"name":"c","configMap":{"name":"s"}},{"name":"d","downwardAPI":{"items":[{"path":"x","fieldRef":{"fieldPath":"metadata.name"}}]}},{"name":"e","projected":{"sources":[{"downwardAPI":{"items":[{"path":"x","fieldRef":{"fieldPath":"metadata.name"}}]}},{"secret":{"name":"x"}}]}},{"name":"f","hostPath":{"path":"/x"}},{"name":"g","image":{"reference":"x:latest"}},{"name":"h","iscsi":{"targetPortal":"1.2.3.4:3260","iqn":"iqn.2001-04.com.example:storage.kube.sys1.xyz","lun":0}},{"name":"i","rbd":{"monitors":["m"],"image":"i"}},{"name":"j","azureDisk":{"diskName":"d","diskURI":"https://x"}},{"name":"k","ephemeral":{"volumeClaimTemplate":{"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}}}],"serviceAccount":"sa","containers":[{"name":"c","image":"i","ports":[{"containerPort":80}]}],"initContainers":[{"name":"x","image":"y"}]}})json", R"json({"metadata":{"name":"p","generation":1},"spec":{"volumes":[{"name":"a","emptyDir":{}},{"name":"b","secret":{"secretName":"s","defaultMode":420}},{"name":"c","configMap":{"name":"s","defaultMode":420}},{"name":"d","downwardAPI":{"items":[{"path":"x","fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}],"defaultMode":420}},{"name":"e","projected":{"sources":[{"downwardAPI":{"items":[{"path":"x","fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}]}},{"secret":{"name":"x"}}],"defaultMode":420}},{"name":"f","hostPath":{"path":"/x","type":""}},{"name":"g","image":{"reference":"x:latest","pullPolicy":"Always"}},{"name":"h","iscsi":{"targetPortal":"1.2.3.4:3260","iqn":"iqn.2001-04.com.example:storage.kube.sys1.xyz","lun":0,"iscsiInterface":"default"}},{"name":"i","rbd":{"monitors":["m"],"image":"i","pool":"rbd","user":"admin","keyring":"/etc/ceph/keyring"}},{"name":"j","azureDisk":{"diskName":"d","diskURI":"https://x","cachingMode":"ReadWrite","fsType":"ext4","readOnly":false,"kind":"Shared"}},{"name":"k","ephemeral":{"volumeClaimTemplate":{"metadata":{},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}},"volumeMode":"Filesystem"}}}}],"initContainers":[{"name":"x","image":"y","resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"Always"}],"containers":[{"name":"c","image":"i","ports":[{"hostPort":80,"containerPort":80,"protocol":"TCP"}],"resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"Always"}],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","serviceAccountName":"sa","serviceAccount":"sa","hostNetwork":true,"securityContext":{},"schedulerName":"default-scheduler","enableServiceLinks":true},"status":{"phase":"Pending","qosClass":"BestEffort"}})json"},
      {"pod gated", Pods(), v1::kPodType,
       R"json({"metadata":{"name":"p","labels":{"k":"v","a":"b"}},"spec":{"schedulingGates":[{"name":"a.b/c"}],"terminationGracePeriodSeconds":-5,"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"z","whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"a":"b"}},"matchLabelKeys":["k","m"]}],"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"z","labelSelector":{},"matchLabelKeys":["k"],"mismatchLabelKeys":["a"]}]}},"containers":[{"name":"c","image":"i"}]}})json",
       R"json({"metadata":{"name":"p","generation":1,"labels":{"a":"b","k":"v"}},"spec":{"containers":[{"name":"c","image":"i","resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"Always"}],"restartPolicy":"Always","terminationGracePeriodSeconds":1,"dnsPolicy":"ClusterFirst","securityContext":{},"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":{"matchExpressions":[{"key":"k","operator":"In","values":["v"]},{"key":"a","operator":"NotIn","values":["b"]}]},"topologyKey":"z","matchLabelKeys":["k"],"mismatchLabelKeys":["a"]}]}},"schedulerName":"default-scheduler","enableServiceLinks":true,"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"z","whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"a":"b"},"matchExpressions":[{"key":"k","operator":"In","values":["v"]}]},"matchLabelKeys":["k","m"]}],"schedulingGates":[{"name":"a.b/c"}]},"status":{"phase":"Pending","qosClass":"BestEffort"}})json"},
      {"pod guaranteed", Pods(), v1::kPodType,
       R"json({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":"1","memory":"1Gi"}}}]}})json", R"json({"metadata":{"name":"p","generation":1},"spec":{"containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"1","memory":"1Gi"}},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"Always"}],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","securityContext":{},"schedulerName":"default-scheduler","enableServiceLinks":true},"status":{"phase":"Pending","qosClass":"Guaranteed"}})json"},
      {"pod level", Pods(), v1::kPodType,
       R"json({"metadata":{"name":"p"},"spec":{"resources":{"limits":{"cpu":"2","memory":"2Gi"}},"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}]}})json",
       R"json({"metadata":{"name":"p","generation":1},"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"Always"}],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","securityContext":{},"schedulerName":"default-scheduler","enableServiceLinks":true,"resources":{"limits":{"cpu":"2","memory":"2Gi"},"requests":{"cpu":"1","memory":"2Gi"}}},"status":{"phase":"Pending","qosClass":"Burstable"}})json"},
      {"rc", ReplicationControllers(), v1::kReplicationControllerType,
       R"json({"metadata":{"name":"r"},"spec":{"template":{"metadata":{"labels":{"a":"c"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})json", R"json({"metadata":{"name":"r","generation":1,"labels":{"a":"c"}},"spec":{"replicas":1,"selector":{"a":"c"},"template":{"metadata":{"labels":{"a":"c"}},"spec":{"containers":[{"name":"c","image":"i","resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"Always"}],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","securityContext":{},"schedulerName":"default-scheduler"}}},"status":{"replicas":0}})json"},
      {"svc headless", Services(), v1::kServiceType,
       R"json({"metadata":{"name":"s"},"spec":{"clusterIP":"None","clusterIPs":["None"],"selector":{"a":"b"}}})json",
       R"json({"metadata":{"name":"s"},"spec":{"selector":{"a":"b"},"clusterIP":"None","clusterIPs":["None"],"type":"ClusterIP","sessionAffinity":"None","internalTrafficPolicy":"Cluster"},"status":{"loadBalancer":{}}})json"},
      {"svc ext", Services(), v1::kServiceType,
       R"json({"metadata":{"name":"s"},"spec":{"type":"ExternalName","externalName":"a.b."}})json",
       R"json({"metadata":{"name":"s"},"spec":{"type":"ExternalName","sessionAffinity":"None","externalName":"a.b."},"status":{"loadBalancer":{}}})json"},
      {"svc aff", Services(), v1::kServiceType,
       R"json({"metadata":{"name":"s"},"spec":{"clusterIP":"None","clusterIPs":["None"],"sessionAffinity":"ClientIP","ports":[{"port":80}]}})json",
       R"json({"metadata":{"name":"s"},"spec":{"ports":[{"protocol":"TCP","port":80,"targetPort":80}],"clusterIP":"None","clusterIPs":["None"],"type":"ClusterIP","sessionAffinity":"ClientIP","sessionAffinityConfig":{"clientIP":{"timeoutSeconds":10800}},"internalTrafficPolicy":"Cluster"},"status":{"loadBalancer":{}}})json"},
      {"pv", PersistentVolumes(), v1::kPersistentVolumeType,
       R"json({"metadata":{"name":"v"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"hostPath":{"path":"/x"}}})json",
       R"json({"metadata":{"name":"v"},"spec":{"capacity":{"storage":"1Gi"},"hostPath":{"path":"/x","type":""},"accessModes":["ReadWriteOnce"],"persistentVolumeReclaimPolicy":"Retain","volumeMode":"Filesystem"},"status":{"phase":"Pending"}})json"},
      {"pvc", PersistentVolumeClaims(), v1::kPersistentVolumeClaimType,
       R"json({"metadata":{"name":"v"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1.5Gi"}},"dataSource":{"kind":"PersistentVolumeClaim","name":"x"}}})json",
       R"json({"metadata":{"name":"v"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1536Mi"}},"volumeMode":"Filesystem","dataSource":{"kind":"PersistentVolumeClaim","name":"x"},"dataSourceRef":{"kind":"PersistentVolumeClaim","name":"x"}},"status":{"phase":"Pending"}})json"},
      {"pvc ref", PersistentVolumeClaims(), v1::kPersistentVolumeClaimType,
       R"json({"metadata":{"name":"v"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}},"dataSourceRef":{"apiGroup":"a.b","kind":"Foo","name":"x"}}})json",
       R"json({"metadata":{"name":"v"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}},"volumeMode":"Filesystem","dataSource":{"apiGroup":"a.b","kind":"Foo","name":"x"},"dataSourceRef":{"apiGroup":"a.b","kind":"Foo","name":"x"}},"status":{"phase":"Pending"}})json"},
      {"node",
       Nodes(), v1::kNodeType, R"json({"metadata":{"name":"n"},"spec":{"podCIDR":"10.0.0.0/24"},"status":{"capacity":{"cpu":"4","memory":"1Gi"}}})json", R"json({"metadata":{"name":"n"},"spec":{"podCIDR":"10.0.0.0/24","podCIDRs":["10.0.0.0/24"]},"status":{"capacity":{"cpu":"4","memory":"1Gi"},"allocatable":{"cpu":"4","memory":"1Gi"},"daemonEndpoints":{"kubeletEndpoint":{"Port":0}},"nodeInfo":{"machineID":"","systemUUID":"","bootID":"","kernelVersion":"","osImage":"","containerRuntimeVersion":"","kubeletVersion":"","kubeProxyVersion":"","operatingSystem":"","architecture":""}}})json"},
  };
  for (const ValidCase& c : cases) {
    Doc doc = Prepared(c.strategy, c.object, c.type);
    EXPECT_THAT(Texts(c.strategy.Validate(WriteContext(), doc)), ::testing::IsEmpty()) << c.name;
    // Times of the day.
    if (&c.type == &v1::kPersistentVolumeType)
      v1::PersistentVolumeEditor(doc).mutable_status().clear_last_phase_transition_time();
    if (&c.type == &v1::kPodType) v1::PodEditor(doc).mutable_status().clear_conditions();
    const Doc expected = DocFromJson(c.expected, c.type);
    EXPECT_TRUE(Equal(doc.root(), expected.root())) << c.name << ": " << ToJson(doc);
    const std::string once = ToJson(doc);
    api::SetDefaults(doc);
    EXPECT_EQ(ToJson(doc), once) << c.name << ", a second time";
  }
}

TEST(PodFamilyTest, AppArmorAnnotationsBecomeFields) {
  const auto prepared = [](std::string_view annotation, std::vector<std::string>& warnings) {
    Doc doc =
        DocFromJson(R"({"metadata":{"name":"p","annotations":{
                              "container.apparmor.security.beta.kubernetes.io/c":")" +
                        std::string(annotation) + R"("}},"spec":{"containers":[{"name":"c","image":"i"}]}})",
                    v1::kPodType);
    WriteContext context;
    context.warnings = &warnings;
    Pods().PrepareForCreate(context, doc);
    base::BufferBuilder out;
    const auto field = v1::PodView(doc).spec().containers()[0].security_context().app_armor_profile();
    if (field) api::json::Encode(*field.node(), out);
    return std::string(out.view());
  };
  std::vector<std::string> warnings;
  EXPECT_EQ(prepared("localhost/x", warnings), R"({"type":"Localhost","localhostProfile":"x"})");
  EXPECT_EQ(warnings,
            (std::vector<std::string>{
                "metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since "
                "v1.30; use the \"appArmorProfile\" field instead"}));
  EXPECT_EQ(prepared("runtime/default", warnings), R"({"type":"RuntimeDefault"})");
  // What makes no sense is left to validation, and warned of all the same.
  EXPECT_EQ(prepared("bogus", warnings), "");
  EXPECT_EQ(warnings.size(), 3u);
}

}  // namespace
}  // namespace keelson::registry::core
