#include "auth/pki/kubeconfig_reader.h"

#include <map>

#include "api/codec/base64.h"
#include "api/codec/config_reader.h"
#include "api/codec/yaml.h"
#include "base/ascii.h"
#include "base/file.h"

namespace keelson::auth::pki {
namespace {

// A value that a file may hold.
struct ValueOrFile {
  std::string data, file;
};

struct KubeconfigCluster {
  std::string server, proxy_url, tls_server_name;
  ValueOrFile ca;
  bool insecure = false;
};
struct KubeconfigUser {
  ValueOrFile certificate, key, token;
  std::string username, password;
  bool plugin = false;  // exec or auth-provider
};
struct KubeconfigContext {
  std::string cluster, user;
};
struct KubeconfigFile {
  std::map<std::string, KubeconfigCluster> clusters;
  std::map<std::string, KubeconfigUser> users;
  std::map<std::string, KubeconfigContext> contexts;
  std::string current_context;
};

class KubeconfigParser {
 public:
  explicit KubeconfigParser(std::string_view json) : reader_(json, /*strict=*/false) {}

  Result<KubeconfigFile> Run() {
    KubeconfigFile file;
    const bool read = reader_.Object([&](std::string_view name) {
      if (name == "current-context") return reader_.Text(file.current_context);
      if (name == "clusters") return Named(file.clusters, "cluster", &KubeconfigParser::Cluster);
      if (name == "users") return Named(file.users, "user", &KubeconfigParser::User);
      if (name == "contexts") return Named(file.contexts, "context", &KubeconfigParser::Context);
      return reader_.Skip();
    });
    if (!read || !reader_.AtEnd()) return base::Err(reader_.error());
    return file;
  }

 private:
  // A list of {name, <member>}; the first of a name counts.
  template <class T>
  bool Named(std::map<std::string, T>& out, std::string_view member, bool (KubeconfigParser::*read)(T&)) {
    return reader_.List([&] {
      std::string name;
      T value;
      if (!reader_.Object([&](std::string_view field) {
            if (field == "name") return reader_.Text(name);
            return field == member ? (this->*read)(value) : reader_.Skip();
          }))
        return false;
      out.emplace(std::move(name), std::move(value));
      return true;
    });
  }

  bool Cluster(KubeconfigCluster& cluster) {
    return reader_.Object([&](std::string_view name) {
      if (name == "server") return reader_.Text(cluster.server);
      if (name == "certificate-authority") return reader_.Text(cluster.ca.file);
      if (name == "certificate-authority-data") return reader_.Text(cluster.ca.data);
      if (name == "insecure-skip-tls-verify") return reader_.Bool(cluster.insecure);
      if (name == "proxy-url") return reader_.Text(cluster.proxy_url);
      if (name == "tls-server-name") return reader_.Text(cluster.tls_server_name);
      return reader_.Skip();
    });
  }
  bool User(KubeconfigUser& user) {
    return reader_.Object([&](std::string_view name) {
      if (name == "client-certificate") return reader_.Text(user.certificate.file);
      if (name == "client-certificate-data") return reader_.Text(user.certificate.data);
      if (name == "client-key") return reader_.Text(user.key.file);
      if (name == "client-key-data") return reader_.Text(user.key.data);
      if (name == "token") return reader_.Text(user.token.data);
      if (name == "tokenFile") return reader_.Text(user.token.file);
      if (name == "username") return reader_.Text(user.username);
      if (name == "password") return reader_.Text(user.password);
      user.plugin = user.plugin || name == "exec" || name == "auth-provider";
      return reader_.Skip();
    });
  }
  bool Context(KubeconfigContext& context) {
    return reader_.Object([&](std::string_view name) {
      if (name == "cluster") return reader_.Text(context.cluster);
      if (name == "user") return reader_.Text(context.user);
      return reader_.Skip();
    });
  }

