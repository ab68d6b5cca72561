// Users in objects: reviews, signing requests.
#pragma once

#include "api/types/view.h"
#include "auth/user.h"

namespace keelson::registry {

// Writes `user` into a struct with username, uid, groups and extra, which it had not.
template <class Editor>
void SetUser(Editor editor, const auth::User& user, api::Arena& arena) {
  editor.set_username(user.name);
  editor.set_uid(user.uid);
  for (const std::string& group : user.groups) editor.add_groups(group);
  for (const auto& [key, values] : user.extra) {
    api::MapNode& extra = editor.mutable_extra();
    api::ListNode* const list = api::ListNode::New(extra.element->element, arena);
    for (const std::string& value : values) list->Append(api::Value::String(arena.CopyString(value)), arena);
    extra.Set(arena.CopyString(key), api::Value::Of(list), arena);
  }
}

}  // namespace keelson::registry
