// EtcdProcess: a cluster member of Debian's etcd for tests, on free ports in a directory of its own.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace keelson::storage::etcd3 {

// The files of a certificate authority, for etcd and for clients, as etcd's flags want them.
struct EtcdTls {
  std::filesystem::path ca, certificate, key;
};

class EtcdProcess {
 public:
  // Starts it; `args` are more of etcd's flags. Who connects waits until it answers.
  explicit EtcdProcess(std::vector<std::string> args = {}, const EtcdTls* tls = nullptr);
  ~EtcdProcess();  // kills it and removes its data
  EtcdProcess(const EtcdProcess&) = delete;
  EtcdProcess& operator=(const EtcdProcess&) = delete;

  const std::string& endpoint() const { return endpoint_; }

  // As a power loss. Start brings it back, on the same ports, with what it had; it ends with the
  // thread that started it.
  void Kill();
  void Start();
  // Brings it back where only Ctl finds it, until it is killed and started again.
  void StartElsewhere();
  // Brings it back with nothing in it. Another token makes it another cluster, the same one the same.
  void StartEmpty(const std::string& token);
  // While it is killed: keeps what it has, and puts it back as it was then.
  void SaveData() const;
  void RestoreData() const;
  // Frozen: its sockets are open and nobody answers.
  void Pause();
  void Resume();
  // What clients have sent and it has not read yet: while it is paused this only grows.
  size_t UnreadBytes() const;

  // Runs etcdctl on it; its output.
  std::string Ctl(const std::string& arguments) const;

 private:
  void Run(std::vector<std::string> command);

  std::filesystem::path dir_;
  std::string endpoint_;
  std::string now_at_;  // endpoint_, or elsewhere
  std::vector<std::string> command_;
  pid_t pid_ = -1;
};

// A port that nobody uses now.
uint16_t FreePort();

}  // namespace keelson::storage::etcd3