  api::ConfigReader reader_;
};

// The value, decoded, or what the file holds; empty when there is neither.
Result<std::string> Resolve(const ValueOrFile& value, bool encoded, std::string_view what,
                            const ReadNamedFile& read_file) {
  if (!value.data.empty() && !encoded) return value.data;
  if (!value.data.empty()) {
    std::string bytes(api::Base64DecodedBound(value.data.size()), '\0');
    const auto size = api::Base64Decode(value.data, bytes.data());
    if (!size) return base::Err(std::string(what) + "-data: " + size.error());
    bytes.resize(*size);
    return bytes;
  }
  if (value.file.empty()) return std::string();
  return read_file(value.file);
}

template <class T>
Result<T> FindNamed(const std::map<std::string, T>& all, const std::string& name, std::string_view what) {
  const auto found = all.find(name);
  if (found == all.end()) return base::Err(std::string(what) + " \"" + name + "\" does not exist");
  return found->second;
}

Result<void> TakeUser(const KubeconfigUser& user, const ReadNamedFile& read_file, KubeconfigClient& client) {
  if (user.plugin) return base::Err(std::string("exec and auth-provider of a user are not supported"));
  client.certificate_pem = TRY(Resolve(user.certificate, true, "client-certificate", read_file));
  client.key_pem = TRY(Resolve(user.key, true, "client-key", read_file));
  client.bearer_token = TRY(Resolve(user.token, false, "token", read_file));
  client.bearer_token = std::string(base::Trimmed(client.bearer_token));
  if (user.token.data.empty()) client.token_file = user.token.file;
  client.username = user.username;
  client.password = user.password;
  if (client.certificate_pem.empty() != client.key_pem.empty())
    return base::Err(std::string("client-certificate and client-key must be given together"));
  return {};
}

// An error of the YAML reader without the text it quotes, which may be a secret: a password that begins with
// '*' reads as a reference.
std::string WithoutQuotes(std::string_view message) {
  const size_t first = message.find_first_of("'\"`"), last = message.find_last_of("'\"`");
  if (first == last) return std::string(message.substr(0, first));
  return std::string(message.substr(0, first + 1)) + "..." + std::string(message.substr(last));
}

}  // namespace

Result<KubeconfigClient> ParseKubeconfig(std::string_view text, const ReadNamedFile& read_file) {
  const auto json = api::yaml::ToJson(text);
  if (!json) return base::Err(WithoutQuotes(json.error().message));
  const auto file = TRY(KubeconfigParser(*json).Run());
  if (file.current_context.empty()) return base::Err(std::string("current-context is not set"));
  const auto context = TRY(FindNamed(file.contexts, file.current_context, "context"));
  const auto cluster = TRY(FindNamed(file.clusters, context.cluster, "cluster"));
  KubeconfigClient client{.server_url = cluster.server, .insecure_skip_tls_verify = cluster.insecure};
  if (client.server_url.empty()) return base::Err("no server found for cluster \"" + context.cluster + "\"");
  if (!cluster.proxy_url.empty()) return base::Err(std::string("proxy-url of a cluster is not supported"));
  if (!cluster.tls_server_name.empty())
    return base::Err(std::string("tls-server-name of a cluster is not supported"));
  client.ca_pem = TRY(Resolve(cluster.ca, true, "certificate-authority", read_file));
  if (client.insecure_skip_tls_verify && !client.ca_pem.empty())
    return base::Err(
        std::string("certificate-authority and insecure-skip-tls-verify cannot be given together"));
  if (!context.user.empty()) {
    const auto user = TRY(FindNamed(file.users, context.user, "user"));
    TRY(TakeUser(user, read_file, client));
  }
  return client;
}

Result<KubeconfigClient> ReadKubeconfig(const std::filesystem::path& file) {
  const auto text = TRY(base::ReadFile(file));
  auto client = ParseKubeconfig(
      text, [&](const std::string& name) { return base::ReadFile(file.parent_path() / name); });
  if (!client) return base::Err(file.string() + ": " + client.error());
  if (!client->token_file.empty()) client->token_file = file.parent_path() / client->token_file;
  return client;
}

}  // namespace keelson::auth::pki
