// RemoteClient: objects of aggregated APIs for this server's own controllers. It asks the backends directly,
// as one of the users that upstream's controllers are.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "aggregator/api_service_table.h"
#include "aggregator/ask.h"
#include "aggregator/backends.h"
#include "auth/user.h"
#include "controllers/remote_resources.h"
#include "endpoints/discovery/registered.h"

namespace keelson::aggregator {

// The resources of one version that namespace deletion and garbage collection can work on.
// `resources`: the JSON of a list of APIResourceDiscovery. What cannot be read is left out.
std::vector<controllers::RemoteResource> ReadCollectable(std::string_view resources, std::string_view group,
                                                         std::string_view version);

// The objects of one page of a list, of whatever kind, and where it goes on; an error says what is wrong.
struct RemotePage {
  std::vector<controllers::RemoteObject> objects;
  std::string next;  // empty: this was the last
};
base::Result<RemotePage, std::string> ReadRemotePage(std::string_view json);

// Threads: everything on the loop of the table. Borrows the table and the backends.
class RemoteClient final : public controllers::RemoteResources {
 public:
  // `account`: of the controller, in kube-system.
  RemoteClient(const ApiServiceTable& table, Backends& backends, std::string_view account);

  // Replaces the APIServices that have a backend.
  void SetRegistered(const endpoints::discovery::Registered& registered);

  std::vector<controllers::RemoteResource> All() const override { return all_; }
  std::vector<std::string> Unknown() const override { return unknown_; }
  Asked<std::vector<controllers::RemoteObject>> List(controllers::RemoteResource resource,
                                                     std::string ns) const override;
  Asked<std::optional<controllers::RemoteObject>> Get(controllers::RemoteResource resource, std::string ns,
                                                      std::string name) const override;
  Asked<void> Delete(controllers::RemoteResource resource, std::string ns, std::string name,
                     client::DeleteOptions options) const override;
  Asked<void> DeleteAll(controllers::RemoteResource resource, std::string ns) const override;
  Asked<void> WriteOwnership(controllers::RemoteResource resource,
                             controllers::RemoteObject object) const override;

  // How many questions one backend is asked at a time, and how long each may take.
  static constexpr size_t kMostAtATime = 32;
  static constexpr std::chrono::seconds kTimeout{5};
  // Objects of a page, and pages of a list: what is longer cannot be listed.
  static constexpr size_t kPage = 500, kMostPages = 2000;

 private:
  // The body of an answer of success; other answers are errors, by their Status where they have one.
  Asked<std::string> AskFor(controllers::RemoteResource resource, Question question) const;

  const ApiServiceTable& table_;
  Backends& backends_;
  const auth::User user_;
  std::vector<controllers::RemoteResource> all_;
  std::vector<std::string> unknown_;
  mutable std::map<std::string, size_t, std::less<>> asking_;  // under way, by name of the APIService
};

}  // namespace keelson::aggregator
