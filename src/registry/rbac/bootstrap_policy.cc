#include "registry/rbac/bootstrap_policy.h"

#include <algorithm>
#include <stdexcept>

#include "api/generated/rbac_v1.h"
#include "api/meta/object_meta.h"
#include "registry/rbac/policy_text.h"

namespace keelson::registry::rbac {
namespace {

using namespace api::rbac_v1;

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
constexpr std::string_view kApiVersion = "rbac.authorization.k8s.io/v1";
constexpr std::string_view kAggregateTo = "rbac.authorization.k8s.io/aggregate-to-";

// Takes the words of one statement, its continuation lines included.
class Words {
 public:
  explicit Words(std::string_view& text) : text_(text) {}

  bool at_end() const { return text_.empty() || (text_.front() == '\n' && !ContinuesAt(text_)); }

  std::string Next() {
    SkipBlanks();
    std::string word;
    for (;;) {
      const size_t end = std::min(text_.find_first_of(" \n"), text_.size());
      word += text_.substr(0, end);
      text_.remove_prefix(end);
      if (!word.ends_with(',')) break;
      SkipBlanks();
    }
    if (word.empty()) throw std::logic_error("bootstrap policy: a word is missing");
    return word;
  }
  // Whether the next word is `keyword`, which is taken then.
  bool Take(std::string_view keyword) {
    if (at_end()) return false;
    SkipBlanks();
    const size_t end = std::min(text_.find_first_of(" \n"), text_.size());
    if (text_.substr(0, end) != keyword) return false;
    text_.remove_prefix(end);
    return true;
  }
  void EndStatement() {
    if (!at_end()) throw std::logic_error("bootstrap policy: unexpected " + Next());
    while (text_.starts_with('\n')) text_.remove_prefix(1);
  }

