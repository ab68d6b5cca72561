// GraphInformers: pods, volumes, attachments, slices and requests for certificates, if those are served, for
// the Node authorizer.
#pragma once

#include "auth/authz/index_informers.h"
#include "auth/authz/node/graph.h"

namespace keelson::auth::node {

class GraphInformers final : public IndexInformers {
 public:
  // Borrows all three.
  GraphInformers(const client::Client& client, Graph& graph, base::Executor& loop);
};

}  // namespace keelson::auth::node
