#include "storage/encryption/transformer.h"

#include <algorithm>

namespace keelson::storage::encryption {
namespace {

// Reserved: no object begins like that.
constexpr std::string_view kEncrypted = "k8s:enc:";

}  // namespace

bool IsEncrypted(std::string_view stored) { return stored.starts_with(kEncrypted); }

SealId SealIds::Number(std::string_view prefix, std::string_view secret) {
  base::MutexLock lock(mu_);
  return ids_.try_emplace(std::string(prefix).append(secret), static_cast<SealId>(ids_.size() + 1))
      .first->second;
}

base::Result<Transformer::Sealed, std::string> Transformer::ToStorage(base::Slice plain,
                                                                      std::string_view key) const {
  const Provider& provider = providers_.front();
  if (!provider.cipher) return Sealed{.stored = std::move(plain), .seal = provider.seal};
  base::BufferBuilder out(provider.prefix.size() + plain.size() + 64);
  out.Append(provider.prefix);
  TRY(provider.cipher->Seal(plain.view(), key, out));
  const SealId seal = provider.cipher->SealOf(out.view().substr(provider.prefix.size()), provider.seal);
  return Sealed{.stored = out.Take(), .seal = seal};
}

bool Transformer::Ready(std::string_view stored) const {
  return std::ranges::all_of(providers_, [&](const Provider& provider) {
    return !provider.cipher || !stored.starts_with(provider.prefix) ||
           provider.cipher->Ready(stored.substr(provider.prefix.size()));
  });
}

// Several providers may have one prefix, with different secrets: what one cannot read is the next one's.
base::Result<Transformer::Opened, Transformer::Unread> Transformer::FromStorage(base::Slice stored,
                                                                                std::string_view key) const {
  std::vector<std::string> errors;
  bool may_pass = false;
  for (const Provider& provider : providers_) {
    if (!provider.cipher) {
      if (!IsEncrypted(stored.view())) return Opened{.plain = stored};
      if (plain()) errors.emplace_back("identity transformer tried to read encrypted data");
      continue;
    }
    if (!stored.view().starts_with(provider.prefix)) continue;
    const std::string_view sealed = stored.view().substr(provider.prefix.size());
    auto opened = provider.cipher->Open(sealed, key);
    if (opened)
      return Opened{.plain = std::move(*opened), .seal = provider.cipher->SealOf(sealed, provider.seal)};
    may_pass = may_pass || !provider.cipher->Ready(sealed);
    if (std::ranges::find(errors, opened.error()) == errors.end())
      errors.push_back(std::move(opened.error()));
  }
  if (errors.empty()) return base::Err(Unread{.why = "no matching prefix found"});
  std::string all;
  for (const std::string& error : errors) all += (all.empty() ? "" : ", ") + error;
  return base::Err(Unread{.why = errors.size() == 1 ? all : "[" + all + "]", .may_pass = may_pass});
}

}  // namespace keelson::storage::encryption
