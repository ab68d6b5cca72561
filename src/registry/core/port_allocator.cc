#include "registry/core/port_allocator.h"

#include "api/codec/protobuf.h"
#include "api/generated/core_v1.h"
#include "api/types/doc.h"
#include "registry/decode.h"
#include "registry/errors.h"

namespace keelson::registry::core {
namespace {

using api::core_v1::RangeAllocationEditor;
using api::core_v1::RangeAllocationView;
using Done = base::Result<void, api::Status>;
using Applied = base::Result<storage::Update, std::shared_ptr<const api::Status>>;

constexpr std::string_view kName = "servicenodeports";
constexpr api::GroupResource kResource{"", "servicenodeportallocations"};

std::shared_ptr<const api::Status> Shared(api::Status status) {
  return std::make_shared<const api::Status>(std::move(status));
}

base::Slice Encode(const PortBitmap& ports) {
  api::Doc doc(RangeAllocationView::Type());
  RangeAllocationEditor allocation(doc);
  allocation.set_kind_static("RangeAllocation");
  allocation.set_api_version_static("v1");
  allocation.mutable_metadata();
  allocation.set_range(ports.range().ToString());
  allocation.set_data(ports.ToBytes());
  base::BufferBuilder out;
  api::protobuf::EncodeObject(doc, out);
  return out.Take();
}

struct StoredPorts {
  PortBitmap ports;  // those outside of the configured range are left out
  bool same_range = false;
};

base::Result<StoredPorts, api::Status> ReadStored(const storage::ObjectPtr& object, const PortRange& range) {
  auto doc = TRY(DecodeStored(*object, RangeAllocationView::Type()));
  const RangeAllocationView allocation(doc);
  const auto own = ParsePortRange(allocation.range());
  if (own && *own == range) return StoredPorts{PortBitmap::FromBytes(range, allocation.data()), true};
  StoredPorts stored{PortBitmap(range)};
  if (!own) return stored;
  for (const int port : PortBitmap::FromBytes(*own, allocation.data()).Ports())
    if (range.Contains(port)) stored.ports.Take(port);
  return stored;
}

api::Status WrongRange() { return api::InternalError("the provided range does not match the current range"); }

}  // namespace

base::Task<Done> PortAllocator::Write(bool any_range, Rebuild rebuild, Change change) {
  storage::UpdateFn apply = [this, any_range, rebuild = std::move(rebuild),
                             change = std::move(change)](storage::ObjectPtr current) -> base::Task<Applied> {
    StoredPorts stored{PortBitmap(range_)};
    if (current) {
      auto read = ReadStored(current, range_);
      if (!read) co_return std::unexpected(Shared(std::move(read.error())));
      stored = *std::move(read);
      if (!stored.same_range && !any_range) co_return std::unexpected(Shared(WrongRange()));
    }
    PortBitmap ports = rebuild ? rebuild(stored.ports) : stored.ports;
    if (change)
      if (auto changed = change(ports); !changed)
        co_return std::unexpected(Shared(std::move(changed.error())));
    storage::Update update;
    update.unchanged = stored.same_range && ports == stored.ports;
    if (!update.unchanged) update.stored = Encode(ports);
    co_return update;
  };
  const auto written = co_await ranges_.GuaranteedUpdate(std::string(kName), any_range, {}, std::move(apply));
  if (written) co_return Done();
  if (!any_range && written.error().code == storage::Code::kNotFound) {
    co_return base::Err(
        api::InternalError("cannot allocate resources of type " + kResource.ToString() + " at this time"));
  }
  co_return base::Err(ToStatus(written.error(), StorageVerb::kUpdate, kResource, ""));
}

base::Task<Done> PortAllocator::Update(Change change) { return Write(false, nullptr, std::move(change)); }

base::Task<Done> PortAllocator::Replace(Rebuild rebuild) { return Write(true, std::move(rebuild), nullptr); }

base::Task<base::Result<PortBitmap, api::Status>> PortAllocator::Read() {
  auto object = co_await ranges_.Get(std::string(kName), {});
  if (!object) co_return base::Err(ToStatus(object.error(), StorageVerb::kGet, kResource, ""));
  auto stored = CO_TRY(ReadStored(*object, range_));
  if (!stored.same_range) co_return base::Err(WrongRange());
  co_return std::move(stored.ports);
}

}  // namespace keelson::registry::core
