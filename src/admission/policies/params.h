// Parameters: the objects that a binding hands to its policy.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/generated/admissionregistration_v1.h"
#include "api/types/resource_desc.h"
#include "base/result.h"
#include "base/task.h"
#include "client/client.h"

namespace keelson::admission {

// The resource of a kind of parameters, built-in or custom, in the version that the kind names.
struct ParamResource {
  const api::ResourceDesc* version = nullptr;  // null: nothing that is served has that kind
  client::SourcePtr source;                    // keeps it, if it is custom
};
ParamResource ResourceOfParamKind(api::admissionregistration_v1::ParamKindView kind,
                                  const client::Client& objects);

struct ParamList {
  std::vector<api::Doc> docs;  // in the version that the policy names
  client::SourcePtr source;    // of custom documents: their type lives as long as this
};
// One empty document where there is nothing to hand in. The error is why there can be none.
using Params = base::Result<ParamList, std::string>;
base::Task<Params> CollectParams(api::admissionregistration_v1::ParamKindView kind,
                                 api::admissionregistration_v1::ParamRefView ref, std::string ns,
                                 const client::Client& objects);

}  // namespace keelson::admission
