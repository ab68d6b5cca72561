// ConfigurationInformers: flow schemas and priority levels for FlowControl, as they change.
#pragma once

#include "base/executor.h"
#include "client/client.h"
#include "client/informer.h"
#include "server/flow_control/flow_control.h"

namespace keelson::server::flow_control {

// Threads: on `loop`.
class ConfigurationInformers {
 public:
  // Borrows all three.
  ConfigurationInformers(const client::Client& client, FlowControl& control, base::Executor& loop);

  void Start();

 private:
  void SeeLevel(const client::Change& change);
  void SeeSchema(const client::Change& change);
  void ToldAll();

  FlowControl& control_;
  client::Informer levels_, schemas_;
  bool changed_ = false;  // since the configuration was last applied
};

}  // namespace keelson::server::flow_control
