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
  // Applies what has changed, unless some of it is still to be told: half of a configuration is none.
  void ToldAll(bool& told);

  FlowControl& control_;
  client::Informer levels_, schemas_;
  bool levels_told_ = false, schemas_told_ = false;  // all that there are
  bool changed_ = false;                             // since the configuration was last applied
};

}  // namespace keelson::server::flow_control
