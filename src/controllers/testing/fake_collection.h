// FakeCollection: a resource in memory, for tests of controllers.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "api/meta/object_meta.h"
#include "client/collection.h"

namespace keelson::controllers {

// Tells of a change while it is made.
class FakeCollection final : public client::Collection {
 public:
  void Watch(std::function<void(const Change&)> see) override {
    see_ = std::move(see);
    for (const auto& [key, doc] : objects_) see_({key.first, key.second, false, true});
  }
  void StopWatching() override { see_ = nullptr; }

  base::Task<Result<std::optional<api::Doc>>> Get(std::string ns, std::string name) override {
    if (fails) co_return base::Err(api::InternalError("out of reach"));
    const auto it = objects_.find({ns, name});
    if (it == objects_.end()) co_return std::nullopt;
    co_return std::optional<api::Doc>(it->second.Clone());
  }
  base::Task<Result<std::vector<api::Doc>>> List(std::string ns) override {
    std::vector<api::Doc> all;
    for (const auto& [key, doc] : objects_)
      if (ns.empty() || key.first == ns) all.push_back(doc.Clone());
    co_return all;
  }
  base::Task<Result<int64_t>> Count(std::string ns) override {
    co_return std::ranges::count_if(objects_, [&](const auto& o) { return o.first.first == ns; });
  }
  base::Task<Result<void>> Create(std::string ns, api::Doc doc) override {
    if (fails) co_return base::Err(api::InternalError("out of reach"));
    const std::string name(api::MetadataOf(doc).name());
    if (objects_.contains({ns, name})) co_return base::Err(api::AlreadyExists({"", "things"}, name));
    ++writes;
    api::MutableMetadataOf(doc).set_creation_timestamp(1);
    Put(ns, std::move(doc));
    co_return Result<void>();
  }
  base::Task<Result<void>> Update(std::string ns, std::string name, Edit edit) override {
    if (fails) co_return base::Err(api::InternalError("out of reach"));
    const auto it = objects_.find({ns, name});
    if (it == objects_.end()) co_return base::Err(api::NotFound({"", "things"}, name));
    api::Doc doc = it->second.Clone();
    if (!edit(doc)) co_return Result<void>();
    ++writes;
    it->second = std::move(doc);
    if (see_) see_({ns, name, false});
    co_return Result<void>();
  }
  base::Task<Result<void>> UpdateStatus(std::string ns, std::string name, Edit edit) override {
    return Update(std::move(ns), std::move(name), std::move(edit));
  }

  base::Task<Result<void>> ApplyStatus(std::string, std::string, std::string config) override {
    applied.push_back(std::move(config));
    co_return Result<void>();
  }

  // As a client does it.
  void Put(const std::string& ns, api::Doc doc) {
    const std::string name(api::MetadataOf(doc).name());
    const bool added = objects_.insert_or_assign({ns, name}, std::move(doc)).second;
    if (see_) see_({ns, name, false, added});
  }
  void Remove(const std::string& ns, const std::string& name) {
    objects_.erase({ns, name});
    if (see_) see_({ns, name, true});
  }
  // Null: there is none.
  const api::Doc* Find(const std::string& ns, const std::string& name) const {
    const auto it = objects_.find({ns, name});
    return it == objects_.end() ? nullptr : &it->second;
  }

  bool fails = false;
  int writes = 0;
  std::vector<std::string> applied;  // configurations, which change nothing here

 private:
  std::map<std::pair<std::string, std::string>, api::Doc> objects_;
  std::function<void(const Change&)> see_;
};

}  // namespace keelson::controllers
