#include "endpoints/table/template_cells.h"

#include <vector>

#include "api/validation/label_selector_match.h"

namespace keelson::endpoints::table {

void TemplateCells(api::core_v1::PodTemplateSpecView pod_template, Cells& cells) {
  std::vector<std::string_view> names, images;
  for (const auto container : pod_template.spec().containers()) {
    names.push_back(container.name());
    images.push_back(container.image());
  }
  cells.Text(Join(names));
  cells.Text(Join(images));
}

void SelectorCell(api::meta_v1::LabelSelectorView selector, Cells& cells) {
  if (!api::IsUsableSelector(selector)) return cells.Text("<error>");
  cells.TextOr(api::SelectorText(selector), kNone);
}

}  // namespace keelson::endpoints::table
