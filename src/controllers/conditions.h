// Conditions in the status of an object: a list of structs by their type.
#pragma once

#include <cstdint>
#include <string_view>

namespace keelson::controllers {

struct Condition {
  std::string_view type, status, reason, message;
};

// The view of the condition of that type; a null view when there is none.
template <class StatusView>
auto FindCondition(StatusView status, std::string_view type) {
  using View = decltype(status.conditions()[0]);
  for (const auto condition : status.conditions())
    if (condition.type() == type) return condition;
  return View();
}

// Whether `found` says what `wanted` says, whenever that began.
template <class ConditionView>
bool Says(ConditionView found, const Condition& wanted) {
  return found && found.status() == wanted.status && found.reason() == wanted.reason &&
         found.message() == wanted.message;
}

// Sets the condition in place or at the end; its time is that of the last change of status.
template <class StatusEditor>
void SetCondition(StatusEditor status, const Condition& wanted, int64_t now) {
  const auto write = [&](auto condition, bool began) {
    condition.set_type(wanted.type);
    condition.set_status(wanted.status);
    condition.set_reason(wanted.reason);
    condition.set_message(wanted.message);
    if (began) condition.set_last_transition_time(now);
  };
  for (auto condition : status.edit_conditions())
    if (condition.type() == wanted.type)
      return write(condition, condition.status() != wanted.status || !condition.has_last_transition_time());
  write(status.add_conditions(), true);
}

}  // namespace keelson::controllers
