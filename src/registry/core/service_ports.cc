#include "registry/core/service_ports.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "api/validation/core/service.h"
#include "registry/core/random.h"
#include "registry/core/service_fields.h"

namespace keelson::registry::core {
namespace {

using namespace api::core_v1;
using api::field::Path;

bool AllocatesNodePorts(ServiceSpecView spec) {
  return spec.type() == ServiceType::kNodePort ||
         (spec.type() == ServiceType::kLoadBalancer && spec.allocate_load_balancer_node_ports());
}

std::vector<int> NodePortList(ServiceSpecView spec) {
  std::vector<int> ports;
  for (const auto port : spec.ports())
    if (port.node_port() != 0) ports.push_back(port.node_port());
  return ports;
}

// One write's dealings with the bitmap.
class Planner {
 public:
  Planner(ServiceView now, PortBitmap& ports, bool dry_run)
      : service_(now), spec_(now.spec()), ports_(ports), dry_run_(dry_run) {
    for (const auto port : spec_.ports()) {
      plan_.node_ports.push_back(port.node_port());
      if (port.node_port() != 0) requested_.emplace(port.port(), port.node_port());
    }
  }

  // Ports with the same number (for several protocols) share one port of the nodes.
  rest::Result<void> Init() {
    std::map<int32_t, int> by_number;
    for (size_t i = 0; i < spec_.ports().size(); ++i) {
      const auto port = spec_.ports()[i];
      if (port.node_port() == 0 && !AllocatesNodePorts(spec_)) continue;
      int& shared = by_number[port.port()];
      if (shared == 0) {
        const int requested = Requested(port.port());
        shared = plan_.node_ports[i] = TRY(requested != 0 ? Take(requested, i) : TakeNext());
      } else if (port.node_port() == 0) {
        plan_.node_ports[i] = shared;
      } else if (port.node_port() != shared) {
        TRY(Take(port.node_port(), i));
      }
    }
    return {};
  }

  rest::Result<void> Update(ServiceSpecView was) {
    const std::vector<int> ports_before = NodePortList(was);
    const std::set<int> before(ports_before.begin(), ports_before.end());
    std::set<std::pair<std::string_view, int>> seen;
    for (size_t i = 0; i < spec_.ports().size(); ++i) {
      const auto port = spec_.ports()[i];
      if (port.node_port() == 0 && !AllocatesNodePorts(spec_)) continue;
      int number = port.node_port();
      if (number == 0) {
        number = plan_.node_ports[i] = TRY(TakeNext());
      } else if (!before.contains(number) && !taken_.contains(number)) {
        TRY(Take(number, i));
      }
      if (!seen.emplace(port.protocol(), number).second) {
        return base::Err(api::InternalError("duplicate nodePort: {" + std::string(port.protocol()) + " " +
                                            std::to_string(number) + "}"));
      }
    }
    const std::set<int> kept(plan_.node_ports.begin(), plan_.node_ports.end());
    for (const int port : ports_before)
      if (!kept.contains(port)) plan_.given_up.push_back(port);
    return {};
  }

  rest::Result<void> TakeHealthCheck() {
    const int requested = spec_.health_check_node_port();
    if (requested != 0) {
      if (const std::string why = TryTake(requested); !why.empty()) {
        return base::Err(api::InternalError("failed to allocate requested HealthCheck NodePort " +
                                            std::to_string(requested) + ": " + why));
      }
      return {};
    }
    const int next = Next();
    if (next == 0)
      return base::Err(api::InternalError("failed to allocate a HealthCheck NodePort 0: range is full"));
    plan_.health_check = next;
    return {};
  }

  void GiveUp(std::vector<int> ports) { std::ranges::copy(ports, std::back_inserter(plan_.given_up)); }
  PortPlan Done() { return std::move(plan_); }

 private:
  // The node port that any port with this number asks for.
  int Requested(int32_t number) const {
    const auto found = requested_.find(number);
    return found == requested_.end() ? 0 : found->second;
  }

  // Why the port cannot be had; empty: it was taken.
  std::string TryTake(int port) {
    if (ports_.Has(port) || (dry_run_ && taken_.contains(port))) return "provided port is already allocated";
    if (!dry_run_) {
      if (!ports_.range().Contains(port))
        return "provided port is not in the valid range. The range of valid ports is " +
               ports_.range().ToString();
      ports_.Take(port);
    }
    Took(port);
    return {};
  }

  int Next() {
    constexpr int kMadeUp = 32768;
    int port = 0;
    if (dry_run_) {
      port = (taken_.empty() ? kMadeUp : *taken_.rbegin()) + 1;
    } else {
      port = ports_.TakeNext(RandomBelow).value_or(0);
    }
    if (port != 0) Took(port);
    return port;
  }

  void Took(int port) {
    plan_.taken.push_back(port);
    taken_.insert(port);
  }

  rest::Result<int> Take(int port, size_t index) {
    const std::string why = TryTake(port);
    if (why.empty()) return port;
    const Path spec("spec"), ports = spec.Child("ports"), at = ports.Index(index);
    api::field::ErrorList errors;
    errors.Add(api::field::Invalid(at.Child("nodePort"), api::field::RenderValue(port), why));
    return base::Err(api::Invalid({"", "Service"}, service_.metadata().name(), errors));
  }

  rest::Result<int> TakeNext() {
    if (const int port = Next(); port != 0) return port;
    return base::Err(api::InternalError("failed to allocate a nodePort: range is full"));
  }

  const ServiceView service_;
  const ServiceSpecView spec_;
  PortBitmap& ports_;
  const bool dry_run_;
  std::map<int32_t, int> requested_;  // the first node port that ports of a number ask for
  PortPlan plan_;
  std::set<int> taken_;  // plan_.taken
};

}  // namespace

rest::Result<PortPlan> PlanPorts(ServiceView now, ServiceView was, PortBitmap& ports, bool dry_run) {
  Planner planner(now, ports, dry_run);
  const bool needs_check = api::core::NeedsHealthCheck(now),
             needed_check = was && api::core::NeedsHealthCheck(was);
  if (MayHaveNodePorts(now.spec())) {
    TRY(was ? planner.Update(was.spec()) : planner.Init());
  } else if (MayHaveNodePorts(was.spec())) {
    planner.GiveUp(NodePortList(was.spec()));
  }
  if (needs_check && !needed_check) {
    TRY(planner.TakeHealthCheck());
  } else if (needed_check && !needs_check) {
    planner.GiveUp({was.spec().health_check_node_port()});
  }
  return planner.Done();
}

void ApplyPlan(const PortPlan& plan, ServiceEditor service) {
  auto spec = service.mutable_spec();
  size_t i = 0;
  for (auto port : spec.edit_ports()) port.set_node_port(plan.node_ports[i++]);
  if (plan.health_check != 0) spec.set_health_check_node_port(plan.health_check);
}

bool ConcernsPorts(ServiceView now, ServiceView was) {
  return MayHaveNodePorts(now.spec()) || MayHaveNodePorts(was.spec());
}

std::vector<int> NodePortsHeldBy(ServiceView service) {
  std::vector<int> ports = NodePortList(service.spec());
  if (api::core::NeedsHealthCheck(service) && service.spec().health_check_node_port() > 0)
    ports.push_back(service.spec().health_check_node_port());
  std::ranges::sort(ports);
  ports.erase(std::ranges::unique(ports).begin(), ports.end());
  return ports;
}

}  // namespace keelson::registry::core
