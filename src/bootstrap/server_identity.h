// ServerIdentity: the lease in kube-system by which others know that this server runs.
#pragma once

#include <chrono>
#include <string>

#include "base/one_at_a_time.h"
#include "bootstrap/ensure.h"

namespace keelson::bootstrap {

// "apiserver-" and what is made of the host's name: a server that starts again on its host has the same.
std::string ServerIdOf(std::string_view host_name);

// Threads: one loop; what is called while another call is under way waits for it. Borrows the client.
class ServerIdentity {
 public:
  struct Options {
    std::string host_name;
    std::string holder;   // of the lease: of this process alone
    std::string address;  // "host:port" that other servers reach this one at
  };
  ServerIdentity(const client::Client& client, Options options);

  // The server starts: makes the lease, in place of the one that an earlier process on this host left, so
  // that others notice that this is another one.
  base::Task<Done> Begin();
  // Makes the lease, or says in it that the server still runs.
  base::Task<Done> Renew();
  // Removes the leases of servers that have not run for an hour.
  base::Task<Done> RemoveExpired();
  // The server is about to stop: the lease goes, and Renew does nothing from now on.
  base::Task<Done> Withdraw();

 private:
  bool Put(api::Doc& doc) const;
  base::Task<Done> Write();
  base::Task<Done> Remove();

  const client::Client& client_;
  const Options options_;
  const std::string name_;
  base::OneAtATime turns_;
  bool withdrawn_ = false;
};

}  // namespace keelson::bootstrap
