#include "api/validation/flowcontrol/bootstrap.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "api/codec/json.h"
#include "api/generated/flowcontrol_v1.h"
#include "base/slice.h"

namespace keelson::api::flowcontrol {
namespace {

// The set that an object belongs to. The server restores mandatory objects that somebody has changed;
// suggested objects may be changed.
enum class Set : uint8_t { kMandatory, kSuggested };

// An object of one of the tables below: its name, its set and its spec in JSON.
struct Row {
  std::string_view name;
  Set set;
  std::string_view spec;
};

constexpr Row kPriorityLevels[] = {
    {"catch-all", Set::kMandatory,
     R"({"type":"Limited","limited":{"nominalConcurrencyShares":5,"lendablePercent":0,"limitResponse":{
        "type":"Reject"}}})"},
    {"exempt", Set::kMandatory,
     R"({"type":"Exempt","exempt":{"nominalConcurrencyShares":0,"lendablePercent":0}})"},
    {"system", Set::kSuggested,
     R"({"type":"Limited","limited":{"nominalConcurrencyShares":30,"lendablePercent":33,
        "limitResponse":{"type":"Queue","queuing":{"queues":64,"handSize":6,"queueLengthLimit":50}}}})"},
    {"node-high", Set::kSuggested,
     R"({"type":"Limited","limited":{"nominalConcurrencyShares":40,"lendablePercent":25,
        "limitResponse":{"type":"Queue","queuing":{"queues":64,"handSize":6,"queueLengthLimit":50}}}})"},
    {"leader-election", Set::kSuggested,
     R"({"type":"Limited","limited":{"nominalConcurrencyShares":10,"lendablePercent":0,"limitResponse":{
        "type":"Queue","queuing":{"queues":16,"handSize":4,"queueLengthLimit":50}}}})"},
    {"workload-high", Set::kSuggested,
     R"({"type":"Limited","limited":{"nominalConcurrencyShares":40,"lendablePercent":50,
        "limitResponse":{"type":"Queue","queuing":{"queues":128,"handSize":6,"queueLengthLimit":50}}}})"},
    {"workload-low", Set::kSuggested,
     R"({"type":"Limited","limited":{"nominalConcurrencyShares":100,"lendablePercent":90,
        "limitResponse":{"type":"Queue","queuing":{"queues":128,"handSize":6,"queueLengthLimit":50}}}})"},
    {"global-default", Set::kSuggested,
     R"({"type":"Limited","limited":{"nominalConcurrencyShares":20,"lendablePercent":50,
        "limitResponse":{"type":"Queue","queuing":{"queues":128,"handSize":6,"queueLengthLimit":50}}}})"},
};