 private:
  static bool ContinuesAt(std::string_view text) { return text.starts_with("\n      "); }
  void SkipBlanks() {
    while (text_.starts_with(' ') || ContinuesAt(text_)) text_.remove_prefix(1);
  }
  std::string_view& text_;
};

template <class Add>
void ForEach(std::string_view list, const Add& add) {
  for (size_t start = 0;;) {
    const size_t comma = std::min(list.find(',', start), list.size());
    add(list.substr(start, comma - start));
    if (comma == list.size()) return;
    start = comma + 1;
  }
}

void ParseRule(Words& words, PolicyRuleEditor rule) {
  ForEach(words.Next(), [&](std::string_view verb) { rule.add_verbs(verb); });
  if (words.Take("url")) {
    ForEach(words.Next(), [&](std::string_view url) { rule.add_non_resource_urls(url); });
    return;
  }
  if (!words.Take("on")) throw std::logic_error("bootstrap policy: a rule on nothing");
  ForEach(words.Next(), [&](std::string_view resource) { rule.add_resources(resource); });
  if (!words.Take("of")) throw std::logic_error("bootstrap policy: resources of no group");
  ForEach(words.Next(), [&](std::string_view group) { rule.add_api_groups(group == "core" ? "" : group); });
  if (words.Take("named"))
    ForEach(words.Next(), [&](std::string_view name) { rule.add_resource_names(name); });
}

void ParseSubject(Words& words, std::string_view what, SubjectEditor subject) {
  const std::string name = words.Next();
  if (what == "account") {
    const size_t slash = name.find('/');
    subject.set_kind_static("ServiceAccount");
    subject.set_namespace(name.substr(0, slash));
    subject.set_name(name.substr(slash + 1));
    return;
  }
  subject.set_kind_static(what == "user" ? "User" : "Group");
  subject.set_api_group_static(kGroup);
  subject.set_name(name);
}

template <class Editor>
void SetHead(Editor editor, std::string_view kind, std::string_view name) {
  editor.set_kind_static(kind);
  editor.set_api_version_static(kApiVersion);
  auto metadata = editor.mutable_metadata();
  metadata.set_name(name);
  metadata.put_labels("kubernetes.io/bootstrapping", "rbac-defaults");
  metadata.put_annotations("rbac.authorization.kubernetes.io/autoupdate", "true");
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  void AppendTo(std::vector<PolicyObject>& objects) {
    while (!text_.empty()) objects.push_back(Object());
  }

 private:
  PolicyObject Object() {
    Words words(text_);
    const std::string what = words.Next(), name = words.Next();
    if (what == "cluster-role") return ClusterRole(words, name);
    if (what == "role") return NamespacedRole(words, name);
    if (what == "cluster-binding")
      return Binding<ClusterRoleBindingEditor>(words, name, "ClusterRoleBinding", "ClusterRole",
                                               "clusterrolebindings", ClusterRoleBindingView::Type());
    if (what == "binding")
      return Binding<RoleBindingEditor>(words, name, "RoleBinding", "Role", "rolebindings",
                                        RoleBindingView::Type());
    throw std::logic_error("bootstrap policy: no such kind: " + what);
  }

  PolicyObject ClusterRole(Words& words, std::string_view name) {
    api::Doc doc(ClusterRoleView::Type());
    ClusterRoleEditor role(doc);
    SetHead(role, "ClusterRole", name);
    if (words.Take("part-of"))
      role.mutable_metadata().put_labels(std::string(kAggregateTo) + words.Next(), "true");
    if (words.Take("made-of"))
      role.mutable_aggregation_rule().add_cluster_role_selectors().put_match_labels(
          std::string(kAggregateTo) + words.Next(), "true");
    words.EndStatement();
    Rules(role);
    return {"clusterroles", std::move(doc)};
  }

  PolicyObject NamespacedRole(Words& words, std::string_view name) {
    api::Doc doc(RoleView::Type());
    RoleEditor role(doc);
    SetHead(role, "Role", name);
    if (words.Take("in")) role.mutable_metadata().set_namespace(words.Next());
    words.EndStatement();
    Rules(role);
    return {"roles", std::move(doc)};
  }

  template <class Editor>
  PolicyObject Binding(Words& words, std::string_view name, std::string_view kind, std::string_view role_kind,
                       std::string_view resource, const api::TypeDesc& type) {
    api::Doc doc(type);
    Editor binding(doc);
    SetHead(binding, kind, name);
    if (words.Take("in")) binding.mutable_metadata().set_namespace(words.Next());
    auto role = binding.mutable_role_ref();
    role.set_api_group_static(kGroup);
    role.set_kind_static(role_kind);
    role.set_name(words.Take("to") ? words.Next() : std::string(name));
    words.EndStatement();
    while (text_.starts_with(' ')) {
      const std::string what = words.Next();
      ParseSubject(words, what, binding.add_subjects());
      words.EndStatement();
    }
    return {resource, std::move(doc)};
  }

  template <class Editor>
  void Rules(Editor role) {
    Words words(text_);
    while (text_.starts_with(' ')) {
      if (!words.Take("allow")) throw std::logic_error("bootstrap policy: a role allows, no more");
      ParseRule(words, role.add_rules());
      words.EndStatement();
    }
  }

  std::string_view text_;
};

// Puts the rules of `more`, a cluster role, into the one of its name; false: there is none.
bool AddRules(std::vector<PolicyObject>& objects, PolicyObject& more) {
  if (more.resource != "clusterroles") return false;
  const auto found = std::ranges::find_if(objects, [&](const PolicyObject& object) {
    return object.resource == more.resource &&
           api::MetadataOf(object.doc).name() == api::MetadataOf(more.doc).name();
  });
  if (found == objects.end()) return false;
  ClusterRoleEditor role(found->doc);
  for (auto rule : ClusterRoleEditor(more.doc).edit_rules())
    role.mutable_rules().Append(api::DeepCopy(api::Value::Of(rule.node()), found->doc.arena()),
                                found->doc.arena());
  return true;
}

}  // namespace

std::vector<PolicyObject> BootstrapPolicy(const GateIsOn& gate_is_on) {
  std::vector<PolicyObject> objects;
  Parser(kCorePolicy).AppendTo(objects);
  Parser(kControllerPolicy).AppendTo(objects);
  for (const GatedPolicy& gated : GatedPolicies()) {
    if (!gate_is_on || !gate_is_on(gated.gate)) continue;
    std::vector<PolicyObject> more;
    Parser(gated.text).AppendTo(more);
    for (PolicyObject& object : more)
      if (!AddRules(objects, object)) objects.push_back(std::move(object));
  }
  constexpr std::string_view kOrder[] = {"clusterroles", "clusterrolebindings", "roles", "rolebindings"};
  std::ranges::stable_sort(objects, {}, [&](const PolicyObject& object) {
    return std::ranges::find(kOrder, object.resource) - kOrder;
  });
  return objects;
}

}  // namespace keelson::registry::rbac
