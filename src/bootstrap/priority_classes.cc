#include "bootstrap/priority_classes.h"

#include "api/generated/scheduling_v1.h"
#include "api/validation/scheduling/priority_class.h"
#include "base/gathering.h"

namespace keelson::bootstrap {
namespace {

constexpr client::Resource kPriorityClasses{"scheduling.k8s.io", "priorityclasses"};

api::Doc MakePriorityClass(const api::scheduling::SystemPriorityClass& system) {
  api::Doc doc(api::scheduling_v1::PriorityClassView::Type());
  api::scheduling_v1::PriorityClassEditor editor(doc);
  editor.set_kind_static("PriorityClass");
  editor.set_api_version_static("scheduling.k8s.io/v1");
  editor.mutable_metadata().set_name_static(system.name);
  editor.set_value(system.value);
  editor.set_description_static(system.description);
  return doc;
}

}  // namespace

base::Task<Done> EnsurePriorityClasses(const client::Client& client) {
  base::Gathering all;
  for (const auto& system : api::scheduling::kSystemPriorityClasses)
    all.Start(CreateIfAbsent(client, kPriorityClasses, MakePriorityClass(system)));
  co_return co_await all.Wait();
}

}  // namespace keelson::bootstrap
