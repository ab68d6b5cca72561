#include "storage/etcd3/testing/etcd_process.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace keelson::storage::etcd3 {

uint16_t FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  if (fd < 0 || bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error("no free port");
  close(fd);
  return ntohs(address.sin_port);
}

EtcdProcess::EtcdProcess(std::vector<std::string> args, const EtcdTls* tls) {
  std::string name = std::filesystem::temp_directory_path() / "keelson-etcd-XXXXXX";
  if (!mkdtemp(name.data())) throw std::runtime_error("mkdtemp");
  dir_ = name;
  endpoint_ = (tls ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(FreePort());
  const std::string peer = "http://127.0.0.1:" + std::to_string(FreePort());
  command_ = {"etcd",
              "--data-dir=" + (dir_ / "data").string(),
              "--listen-client-urls=" + endpoint_,
              "--advertise-client-urls=" + endpoint_,
              "--listen-peer-urls=" + peer,
              "--initial-advertise-peer-urls=" + peer,
              "--initial-cluster=default=" + peer,
              "--heartbeat-interval=20",
              "--election-timeout=200",
              "--logger=zap"};
  if (tls) {
    command_.push_back("--trusted-ca-file=" + tls->ca.string());
    command_.push_back("--cert-file=" + tls->certificate.string());
    command_.push_back("--key-file=" + tls->key.string());
    command_.push_back("--client-cert-auth");
  }
  command_.insert(command_.end(), args.begin(), args.end());
  Start();
}

EtcdProcess::~EtcdProcess() {
  Kill();
  std::error_code ignored;
  std::filesystem::remove_all(dir_, ignored);
}

void EtcdProcess::Start() {
  now_at_ = endpoint_;
  Run(command_);
}

void EtcdProcess::StartElsewhere() {
  now_at_ = "http://127.0.0.1:" + std::to_string(FreePort());
  std::vector<std::string> command = command_;
  for (std::string& arg : command)
    if (arg == "--listen-client-urls=" + endpoint_) arg = "--listen-client-urls=" + now_at_;
  Run(std::move(command));
}

void EtcdProcess::StartEmpty(const std::string& token) {
  std::filesystem::remove_all(dir_ / "data");
  command_.push_back("--initial-cluster-token=" + token);
  Start();
}

void EtcdProcess::SaveData() const {
  std::filesystem::remove_all(dir_ / "saved");
  std::filesystem::copy(dir_ / "data", dir_ / "saved", std::filesystem::copy_options::recursive);
}

void EtcdProcess::RestoreData() const {
  std::filesystem::remove_all(dir_ / "data");
  std::filesystem::copy(dir_ / "saved", dir_ / "data", std::filesystem::copy_options::recursive);
}

void EtcdProcess::Run(std::vector<std::string> command) {
  std::vector<char*> argv;
  for (std::string& arg : command) argv.push_back(arg.data());
  argv.push_back(nullptr);
  const std::string log = dir_ / "etcd.log";
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("fork");
  if (pid_ > 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int out = open(log.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  execvp(argv[0], argv.data());
  _exit(127);
}

void EtcdProcess::Kill() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void EtcdProcess::Pause() {
  kill(pid_, SIGSTOP);
  // Its threads stop one by one, and one that still runs could answer what is sent to a paused etcd.
  siginfo_t stopped;
  waitid(P_PID, static_cast<id_t>(pid_), &stopped, WSTOPPED);
}
void EtcdProcess::Resume() { kill(pid_, SIGCONT); }

size_t EtcdProcess::UnreadBytes() const {
  const auto own_port = static_cast<unsigned>(std::stoul(now_at_.substr(now_at_.rfind(':') + 1)));
  std::ifstream sockets("/proc/net/tcp");
  size_t unread = 0;
  for (std::string line; std::getline(sockets, line);) {
    unsigned port = 0, queued = 0;
    const int read = std::sscanf(line.c_str(), " %*u: %*8X:%4X %*8X:%*4X 01 %*8X:%8X", &port, &queued);
    if (read == 2 && port == own_port) unread += queued;
  }
  return unread;
}

std::string EtcdProcess::Ctl(const std::string& arguments) const {
  const std::string command = "ETCDCTL_API=3 etcdctl --endpoints=" + now_at_ + " " + arguments + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("popen");
  std::string out;
  std::array<char, 4096> buffer;
  while (const size_t n = fread(buffer.data(), 1, buffer.size(), pipe)) out.append(buffer.data(), n);
  if (pclose(pipe) != 0) throw std::runtime_error("etcdctl " + arguments + ": " + out);
  return out;
}

}  // namespace keelson::storage::etcd3