constexpr Row kFlowSchemas[] = {
    {"exempt", Set::kMandatory,
     R"({"priorityLevelConfiguration":{"name":"exempt"},"matchingPrecedence":1,"rules":[{"subjects":[{
        "kind":"Group","group":{"name":"system:masters"}}],"resourceRules":[{"verbs":["*"],"apiGroups":[
        "*"],"resources":["*"],"clusterScope":true,"namespaces":["*"]}],"nonResourceRules":[{"verbs":[
        "*"],"nonResourceURLs":["*"]}]}]})"},
    {"catch-all", Set::kMandatory,
     R"({"priorityLevelConfiguration":{"name":"catch-all"},"matchingPrecedence":10000,
        "distinguisherMethod":{"type":"ByUser"},"rules":[{"subjects":[{"kind":"Group","group":{
        "name":"system:unauthenticated"}},{"kind":"Group","group":{"name":"system:authenticated"}}],
        "resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"],"clusterScope":true,
        "namespaces":["*"]}],"nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["*"]}]}]})"},
    {"system-nodes", Set::kSuggested,
     R"({"priorityLevelConfiguration":{"name":"system"},"matchingPrecedence":500,"distinguisherMethod":{
        "type":"ByUser"},"rules":[{"subjects":[{"kind":"Group","group":{"name":"system:nodes"}}],
        "resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"],"clusterScope":true,
        "namespaces":["*"]}],"nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["*"]}]}]})"},
    {"system-node-high", Set::kSuggested,
     R"({"priorityLevelConfiguration":{"name":"node-high"},"matchingPrecedence":400,
        "distinguisherMethod":{"type":"ByUser"},"rules":[{"subjects":[{"kind":"Group","group":{
        "name":"system:nodes"}}],"resourceRules":[{"verbs":["*"],"apiGroups":[""],"resources":["nodes",
        "nodes/status"],"clusterScope":true,"namespaces":["*"]},{"verbs":["*"],"apiGroups":[
        "coordination.k8s.io"],"resources":["leases"],"namespaces":["*"]}]}]})"},
    {"probes", Set::kSuggested,
     R"({"priorityLevelConfiguration":{"name":"exempt"},"matchingPrecedence":2,"rules":[{"subjects":[{
        "kind":"Group","group":{"name":"system:unauthenticated"}},{"kind":"Group","group":{
        "name":"system:authenticated"}}],"nonResourceRules":[{"verbs":["get"],"nonResourceURLs":[
        "/healthz","/readyz","/livez"]}]}]})"},
    {"system-leader-election", Set::kSuggested,
     R"({"priorityLevelConfiguration":{"name":"leader-election"},"matchingPrecedence":100,
        "distinguisherMethod":{"type":"ByUser"},"rules":[{"subjects":[{"kind":"User","user":{
        "name":"system:kube-controller-manager"}},{"kind":"User","user":{
        "name":"system:kube-scheduler"}},{"kind":"ServiceAccount","serviceAccount":{
        "namespace":"kube-system","name":"*"}}],"resourceRules":[{"verbs":["get","create","update"],
        "apiGroups":["coordination.k8s.io"],"resources":["leases"],"namespaces":["*"]}]}]})"},
    {"kube-controller-manager", Set::kSuggested,
     R"({"priorityLevelConfiguration":{"name":"workload-high"},"matchingPrecedence":800,
        "distinguisherMethod":{"type":"ByNamespace"},"rules":[{"subjects":[{"kind":"User","user":{
        "name":"system:kube-controller-manager"}}],"resourceRules":[{"verbs":["*"],"apiGroups":["*"],
        "resources":["*"],"clusterScope":true,"namespaces":["*"]}],"nonResourceRules":[{"verbs":["*"],
        "nonResourceURLs":["*"]}]}]})"},
    {"kube-scheduler", Set::kSuggested,
     R"({"priorityLevelConfiguration":{"name":"workload-high"},"matchingPrecedence":800,
        "distinguisherMethod":{"type":"ByNamespace"},"rules":[{"subjects":[{"kind":"User","user":{
        "name":"system:kube-scheduler"}}],"resourceRules":[{"verbs":["*"],"apiGroups":["*"],
        "resources":["*"],"clusterScope":true,"namespaces":["*"]}],"nonResourceRules":[{"verbs":["*"],
        "nonResourceURLs":["*"]}]}]})"},
    {"kube-system-service-accounts", Set::kSuggested,
     R"({"priorityLevelConfiguration":{"name":"workload-high"},"matchingPrecedence":900,
        "distinguisherMethod":{"type":"ByNamespace"},"rules":[{"subjects":[{"kind":"ServiceAccount",
        "serviceAccount":{"namespace":"kube-system","name":"*"}}],"resourceRules":[{"verbs":["*"],
        "apiGroups":["*"],"resources":["*"],"clusterScope":true,"namespaces":["*"]}],
        "nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["*"]}]}]})"},
    {"service-accounts", Set::kSuggested,
     R"({"priorityLevelConfiguration":{"name":"workload-low"},"matchingPrecedence":9000,
        "distinguisherMethod":{"type":"ByUser"},"rules":[{"subjects":[{"kind":"Group","group":{
        "name":"system:serviceaccounts"}}],"resourceRules":[{"verbs":["*"],"apiGroups":["*"],
        "resources":["*"],"clusterScope":true,"namespaces":["*"]}],"nonResourceRules":[{"verbs":["*"],
        "nonResourceURLs":["*"]}]}]})"},
    {"global-default", Set::kSuggested,
     R"({"priorityLevelConfiguration":{"name":"global-default"},"matchingPrecedence":9900,
        "distinguisherMethod":{"type":"ByUser"},"rules":[{"subjects":[{"kind":"Group","group":{
        "name":"system:unauthenticated"}},{"kind":"Group","group":{"name":"system:authenticated"}}],
        "resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"],"clusterScope":true,
        "namespaces":["*"]}],"nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["*"]}]}]})"},
};

// Decodes the object of `row`. It has the annotation that tells the server to keep its spec up to date.
// Throws if the spec is not valid.
Doc MakeDoc(const Row& row, std::string_view kind, const TypeDesc& type) {
  std::string text = R"({"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":")";
  text.append(kind).append(R"(","metadata":{"name":")").append(row.name);
  text.append(R"(","annotations":{")").append(kAutoUpdateAnnotation).append(R"(":"true"}},"spec":)");
  text.append(row.spec).append("}");
  Arena arena;
  const std::string_view held = arena.Hold(base::Slice::Copy(text));
  json::StrictErrors strict;
  const auto root = json::Decode(held, type, arena, &strict);
  if (!root || !strict.empty()) throw std::logic_error("bad bootstrap object " + std::string(row.name));
  return Doc(std::move(arena), *root);
}

// Makes the objects of all rows of a table.
std::vector<BootstrapObject> Make(std::span<const Row> rows, std::string_view kind, const TypeDesc& type) {
  std::vector<BootstrapObject> objects;
  for (const Row& row : rows)
    objects.push_back({row.name, row.set == Set::kMandatory, MakeDoc(row, kind, type)});
  return objects;
}

}  // namespace

std::span<const BootstrapObject> BootstrapPriorityLevels() {
  static const auto objects = Make(kPriorityLevels, "PriorityLevelConfiguration",
                                   flowcontrol_v1::PriorityLevelConfigurationView::Type());
  return objects;
}

std::span<const BootstrapObject> BootstrapFlowSchemas() {
  static const auto objects = Make(kFlowSchemas, "FlowSchema", flowcontrol_v1::FlowSchemaView::Type());
  return objects;
}

}  // namespace keelson::api::flowcontrol
