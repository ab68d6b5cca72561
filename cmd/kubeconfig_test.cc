#include "auth/pki/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "app/data_dir.h"
#include "auth/pki/bootstrap.h"
#include "auth/pki/kubeconfig_reader.h"
#include "base/file.h"
#include "base/testing/temp_dir.h"
#include "cmd/commands.h"

namespace keelson::cmd {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Outcome {
  int code = 0;
  std::string out, err;
};

// A data directory as a first start leaves it.
class IdentityCommandTest : public ::testing::Test {
 protected:
  IdentityCommandTest() {
    const auto made = auth::pki::LoadOrCreate(app::PkiIn(data_), auth::pki::ServingNames("", {}));
    EXPECT_TRUE(made);
    EXPECT_TRUE(auth::pki::WriteKubeconfig(app::KubeconfigIn(data_), {.server_url = "https://127.0.0.1:1",
                                                                      .ca_pem = made->ca.certificate_pem,
                                                                      .client = made->admin,
                                                                      .token = {}}));
  }

  Outcome Run(int (*command)(std::span<const std::string>), std::vector<std::string> args) const {
    args.insert(args.begin(), {"--data-dir", data_.string()});
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int code = command(args);
    return {code, ::testing::internal::GetCapturedStdout(), ::testing::internal::GetCapturedStderr()};
  }
  std::string Error(std::vector<std::string> args) const {
    const Outcome outcome = Run(Kubeconfig, std::move(args));
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  }

  base::testing::TempDir temp_;
  const std::filesystem::path data_ = temp_.path() / "data";
  const std::string file_ = (temp_.path() / "ann.kubeconfig").string();
};

TEST_F(IdentityCommandTest, AUserGetsACertificateForTheServerOfTheDirectory) {
  const Outcome outcome = Run(Kubeconfig, {"--user", "ann", "--group=dev", "-o", file_});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, StartsWith("wrote " + file_ + ": \"ann\" at https://127.0.0.1:1 until 20"));
  const auto client = auth::pki::ReadKubeconfig(file_).value();
  EXPECT_EQ(client.server_url, "https://127.0.0.1:1");
  EXPECT_EQ(client.ca_pem, base::ReadFile(app::PkiIn(data_) / "ca.crt").value());
  EXPECT_TRUE(auth::pki::CheckIssued({client.certificate_pem, client.key_pem}, client.ca_pem));
  struct stat st{};
  ASSERT_EQ(::stat(file_.c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0600u);
}

TEST_F(IdentityCommandTest, AFileThatExistsIsReplacedOnlyByForce) {
  ASSERT_TRUE(base::WriteFileAtomically(file_, "precious", 0644));
  EXPECT_EQ(Error({"--user=ann", "-o", file_}), "error: " + file_ + " exists: --force replaces it\n");
  EXPECT_EQ(base::ReadFile(file_).value(), "precious");
  EXPECT_EQ(Run(Kubeconfig, {"--user=ann", "-o", file_, "--force"}).code, 0);
  EXPECT_TRUE(auth::pki::ReadKubeconfig(file_));
  struct stat st{};
  ASSERT_EQ(::stat(file_.c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0600u);
}

TEST_F(IdentityCommandTest, WithoutAFileItIsPrinted) {
  const Outcome outcome = Run(Kubeconfig, {"--user", "null", "--server", "https://api.example.com:6443"});
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("current-context: \"null@keelson\"\n"), HasSubstr("- name: \"null\"\n"),
                    HasSubstr("server: https://api.example.com:6443\n")));
}

TEST_F(IdentityCommandTest, MastersAreMadeOnlyWhenToldAndWithAWarning) {
  const std::string refusal = Error({"--user=root", "--group=system:masters"});
  EXPECT_THAT(refusal, AllOf(HasSubstr("may do everything"), HasSubstr("cluster-admin")));
  const Outcome outcome =
      Run(Kubeconfig, {"--user=root", "--group=system:masters", "--allow-system-masters", "-o", file_});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("warning: \"root\" is in system:masters"));
}

TEST_F(IdentityCommandTest, ArgumentsThatMakeNoIdentityAreRefused) {
  EXPECT_THAT(Error({}), HasSubstr("either --user or --service-account must be given"));
  EXPECT_THAT(Error({"--user=a", "--service-account=b/c"}), HasSubstr("either --user or --service-account"));
  EXPECT_THAT(Error({"--user="}), HasSubstr("--user: a value is expected"));
  EXPECT_THAT(Error({"--user"}), HasSubstr("--user"));
  EXPECT_THAT(Error({"--user=a", "stray"}), HasSubstr("stray"));
  EXPECT_THAT(Error({"--user=a", "--group=b,c"}), HasSubstr("once for each group"));
  EXPECT_THAT(Error({"--service-account=b/c", "--group=d"}), HasSubstr("given by its namespace"));
  EXPECT_THAT(Error({"--service-account=deployer"}), HasSubstr("it is said as namespace/name"));
  EXPECT_THAT(Error({"--service-account=ci/a/b"}), HasSubstr("the name: "));
  EXPECT_THAT(Error({"--service-account=../a"}), HasSubstr("the namespace: "));
  EXPECT_THAT(Error({"--user=a", "--duration=soon"}), HasSubstr("--duration: "));
  EXPECT_THAT(Error({"--user=a", "--duration=-1h"}), HasSubstr("--duration: at least 1s"));
  EXPECT_THAT(Error({"--user=a", "--duration=100000h"}), HasSubstr("the certificate authority itself ends"));
  EXPECT_THAT(Error({"--user=a", "--server=http://x"}), HasSubstr("--server: "));
  EXPECT_THAT(Error({"--user=a", "--server=https://x\ny"}), HasSubstr("--server: "));
}

TEST_F(IdentityCommandTest, ADirectoryOfNoServerIsSaidToBeOne) {
  std::filesystem::remove_all(data_);
  EXPECT_THAT(Error({"--user=a"}),
              HasSubstr("holds no certificate authority: a first start of keelson serve"));
  EXPECT_FALSE(std::filesystem::exists(data_)) << "it was made";
}

TEST_F(IdentityCommandTest, WithoutTheAdministratorsFileTheServerMustBeSaid) {
  std::filesystem::remove(app::KubeconfigIn(data_));
  EXPECT_THAT(Error({"--user=a"}),
              AllOf(HasSubstr("admin.kubeconfig does not exist"), HasSubstr("--server")));
  EXPECT_EQ(Run(Kubeconfig, {"--user=a", "--server=https://x", "-o", file_}).code, 0);
  EXPECT_EQ(auth::pki::ReadKubeconfig(file_)->ca_pem, base::ReadFile(app::PkiIn(data_) / "ca.crt").value());
}

TEST_F(IdentityCommandTest, ATokenNeedsARunningServerAndSaysSo) {
  const Outcome outcome = Run(Token, {"--service-account=ci/deployer"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("cannot ask 127.0.0.1:1"), HasSubstr("it must run")));
}

TEST_F(IdentityCommandTest, AUserHasNoToken) {
  const Outcome outcome = Run(Token, {"--user=ann"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("keelson kubeconfig --user ann"));
}

}  // namespace
}  // namespace keelson::cmd
