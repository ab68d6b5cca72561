// Answers of admission webhooks: whatever they say, there is an answer or an error that says why not, and a
// patch leaves an object or an error.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "admission/json_patching.h"
#include "admission/webhooks/review.h"
#include "api/generated/core_v1.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace keelson;
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  for (const std::string_view version : {"v1", "v1beta1"})
    for (const bool mutating : {false, true}) {
      const auto answer = admission::ReadAnswer(body, version, "u", mutating);
      if (!answer) {
        if (answer.error().message.empty()) std::abort();
        continue;
      }
      if (!mutating && !answer->patch.empty()) std::abort();
      const api::Status denial = admission::DenialOf("hook", answer->result);
      if (denial.code < 400 || denial.status == "Success" || denial.message.empty()) std::abort();
      api::Arena arena;
      const auto patch = api::JsonPatch::Parse(answer->patch, arena, nullptr);
      if (!patch) continue;
      const auto patched = admission::ApplyJsonPatch(
          *patch, R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"m"},"data":{"a":"1"}})",
          api::core_v1::kConfigMapType, arena);
      if (!patched && patched.error().message.empty()) std::abort();
    }
  return 0;
}
