#include "endpoints/table/discovery/rows.h"

#include <string>
#include <vector>

#include "api/generated/discovery_v1.h"

namespace keelson::endpoints::table::discovery {
namespace {

using api::discovery_v1::EndpointSliceView;

// The first few, and how many more there are.
class ShortList {
 public:
  void Add(std::string_view item) {
    if (++count_ > kShown) return;
    if (count_ > 1) text_ += ',';
    text_ += item;
  }
  std::string Text() const {
    if (count_ == 0) return "<unset>";
    return count_ > kShown ? text_ + " + " + std::to_string(count_ - kShown) + " more..." : text_;
  }

 private:
  static constexpr size_t kShown = 3;
  std::string text_;
  size_t count_ = 0;
};

void EndpointSliceRow(const api::StructNode& object, Cells& cells) {
  const EndpointSliceView slice(&object);
  ShortList ports, addresses;
  for (const auto port : slice.ports()) {
    if (port.has_port()) {
      ports.Add(std::to_string(port.port()));
    } else {
      ports.Add(port.has_name() ? port.name() : "*");
    }
  }
  for (const auto endpoint : slice.endpoints())
    for (const api::Value& address : endpoint.addresses()) addresses.Add(address.string());
  cells.Text(slice.metadata().name());
  cells.Text(slice.address_type());
  cells.Text(ports.Text());
  cells.Text(addresses.Text());
  cells.Age(slice.metadata().creation_timestamp());
}

constexpr KindRow kRows[] = {{"EndpointSlice", EndpointSliceRow}};

}  // namespace

std::span<const KindRow> Rows() { return kRows; }

}  // namespace keelson::endpoints::table::discovery
