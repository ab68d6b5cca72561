// FakePlugin: a KMS v2 plugin for tests. It "keeps" a key for every key id that there can be, by deriving it
// from the id, so it reads what any other of its kind has encrypted.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "net/testing/grpc_server.h"

namespace keelson::storage::encryption::kms {

// Threads: any.
class FakePlugin {
 public:
  explicit FakePlugin(std::string socket);

  // What it says from now on.
  void SetKeyId(std::string key_id);
  void SetHealthz(std::string healthz);
  // Calls of Decrypt fail.
  void RefuseDecrypt(bool refuse);
  // Calls of Decrypt, and all that come after them, are not answered until this is taken back.
  void HangInDecrypt(bool hang);

  int encrypted() const;  // calls so far
  int decrypted() const;

 private:
  net::testing::GrpcAnswer Answer(std::string_view path, std::string_view message);

  mutable base::Mutex mu_;
  std::string key_id_ GUARDED_BY(mu_) = "key-1";
  std::string healthz_ GUARDED_BY(mu_) = "ok";
  bool refuse_decrypt_ GUARDED_BY(mu_) = false;
  bool hang_ GUARDED_BY(mu_) = false;
  base::CondVar hang_changed_;
  int encrypted_ GUARDED_BY(mu_) = 0, decrypted_ GUARDED_BY(mu_) = 0;
  std::unique_ptr<net::testing::GrpcServer> server_;  // last: it uses all of the above
};

}  // namespace keelson::storage::encryption::kms
