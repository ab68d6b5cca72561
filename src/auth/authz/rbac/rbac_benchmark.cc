// What a decision costs with 10,000 bindings and 1,000 roles; the goal is 2 microseconds.
#include <benchmark/benchmark.h>

#include "auth/authz/rbac/rbac_authorizer.h"

namespace keelson::auth::rbac {
namespace {

constexpr int kRoles = 1000, kBindings = 10000;

std::string Number(std::string_view what, int i) { return std::string(what) + std::to_string(i); }

// Each role has ten rules on some of 200 resources; each binding gives one to a user and a group, half of
// them in one of 100 namespaces, and every thousandth to a group that everybody is in. kUser is a subject
// of 75.
void Fill(RuleIndex& index) {
  for (int i = 0; i < kRoles; ++i) {
    std::vector<PolicyRule> rules;
    for (int r = 0; r < 10; ++r)
      rules.push_back({.verbs = {"get", "list", "watch", i % 2 ? "create" : "update"},
                       .groups = {Number("group", r % 4)},
                       .resources = {Number("resource", (i * 7 + r) % 200),
                                     Number("resource", (i + r) % 200) + "/status"}});
    index.PutRole("", Number("role", i), std::move(rules));
  }
  for (int i = 0; i < kBindings; ++i) {
    base::IntrusivePtr<Binding> binding(new Binding);
    binding->ns = i % 2 ? Number("ns", i % 100) : "";
    binding->name = Number("binding", i);
    binding->role_kind = "ClusterRole";
    binding->role_name = Number("role", i % kRoles);
    binding->subjects = {{Subject::Kind::kUser, Number("user", i % 2000), ""},
                         {Subject::Kind::kGroup, Number("team", i % 500), ""}};
    if (i % 1000 == 0) binding->subjects.push_back({Subject::Kind::kGroup, "system:authenticated", ""});
    index.PutBinding(binding);
  }
  index.Publish();
}

RbacAuthorizer& Filled() {
  static RbacAuthorizer rbac;
  static const bool filled = (Fill(rbac.index()), true);
  benchmark::DoNotOptimize(filled);
  return rbac;
}

void Decide(benchmark::State& state, const Attributes& attributes) {
  RbacAuthorizer& rbac = Filled();
  for (auto _ : state) benchmark::DoNotOptimize(rbac.AuthorizeNow(attributes));
  state.SetLabel(rbac.AuthorizeNow(attributes)->decision == Decision::kAllow ? "allowed" : "refused");
}

const User kUser{.name = "user42", .groups = {"team42", "team7", "team300", "system:authenticated"}};

void BM_Allowed(benchmark::State& state) {
  Decide(state, {.user = &kUser,
                 .verb = "get",
                 .resource_request = true,
                 .group = "group0",
                 .resource = "resource94",
                 .ns = "ns42",
                 .wants_reason = false});
}
BENCHMARK(BM_Allowed);

void BM_AllowedWithReason(benchmark::State& state) {
  Decide(state, {.user = &kUser,
                 .verb = "get",
                 .resource_request = true,
                 .group = "group0",
                 .resource = "resource94",
                 .ns = "ns42"});
}
BENCHMARK(BM_AllowedWithReason);

void BM_RefusedAfterAllRolesWereAsked(benchmark::State& state) {
  Decide(state, {.user = &kUser,
                 .verb = "delete",
                 .resource_request = true,
                 .group = "group0",
                 .resource = "resource94",
                 .subresource = "status",
                 .ns = "ns43"});
}
BENCHMARK(BM_RefusedAfterAllRolesWereAsked);

void BM_RefusedByGroup(benchmark::State& state) {
  Decide(state, {.user = &kUser,
                 .verb = "get",
                 .resource_request = true,
                 .group = "nothing",
                 .resource = "resource94",
                 .ns = "ns43"});
}
BENCHMARK(BM_RefusedByGroup);

// A binding comes and goes.
void BM_ChangeOneBinding(benchmark::State& state) {
  RuleIndex& index = Filled().index();
  for (auto _ : state) {
    base::IntrusivePtr<Binding> binding(new Binding);
    binding->ns = "ns1";
    binding->name = "changing";
    binding->role_kind = "ClusterRole";
    binding->role_name = "role1";
    binding->subjects = {{Subject::Kind::kUser, "user42", ""}};
    index.PutBinding(binding);
    index.Publish();
    index.RemoveBinding("ns1", "changing");
    index.Publish();
  }
}
BENCHMARK(BM_ChangeOneBinding);

}  // namespace
}  // namespace keelson::auth::rbac

BENCHMARK_MAIN();
