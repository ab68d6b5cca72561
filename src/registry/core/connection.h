// Connection: a subresource that clients connect to (exec, attach, portforward, the proxies). What they have
// in common: the query is read into an options object, admission judges that, and only then is anything
// connected.
#pragma once

#include "api/types/doc.h"
#include "net/http/url.h"
#include "registry/group.h"

namespace keelson::registry::core {

class Connection : public Serving, public rest::Connecter {
 public:
  // Requires: the subresource's kind is that of its options.
  explicit Connection(ServingOptions options);

  rest::Verbs verbs() override { return {.connect = this}; }
  base::Task<rest::Result<net::http::Response>> Connect(rest::ConnectRequest request) final;

 protected:
  const ServingOptions& serving() const { return options_; }

 private:
  // What the query does not tell of the options.
  virtual void Complete(const rest::ConnectRequest&, api::Doc&) const {}
  // Requires: `options` are admitted.
  virtual base::Task<rest::Result<net::http::Response>> ConnectAdmitted(rest::ConnectRequest request,
                                                                        api::Doc options) = 0;

  const ServingOptions options_;
  const api::SubresourceDesc* desc_ = nullptr;
  const api::TypeDesc* type_ = nullptr;
};

// The parameters of `query` that `type` has fields for, read as upstream reads them: any value but "0" and
// "false" is true, ports may be a list with commas. 400 for what does not parse. Requires: the fields are
// booleans, strings, and lists of strings or ports.
rest::Result<api::Doc> ReadConnectOptions(const net::http::Query& query, const api::TypeDesc& type);

}  // namespace keelson::registry::core
