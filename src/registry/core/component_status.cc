#include "registry/core/component_status.h"

#include <algorithm>

#include "api/codec/protobuf.h"
#include "registry/core/forwarding.h"
#include "registry/core/kubelet_location.h"
#include "storage/object_factory.h"

namespace keelson::registry::core {
namespace {

using api::core_v1::ComponentStatusEditor;
using rest::ListResult;
using rest::ObjectPtr;

constexpr std::string_view kKeyPrefix = "/componentstatuses";
constexpr std::string_view kStorage = "etcd-";  // and its number

// Those that serve their health on this machine.
struct Component {
  std::string_view name;
  uint16_t port;
};
constexpr Component kComponents[] = {{"scheduler", 10259}, {"controller-manager", 10257}};

struct Health {
  bool good = false;
  std::string message;
};

base::Task<Health> Probe(net::http::Client& client, uint16_t port) {
  constexpr size_t kMostOfAnswer = 10 * 1024;
  constexpr std::chrono::seconds kTimeout{20};
  net::http::ClientRequest request{.method = "GET", .target = "/healthz", .whole_timeout = kTimeout};
  request.headers.Add("host", HostPort("127.0.0.1", port));
  net::http::Destination destination{.host = "127.0.0.1", .port = port};
  auto response = co_await client.Send(std::move(destination), std::move(request));
  const std::string url = "https://" + HostPort("127.0.0.1", port) + "/healthz";
  if (!response) co_return Health{false, "Get \"" + url + "\": " + response.error().message};
  std::string text = co_await ReadText(std::move(response->body), kMostOfAnswer);
  if (response->status >= 200 && response->status < 400) co_return Health{true, std::move(text)};
  co_return Health{false, "HTTP probe failed with statuscode: " + std::to_string(response->status)};
}

class ComponentStatuses final : public Serving, public rest::Shower, public rest::Lister {
 public:
  explicit ComponentStatuses(const Dependencies& dependencies)
      : dependencies_(dependencies),
        factory_(*api::FindResource("", "v1", "componentstatuses"), std::string(kKeyPrefix)) {}

  rest::Verbs verbs() override { return {.list = this, .show = this}; }

  base::Task<rest::Result<rest::Encoded>> Show(std::string, std::string name, rest::GetOptions) override {
    for (const Component& component : kComponents)
      if (component.name == name) {
        ObjectPtr object = co_await Make(component);
        co_return rest::Encoded::Of(std::move(object));
      }
    for (size_t i = 0; i < Storages(); ++i)
      if (StorageName(i) == name) co_return rest::Encoded::Of(Describe(name, StorageHealth(i)));
    co_return base::Err(api::NotFound({"", "componentstatus"}, name));
  }

  base::Task<rest::Result<ListResult>> List(rest::ListOptions options) override {
    auto kept = std::make_shared<storage::HeldObjects>();
    for (const Component& component : kComponents) {
      ObjectPtr object = co_await Make(component);
      kept->objects.push_back(std::move(object));
    }
    for (size_t i = 0; i < Storages(); ++i)
      kept->objects.push_back(Describe(StorageName(i), StorageHealth(i)));
    ListResult list;
    for (const ObjectPtr& object : kept->objects)
      if (options.selection.Matches(*object)) list.items.push_back(object.get());
    list.holder = std::move(kept);
    co_return list;
  }

 private:
  base::Task<ObjectPtr> Make(Component component) {
    const Health health = co_await Probe(*dependencies_.insecure_client, component.port);
    co_return Describe(component.name, health);
  }

  size_t Storages() const { return std::max<size_t>(dependencies_.storage_health.size(), 1); }
  static std::string StorageName(size_t number) { return std::string(kStorage) + std::to_string(number); }
  Health StorageHealth(size_t number) const {
    if (dependencies_.storage_health.empty()) return {true, "ok"};
    const auto healthy = dependencies_.storage_health[number]();
    return healthy ? Health{true, "ok"} : Health{false, healthy.error()};
  }

  ObjectPtr Describe(std::string_view name, const Health& health) const {
    api::Doc doc(api::core_v1::kComponentStatusType);
    ComponentStatusEditor status(doc);
    status.mutable_metadata().set_name(name);
    auto condition = status.add_conditions();
    condition.set_type("Healthy");
    condition.set_status(health.good ? "True" : "False");
    condition.set_message(health.message);
    base::BufferBuilder bytes;
    api::protobuf::EncodeObject("v1", "ComponentStatus", *doc.root(), bytes);
    // What was just encoded decodes.
    return *factory_.Make(std::string(kKeyPrefix) + "/" + std::string(name), bytes.view(), 0, 0);
  }

  const Dependencies dependencies_;
  const storage::ObjectFactory factory_;
};

}  // namespace

std::unique_ptr<Serving> ServeComponentStatuses(ServingOptions, const Dependencies& dependencies) {
  return std::make_unique<ComponentStatuses>(dependencies);
}

}  // namespace keelson::registry::core
