// PolicySet: the policies of one kind with the bindings that name them, compiled again only
// when one of the two lists has changed.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "api/meta/object_meta.h"
#include "base/mutex.h"
#include "base/task.h"
#include "client/client.h"

namespace keelson::admission {

// Policy is made of a document and gives it back with doc(). Threads: any.
template <class Policy, class BindingView>
class PolicySet {
 public:
  using Docs = client::Client::Docs;
  struct Hook {
    std::shared_ptr<const Policy> policy;
    std::vector<const api::Doc*> bindings;  // at least one
  };
  struct Compiled {
    Docs policies, bindings;
    std::vector<Hook> hooks;
  };
  using Ptr = std::shared_ptr<const Compiled>;

  PolicySet(api::GroupResource policies, api::GroupResource bindings)
      : policies_(policies), bindings_(bindings) {}

  // Null: there are no bindings. Without one no policy does anything, and most servers have none.
  base::Task<client::Result<Ptr>> Current(const client::Client& objects) const {
    auto bindings = CO_TRY(co_await objects.List(bindings_));
    if (bindings->empty()) co_return Ptr();
    auto policies = CO_TRY(co_await objects.List(policies_));
    co_return Of(std::move(policies), std::move(bindings));
  }

 private:
  Ptr Of(Docs policies, Docs bindings) const {
    base::MutexLock lock(mu_);
    if (compiled_ && compiled_->policies == policies && compiled_->bindings == bindings) return compiled_;
    auto now = std::make_shared<Compiled>();
    now->policies = std::move(policies);
    now->bindings = std::move(bindings);
    for (const api::Doc& doc : *now->policies) {
      Hook hook;
      for (const api::Doc& binding : *now->bindings)
        if (BindingView(binding).spec().policy_name() == api::MetadataOf(doc).name())
          hook.bindings.push_back(&binding);
      if (hook.bindings.empty()) continue;
      hook.policy = Known(doc);
      if (!hook.policy) hook.policy = std::make_shared<const Policy>(doc.Clone());
      now->hooks.push_back(std::move(hook));
    }
    compiled_ = std::move(now);
    return compiled_;
  }

  // A policy that did not change is not compiled again; null: it did.
  std::shared_ptr<const Policy> Known(const api::Doc& doc) const REQUIRES_LOCK(mu_) {
    if (!compiled_) return nullptr;
    const auto metadata = api::MetadataOf(doc);
    for (const Hook& hook : compiled_->hooks) {
      const auto before = api::MetadataOf(hook.policy->doc());
      if (before.uid() == metadata.uid() && before.resource_version() == metadata.resource_version())
        return hook.policy;
    }
    return nullptr;
  }

  const api::GroupResource policies_, bindings_;
  mutable base::Mutex mu_;
  mutable Ptr compiled_ GUARDED_BY(mu_);
};

}  // namespace keelson::admission
