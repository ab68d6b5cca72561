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

// The resource of a kind of parameters; null: nobody knows it.
const api::ResourceDesc* ResourceOfParamKind(api::admissionregistration_v1::ParamKindView kind);

// One empty document where there is nothing to hand in. The error is why there can be none.
using Params = base::Result<std::vector<api::Doc>, std::string>;
base::Task<Params> CollectParams(api::admissionregistration_v1::ParamKindView kind,
                                 api::admissionregistration_v1::ParamRefView ref, std::string ns,
                                 const client::Client& objects);

}  // namespace keelson::admission
