#include "auth/pki/kubeconfig_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "auth/pki/kubeconfig.h"

namespace keelson::auth::pki {
namespace {

using ::testing::HasSubstr;

Result<KubeconfigClient> Parse(std::string_view text) {
  return ParseKubeconfig(text, [](const std::string& name) -> Result<std::string> {
    if (name == "absent") return base::Err(std::string("absent: no such file"));
    return "content of " + name + "\n";
  });
}

TEST(KubeconfigReaderTest, TheCurrentContextLeadsToAServerAndAUser) {
  const auto client = *Parse(R"(
clusters:
- {name: other, cluster: {server: https://other}}
- name: hook
  cluster: {server: "https://hook:8443/authn", certificate-authority: ca.crt}
users: [{name: us, user: {client-certificate: a.crt, client-key-data: a2V5, tokenFile: token}}]
contexts: [{name: c, context: {cluster: hook, user: us}}]
current-context: c
preferences: {colors: true}
)");
  EXPECT_EQ(client.server_url, "https://hook:8443/authn");
  EXPECT_EQ(client.ca_pem, "content of ca.crt\n");
  EXPECT_EQ(client.certificate_pem, "content of a.crt\n");
  EXPECT_EQ(client.key_pem, "key");
  EXPECT_EQ(client.bearer_token, "content of token");
  EXPECT_EQ(client.token_file, "token");
  EXPECT_FALSE(client.insecure_skip_tls_verify);
}

TEST(KubeconfigReaderTest, WhatWeWriteWeRead) {
  const auto client = *Parse(RenderKubeconfig(
      {.server_url = "https://us", .ca_pem = "ca", .client = {"certificate", "key"}, .token = {}}));
  EXPECT_EQ(client.server_url, "https://us");
  EXPECT_EQ(client.ca_pem, "ca");
  EXPECT_EQ(client.certificate_pem, "certificate");
  EXPECT_EQ(client.key_pem, "key");
}

TEST(KubeconfigReaderTest, NamesAreReadAsTheyWereWritten) {
  for (const char* user : {"null", "1e3", "a: b", "system:node:n", "\"q\" \\ '", "Änne", "- x", "#"}) {
    const auto client = Parse(RenderKubeconfig({.server_url = "https://us",
                                                .ca_pem = "ca",
                                                .client = {},
                                                .token = "a.b-c_d",
                                                .user = user,
                                                .context = std::string(user) + "@keelson"}));
    ASSERT_TRUE(client) << user << ": " << client.error();
    EXPECT_EQ(client->bearer_token, "a.b-c_d");
  }
}

TEST(KubeconfigReaderTest, WhatIsMissingIsNamed) {
  const auto error = [](std::string_view text) { return Parse(text).error(); };
  EXPECT_EQ(error("{}"), "current-context is not set");
  EXPECT_EQ(error("current-context: a"), "context \"a\" does not exist");
  EXPECT_EQ(error("{current-context: a, contexts: [{name: a, context: {cluster: b}}]}"),
            "cluster \"b\" does not exist");
  const auto with = [&](std::string cluster, std::string user) {
    return error(
        "{current-context: a, contexts: [{name: a, context: {cluster: b, user: u}}], clusters: [{name: b, "
        "cluster: " +
        cluster + "}], users: [{name: u, user: " + user + "}]}");
  };
  EXPECT_EQ(with("{}", "{}"), "no server found for cluster \"b\"");
  EXPECT_EQ(with("{server: s, certificate-authority: absent}", "{}"), "absent: no such file");
  EXPECT_THAT(with("{server: s, certificate-authority-data: '%'}", "{}"),
              HasSubstr("certificate-authority-data: illegal base64"));
  EXPECT_THAT(with("{server: s}", "{client-key: k}"), HasSubstr("must be given together"));
  EXPECT_THAT(with("{server: s}", "{exec: {command: x}}"), HasSubstr("not supported"));
  EXPECT_THAT(with("{server: s, proxy-url: 'http://p'}", "{}"), HasSubstr("proxy-url"));
  EXPECT_THAT(with("{server: s, tls-server-name: n}", "{}"), HasSubstr("tls-server-name"));
  EXPECT_THAT(with("{server: s, insecure-skip-tls-verify: true, certificate-authority: c}", "{}"),
              HasSubstr("cannot be given together"));
  EXPECT_EQ(with("{server: 5}", "{}"), "clusters[0].cluster.server: a string is expected");
  EXPECT_THAT(error("a: ["), HasSubstr("yaml"));
}

TEST(KubeconfigReaderTest, ErrorsQuoteNothingOfTheFile) {
  for (const std::string_view text :
       {"users: [{user: {password: *S3cret}}]", "users: [{user: {token: \"S3cret}}]", "token: S3cret: x",
        "{token: S3cret, token: S3cret}", "users: [{user: {token: {S3cret: 1}}}]", "a: &S3cret *S3cret",
        "users: [{user: {client-key-data: '%S3cret'}}]", "token: !!binary S3cret%", "? [S3cret]\n: x"}) {
    const auto read = ParseKubeconfig(text, [](const std::string&) { return std::string(); });
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error(), ::testing::Not(HasSubstr("S3cret"))) << text;
  }
}

}  // namespace
}  // namespace keelson::auth::pki
