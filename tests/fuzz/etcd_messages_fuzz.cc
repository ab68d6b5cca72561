// Requests to Keelson under the name etcd: whatever the bytes are, they are such a
// message or they are not, and what is read lies within them.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <variant>

#include "etcd/messages.h"

namespace {

using namespace keelson;

void CheckWithin(std::string_view part, std::string_view message) {
  if (part.empty()) return;
  if (part.data() < message.data() || part.data() + part.size() > message.data() + message.size())
    std::abort();
}

void Check(const etcd::TxnRequest& txn, std::string_view message) {
  for (const etcd::Compare& compare : txn.compares) {
    CheckWithin(compare.key, message);
    CheckWithin(compare.range_end, message);
    CheckWithin(compare.value, message);
  }
  for (const auto* operations : {&txn.success, &txn.failure})
    for (const etcd::Operation& operation : *operations) {
      if (const auto* const put = std::get_if<etcd::PutRequest>(&operation))
        CheckWithin(put->value.view(), message);
      if (const auto* const nested = std::get_if<etcd::TxnRequest>(&operation)) Check(*nested, message);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto message = base::Slice::Copy({reinterpret_cast<const char*>(data), size});
  if (const auto range = etcd::DecodeRange(message)) CheckWithin(range->key, message.view());
  if (const auto put = etcd::DecodePut(message)) CheckWithin(put->value.view(), message.view());
  if (const auto range = etcd::DecodeDeleteRange(message)) CheckWithin(range->range_end, message.view());
  if (const auto txn = etcd::DecodeTxn(message)) Check(*txn, message.view());
  if (const auto watch = etcd::DecodeWatch(message))
    if (const auto* const create = std::get_if<etcd::WatchCreateRequest>(&*watch))
      CheckWithin(create->key, message.view());
  (void)etcd::DecodeNumbers(message);
  return 0;
}
