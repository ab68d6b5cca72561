// NodeFeeds: pods, volumes, attachments and slices for the Node authorizer.
#pragma once

#include "app/index_feeds.h"
#include "app/resources.h"
#include "auth/authz/node/graph.h"

namespace keelson::app {

class NodeFeeds final : public IndexFeeds {
 public:
  // Borrows all three.
  NodeFeeds(const Resources& resources, auth::node::Graph& graph, base::Executor& loop);
};

}  // namespace keelson::app
