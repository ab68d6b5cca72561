#include "cmd/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "cmd/missing_flags.h"

namespace keelson::cmd {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

base::Result<Parsed, std::string> Parse(std::vector<std::string> args) {
  args.insert(args.begin(), "--data-dir=/d");
  return ParseServeFlags(args);
}
app::Config Config(std::vector<std::string> args) {
  auto parsed = Parse(std::move(args));
  EXPECT_TRUE(parsed) << parsed.error();
  return parsed ? parsed->config : app::Config{};
}
std::string Error(std::vector<std::string> args) {
  const auto parsed = Parse(std::move(args));
  return parsed ? "no error" : parsed.error();
}

TEST(FlagsTest, ControllersAreChosenAsInTheControllerManager) {
  EXPECT_TRUE(RunsController(Config({}), app::kGarbageCollector));
  EXPECT_FALSE(
      RunsController(Config({"--controllers=*,-garbage-collector-controller"}), app::kGarbageCollector));
  EXPECT_TRUE(
      RunsController(Config({"--controllers=*,-garbage-collector-controller"}), app::kNamespaceController));
  EXPECT_FALSE(RunsController(Config({"--controllers=namespace-controller"}), app::kGarbageCollector));
  EXPECT_FALSE(RunsController(Config({"--controllers=-*"}), app::kGarbageCollector));
  EXPECT_THAT(Error({"--controllers=nope"}), HasSubstr("\"nope\" is not in the list of known controllers"));
}

TEST(FlagsTest, CalledKubeApiserverItRunsNoControllersUnlessAsked) {
  const auto as_kube_apiserver = [](std::vector<std::string> args) {
    args.insert(args.begin(), "--data-dir=/d");
    return ParseServeFlags(args, CalledAs::kKubeApiserver)->config;
  };
  for (const std::string_view name : app::kControllers) {
    EXPECT_FALSE(RunsController(as_kube_apiserver({}), name)) << name;
    EXPECT_TRUE(RunsController(as_kube_apiserver({"--controllers=*"}), name)) << name;
  }
  const auto some = as_kube_apiserver({"--controllers=*,-namespace-controller"});
  EXPECT_FALSE(RunsController(some, app::kNamespaceController));
  EXPECT_TRUE(RunsController(some, app::kGarbageCollector));
  const auto one = as_kube_apiserver({"--controllers=namespace-controller"});
  EXPECT_TRUE(RunsController(one, app::kNamespaceController));
  EXPECT_FALSE(RunsController(one, app::kGarbageCollector));
}

TEST(FlagsTest, TheFlagsThatEnvtestGivesAreTaken) {
  const auto parsed = ParseServeFlags(
      std::vector<std::string>{
          "--allow-privileged=true", "--authorization-mode=RBAC", "--bind-address=127.0.0.1",
          "--cert-dir=/tmp/certs", "--client-ca-file=/tmp/certs/client-cert-auth-ca.crt",
          "--disable-admission-plugins=ServiceAccount", "--etcd-servers=http://127.0.0.1:2379",
          "--secure-port=12345", "--service-account-issuer=https://127.0.0.1:12345/",
          "--service-account-key-file=/tmp/certs/sa-signer.crt",
          "--service-account-signing-key-file=/tmp/certs/sa-signer.key",
          "--service-cluster-ip-range=10.0.0.0/24", "--advertise-address=127.0.0.1", "--insecure-port=0"},
      CalledAs::kKubeApiserver);
  ASSERT_TRUE(parsed) << parsed.error();
  EXPECT_EQ(parsed->config.cert_dir, "/tmp/certs");
  EXPECT_EQ(parsed->config.data_dir, "/tmp/certs");
  EXPECT_EQ(parsed->config.storage_backend, app::StorageBackend::kEtcd3);
  EXPECT_EQ(parsed->config.authorization_modes, std::vector{app::AuthorizationMode::kRbac});
  EXPECT_THAT(Error({"--insecure-port=8080"}), HasSubstr("kube-apiserver has had no such flag since v1.24"));
}

TEST(FlagsTest, OverridesOfEtcdServersAreReadAsUpstreamDoes) {
  const std::string main = "--etcd-servers=http://main:2379";
  const auto overrides =
      Config({main, "--etcd-servers-overrides=/events#http://a:1;http://b:2,apps/deployments#http://c:3",
              "--etcd-servers-overrides=coordination.k8s.io/*#http://d:4"})
          .etcd_servers_overrides;
  ASSERT_EQ(overrides.size(), 3U);
  EXPECT_EQ(overrides[0].group, "");
  EXPECT_EQ(overrides[0].resource, "events");
  EXPECT_THAT(overrides[0].servers, ElementsAre("http://a:1", "http://b:2"));
  EXPECT_EQ(overrides[1].group, "apps");
  EXPECT_EQ(overrides[2].resource, "*");
  EXPECT_TRUE(Config({main, "--etcd-servers-overrides="}).etcd_servers_overrides.empty());
  for (const char* const wrong : {"events#http://a", "/events", "/events#", "/events#http://a;",
                                  "a/b/c#http://a", "/events#http://a#http://b"})
    EXPECT_EQ(
        Error({main, "--etcd-servers-overrides=" + std::string(wrong)}),
        "--etcd-servers-overrides invalid, must be of format: group/resource#servers, where servers are "
        "URLs, semicolon separated")
        << wrong;
  EXPECT_THAT(Error({"--etcd-servers-overrides=/events#http://a"}), HasSubstr("needs --etcd-servers"));
}

TEST(FlagsTest, TheLogIsKeelsonsOwnUnlessAFormatIsNamedOrItIsCalledKubeApiserver) {
  using base::LogFormat;
  EXPECT_EQ(Config({"--logging-format=text"}).log.format, LogFormat::kText);
  EXPECT_EQ(Config({"--logging-format=keelson"}).log.format, LogFormat::kKeelson);
  const std::vector<std::string> none = {"--data-dir=/d"};
  EXPECT_EQ(ParseServeFlags(none, CalledAs::kKubeApiserver)->config.log.format, LogFormat::kText);
  EXPECT_EQ(Error({"--logging-format=json", "--feature-gates=LoggingBetaOptions=false"}),
            "format: Forbidden: Log format json is disabled, see LoggingBetaOptions feature");
}

TEST(FlagsTest, FilesHaveVerbositiesInTextFormatsOnly) {
  const auto files = Config({"--vmodule=request_log=3,cache*=5"}).log.files;
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[1].pattern, "cache*");
  EXPECT_EQ(Error({"--vmodule=a"}),
            "invalid argument \"a\" for --vmodule: \"a\" does not have the pattern=N format");
  EXPECT_EQ(Error({"--vmodule=a=1", "--logging-format=json"}),
            "vmodule: Forbidden: Only supported for text log format");
}

TEST(FlagsTest, TheStreamsOfTheLogAreSplitBehindTheirGate) {
  EXPECT_FALSE(Config({}).log_streams.info);
  const auto streams =
      Config({"--feature-gates=LoggingAlphaOptions=true", "--logging-format=json", "--log-json-split-stream",
              "--log-json-info-buffer-size=2Ki", "--log-flush-frequency=2s"})
          .log_streams;
  EXPECT_EQ(streams.info, 1);
  EXPECT_EQ(streams.info_buffer, 2048U);
  EXPECT_EQ(streams.flush_every, 2s);
  EXPECT_FALSE(
      Config({"--feature-gates=LoggingAlphaOptions=true", "--log-json-split-stream", "--logging-format=text"})
          .log_streams.info)
      << "it is about another format";
  EXPECT_EQ(Error({"--log-text-split-stream"}),
            "options.text.splitStream: Forbidden: Feature LoggingAlphaOptions is disabled");
  EXPECT_EQ(Error({"--log-json-info-buffer-size=1k"}),
            "options.json.infoBufferSize: Forbidden: Feature LoggingAlphaOptions is disabled");
  EXPECT_EQ(Error({"--log-flush-frequency=0s"}),
            "flushFrequency: Invalid value: \"0s\": Must be greater than zero");
  EXPECT_EQ(
      Config({"--log-text-split-stream=false", "--log-text-info-buffer-size=0"}).log_streams.info_buffer, 0U);
}

TEST(FlagsTest, TheGracePeriodOfLivezIsUnlimitedUnlessGiven) {
  EXPECT_EQ(Config({}).livez_grace_period, std::nullopt);
  EXPECT_EQ(Config({"--livez-grace-period=30s"}).livez_grace_period, 30s);
  EXPECT_EQ(Config({"--livez-grace-period=0s"}).livez_grace_period, 0s);
  EXPECT_EQ(Error({"--livez-grace-period=-1s"}), "--livez-grace-period can not be a negative value");
}

TEST(FlagsTest, ADirectoryOfCertificatesIsNoPlaceForAStore) {
  EXPECT_EQ(Config({"--cert-dir=/c", "--storage-backend=memory"}).data_dir, "/d");
  setenv("XDG_DATA_HOME", "/xdg", 1);
  EXPECT_EQ(ParseServeFlags(std::vector<std::string>{"--cert-dir=/c"})->config.data_dir, "/xdg/keelson");
  EXPECT_EQ(
      ParseServeFlags(std::vector<std::string>{"--cert-dir=/c", "--storage-backend=memory"})->config.data_dir,
      "/c");
  unsetenv("XDG_DATA_HOME");
}

TEST(FlagsTest, AdmissionPluginsAreNamedAsUpstreamDoes) {
  const auto config = Config(
      {"--disable-admission-plugins=Priority,ResourceQuota", "--default-not-ready-toleration-seconds=60"});
  EXPECT_THAT(config.admission.plugins.disabled, testing::ElementsAre("Priority", "ResourceQuota"));
  EXPECT_EQ(config.admission.default_not_ready_toleration_seconds, 60);
  EXPECT_EQ(config.admission.default_unreachable_toleration_seconds, 300);
  EXPECT_EQ(Config({"--admission-control-config-file=a.yaml"}).admission.control_config_file, "a.yaml");
  EXPECT_THAT(Error({"--enable-admission-plugins=Nope"}), HasSubstr("plugin \"Nope\" is unknown"));
  EXPECT_THAT(Config({"--disable-admission-plugins=ValidatingAdmissionWebhook"}).admission.plugins.disabled,
              testing::ElementsAre("ValidatingAdmissionWebhook"));
}

TEST(FlagsTest, TheDefaultsAreUpstreamsWhereItHasThem) {
  const app::Config c = Config({});
  EXPECT_EQ(c.data_dir, "/d");
  EXPECT_EQ(c.bind_address, "0.0.0.0");
  EXPECT_EQ(c.secure_port, 6443);
  EXPECT_TRUE(c.anonymous_auth);
  EXPECT_EQ(c.storage_backend, app::StorageBackend::kEmbedded);
  EXPECT_EQ(c.authorization_modes,
            (std::vector{app::AuthorizationMode::kNode, app::AuthorizationMode::kRbac}));
  EXPECT_EQ(c.event_ttl, 1h);
  EXPECT_EQ(c.request_timeout, 60s);
  EXPECT_EQ(c.max_requests_inflight, 400);
  EXPECT_EQ(c.max_mutating_requests_inflight, 200);
  EXPECT_TRUE(c.enable_priority_and_fairness);
  EXPECT_EQ(c.log.verbosity, 0);
  EXPECT_EQ(c.log.format, base::LogFormat::kKeelson);
}

TEST(FlagsTest, ValuesMayStandBehindAnEqualsSignOrInTheNextArgument) {
  const app::Config c =
      Config({"--secure-port=7443", "--bind-address", "127.0.0.1", "--request-timeout=1m30s",
              "--storage-backend", "memory", "--event-ttl=10m", "--anonymous-auth=false",
              "--authorization-mode=AlwaysAllow", "--logging-format=json", "-v=4"});
  EXPECT_EQ(c.secure_port, 7443);
  EXPECT_EQ(c.bind_address, "127.0.0.1");
  EXPECT_EQ(c.request_timeout, 90s);
  EXPECT_EQ(c.storage_backend, app::StorageBackend::kMemory);
  EXPECT_EQ(c.event_ttl, 10min);
  EXPECT_FALSE(c.anonymous_auth);
  EXPECT_EQ(c.authorization_modes, std::vector{app::AuthorizationMode::kAlwaysAllow});
  EXPECT_EQ(c.log.format, base::LogFormat::kJson);
  EXPECT_EQ(c.log.verbosity, 4);
  EXPECT_EQ(Config({"-v", "5"}).log.verbosity, 5);
  EXPECT_EQ(Config({"--v=2"}).log.verbosity, 2);
  EXPECT_TRUE(Config({"--anonymous-auth"}).anonymous_auth);
  EXPECT_FALSE(Config({"--allow-privileged=false"}).allow_privileged);
}

TEST(FlagsTest, TheLastOfSeveralWinsAndListsAreJoined) {
  EXPECT_EQ(Config({"--secure-port=1", "--secure-port=2"}).secure_port, 2);
  EXPECT_TRUE(Config({"--anonymous-auth=false", "--anonymous-auth=true"}).anonymous_auth);
  EXPECT_THAT(Config({"--tls-san=a,b", "--tls-san", "192.0.2.1"}).tls_san,
              ElementsAre("a", "b", "192.0.2.1"));
}

constexpr const char* kNobodyHasIt =
    ": neither kube-apiserver v1.36 nor keelson has it; keelson serve --help lists those there are";

TEST(FlagsTest, WhatIsNotKnownIsNamedWithWhatToDo) {
  EXPECT_EQ(Error({"--no-such-flag=1"}), std::string("unknown flag: --no-such-flag") + kNobodyHasIt);
  EXPECT_EQ(Error({"--no-such-flag", "x"}), std::string("unknown flag: --no-such-flag") + kNobodyHasIt);
  EXPECT_EQ(Error({"-x"}), std::string("unknown flag: -x") + kNobodyHasIt);
  EXPECT_EQ(Error({"word"}), "unexpected argument: word");
  EXPECT_EQ(Error({"--secure-prot=1"}), "unknown flag: --secure-prot: did you mean --secure-port?");
  EXPECT_EQ(Error({"--service-account-signing-endpoint=/x"}),
            "flag --service-account-signing-endpoint is known to kube-apiserver but not implemented by "
            "keelson: use "
            "--service-account-signing-key-file");
}

TEST(FlagsTest, EverythingThatIsWrongIsToldAtOnce) {
  EXPECT_EQ(Error({"--no-such-flag", "x", "--service-account-signing-endpoint=y", "--secure-port=7443",
                   "--tls-cert-file=a", "--authorization-mode=Webhook"}),
            std::string("unknown flag: --no-such-flag") + kNobodyHasIt +
                "\nflag --service-account-signing-endpoint is known to kube-apiserver but not implemented by "
                "keelson: use --service-account-signing-key-file"
                "\n--tls-cert-file and --tls-private-key-file must be given together"
                "\nauthorization-mode Webhook's authorization config file not passed");
  EXPECT_THAT(Error({"--no-such-flag", "--secure-port=x"}),
              AllOf(HasSubstr("unknown flag: --no-such-flag"), HasSubstr("--secure-port")));
}

TEST(FlagsTest, AuditFlagsHaveUpstreamsDefaultsAndChecks) {
  const audit::Config defaults = Config({}).audit;
  EXPECT_EQ(defaults.log.batch.mode, "blocking");
  EXPECT_EQ(defaults.log.batch.buffer_size, 10'000);
  EXPECT_EQ(defaults.log.batch.max_size, 1);
  EXPECT_EQ(defaults.webhook.batch.max_size, 400);
  EXPECT_EQ(defaults.webhook.batch.max_wait, std::chrono::seconds(30));
  EXPECT_EQ(defaults.webhook.initial_backoff, std::chrono::seconds(10));
  const audit::Config given =
      Config({"--audit-policy-file=p", "--audit-log-path=-", "--audit-log-batch-throttle-enable",
              "--audit-webhook-batch-initial-backoff=3s"})
          .audit;
  EXPECT_EQ(given.policy_file, "p");
  EXPECT_TRUE(given.log.batch.throttle_enable);
  EXPECT_EQ(given.webhook.initial_backoff, std::chrono::seconds(3));
  EXPECT_EQ(Error({"--audit-log-path=x", "--audit-log-mode=sync", "--audit-log-maxage=-1",
                   "--audit-log-format=xml", "--audit-log-truncate-max-batch-size=5"}),
            "invalid audit log mode sync, allowed modes are \"batch,blocking,blocking-strict\"\n"
            "invalid audit truncate log max batch size 5, must be greater than max event size (102400)\n"
            "invalid audit log format xml, allowed formats are \"legacy,json\"\n"
            "--audit-log-maxage -1 can't be a negative number");
  EXPECT_EQ(Error({"--audit-webhook-config-file=x", "--audit-webhook-batch-throttle-qps=0"}),
            "invalid audit batch webhook throttle QPS 0, must be a positive number");
  EXPECT_EQ(Config({"--audit-log-mode=sync"}).audit.log.path, "");  // as long as there is no log
}

TEST(FlagsTest, NoFlagIsBothImplementedAndListedAsNot) {
  EXPECT_TRUE(std::ranges::is_sorted(MissingFlags(), {}, &MissingFlag::name));
  const std::string help = Parse({"--help"})->help;
  for (const MissingFlag& flag : MissingFlags())
    for (const char end : {' ', '{', '\n'})
      EXPECT_EQ(help.find("--" + std::string(flag.name) + end), std::string::npos) << flag.name;
  EXPECT_THAT(help, HasSubstr("--secure-port"));
}

TEST(FlagsTest, HowTheStoreIsCaredForHasUpstreamsDefaults) {
  const app::Config c = Config({});
  EXPECT_EQ(c.etcd_healthcheck_timeout, 2s);
  EXPECT_EQ(c.etcd_db_metric_poll_interval, 30s);
  EXPECT_EQ(c.storage_initialization_timeout, 1min);
  EXPECT_EQ(c.lease_reuse, 60s);
  EXPECT_EQ(c.delete_collection_workers, std::nullopt);
  EXPECT_EQ(c.kubelet_timeout, 30s);
  const app::Config given = Config(
      {"--etcd-healthcheck-timeout=5s", "--etcd-readycheck-timeout=5s", "--etcd-db-metric-poll-interval=0",
       "--storage-initialization-timeout=90s", "--lease-reuse-duration-seconds=30",
       "--delete-collection-workers=1", "--kubelet-timeout=5s", "--etcd-count-metric-poll-period=1m"});
  EXPECT_EQ(given.etcd_healthcheck_timeout, 5s);
  EXPECT_EQ(given.etcd_db_metric_poll_interval, 0s);
  EXPECT_EQ(given.storage_initialization_timeout, 90s);
  EXPECT_EQ(given.lease_reuse, 30s);
  EXPECT_EQ(given.delete_collection_workers, 1U);
  EXPECT_EQ(given.kubelet_timeout, 5s);
  EXPECT_THAT(Error({"--etcd-readycheck-timeout=3s"}),
              HasSubstr("must be what --etcd-healthcheck-timeout is"));
  EXPECT_THAT(Error({"--etcd-count-metric-poll-period=0"}), HasSubstr("keelson always tells"));
  EXPECT_THAT(Error({"--delete-collection-workers=0"}), HasSubstr("must be greater than 0"));
}

TEST(FlagsTest, AFlagThatSaysWhatKeelsonDoesIsTaken) {
  for (const char* flag :
       {"--service-account-lookup=true", "--service-account-lookup", "--service-account-lookup=1",
        "--endpoint-reconciler-type=lease", "--enable-garbage-collector=true",
        "--storage-media-type=application/vnd.kubernetes.protobuf", "--enable-logs-handler=false",
        "--goaway-chance=0", "--contention-profiling=false", "--profiling=false",
        "--tls-min-version=VersionTLS12", "--requestheader-allowed-names=",
        "--coordinated-leadership-lease-duration=15s", "--coordinated-leadership-renew-deadline=10000ms",
        "--coordinated-leadership-retry-period=2s", "--kubelet-read-only-port=10255"})
    EXPECT_EQ(Error({flag}), "no error") << flag;
  EXPECT_EQ(Error({"--endpoint-reconciler-type", "lease", "--goaway-chance", "0"}), "no error");
  EXPECT_EQ(Error({"--contention-profiling"}),
            "flag --contention-profiling is known to kube-apiserver but not implemented by keelson, which "
            "behaves as with "
            "false: leave it out");
  EXPECT_EQ(
      Error({"--enable-garbage-collector=false"}),
      "flag --enable-garbage-collector is known to kube-apiserver but not implemented by keelson, which "
      "behaves as with true: use --controllers=*,-garbage-collector-controller");
}

TEST(FlagsTest, EveryFlagIsToldOfWithItsValue) {
  const auto flags =
      Config({"--bind-address=10.0.0.1", "--anonymous-auth=false", "-v=2", "--api-audiences=a,b"}).flags;
  EXPECT_EQ(flags.at("bind-address"), "10.0.0.1");
  EXPECT_EQ(flags.at("anonymous-auth"), "false");
  EXPECT_EQ(flags.at("allow-privileged"), Config({}).allow_privileged ? "true" : "false");
  EXPECT_EQ(flags.at("v"), "2");
  EXPECT_EQ(flags.at("api-audiences"), "[a,b]");
  EXPECT_EQ(flags.at("feature-gates"), "[]");
  EXPECT_EQ(flags.at("goaway-chance"), "0") << "kube-apiserver's, and what keelson does";
  EXPECT_FALSE(flags.contains("help"));
}

TEST(FlagsTest, PriorityAndFairnessNeedsSeats) {
  EXPECT_FALSE(Config({"--enable-priority-and-fairness=false", "--max-requests-inflight=0",
                       "--max-mutating-requests-inflight=0"})
                   .enable_priority_and_fairness);
  EXPECT_THAT(Error({"--max-requests-inflight=0", "--max-mutating-requests-inflight=0"}),
              HasSubstr("must add up to something positive"));
}

TEST(FlagsTest, AnEmptyValueIsAValueAndNotTheNextArgument) {
  const app::Config c =
      Config({"--runtime-config=", "--secure-port=7443", "--tls-san=", "--bind-address=127.0.0.1",
              "--advertise-address=192.0.2.1", "--advertise-address=", "--token-auth-file=",
              "--service-account-issuer=", "--feature-gates=", "--threads", "2"});
  EXPECT_EQ(c.secure_port, 7443);
  EXPECT_EQ(c.bind_address, "127.0.0.1");
  EXPECT_EQ(c.advertise_address, "");
  EXPECT_EQ(c.token_auth_file, "");
  EXPECT_THAT(c.tls_san, testing::IsEmpty());
  EXPECT_THAT(c.service_account_issuers, testing::IsEmpty());
  EXPECT_EQ(c.threads, 2);
  EXPECT_THAT(Error({"--secure-port=", "--threads=1"}), HasSubstr("--secure-port"));
  EXPECT_THAT(Error({"--anonymous-auth=", "--threads=1"}), HasSubstr("--anonymous-auth"));
}

TEST(FlagsTest, FrontProxiesHaveHeadersWhoseCaseDoesNotMatter) {
  const app::FrontProxyConfig proxy =
      Config({"--requestheader-client-ca-file=ca.pem", "--requestheader-allowed-names=front,back",
              "--requestheader-username-headers=X-Remote-User, X-Login ",
              "--requestheader-uid-headers=X-Remote-UID", "--requestheader-group-headers=X-Remote-Group",
              "--requestheader-extra-headers-prefix=X-Remote-Extra-"})
          .front_proxy;
  EXPECT_EQ(proxy.client_ca_file, "ca.pem");
  EXPECT_THAT(proxy.allowed_names, testing::ElementsAre("front", "back"));
  EXPECT_THAT(proxy.username_headers, testing::ElementsAre("x-remote-user", "x-login"));
  EXPECT_THAT(proxy.uid_headers, testing::ElementsAre("x-remote-uid"));
  EXPECT_THAT(proxy.extra_headers_prefixes, testing::ElementsAre("x-remote-extra-"));
  EXPECT_EQ(Error({"--requestheader-group-headers", " "}), "empty value in \"requestheader-group-headers\"");
  EXPECT_EQ(Error({"--requestheader-uid-headers=X-Uid"}),
            "--requestheader-uid-headers is set without specifying the standard X-Remote-Uid header - API "
            "aggregation will not work");
}

TEST(FlagsTest, AnOpenIdProviderNeedsItsUrlAndAClient) {
  const app::OidcConfig oidc =
      Config({"--oidc-issuer-url=https://login.example.com", "--oidc-client-id=k8s", "--oidc-ca-file=ca.pem",
              "--oidc-required-claim=hd=a=b,c", "--oidc-required-claim", "x=y",
              "--oidc-signing-algs=ES256,PS512", "--oidc-username-prefix=-"})
          .oidc;
  EXPECT_EQ(oidc.issuer_url, "https://login.example.com");
  EXPECT_EQ(oidc.ca_file, "ca.pem");
  EXPECT_EQ(oidc.username_claim, "sub");
  EXPECT_EQ(oidc.username_prefix, "-");
  EXPECT_THAT(oidc.signing_algs, testing::ElementsAre("ES256", "PS512"));
  EXPECT_THAT(oidc.required_claims,
              testing::ElementsAre(testing::Pair("hd", "a=b,c"), testing::Pair("x", "y")));
  EXPECT_THAT(Config({}).oidc.signing_algs, testing::ElementsAre("RS256"));
  EXPECT_EQ(Error({"--oidc-groups-claim=groups"}),
            "oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set");
  EXPECT_EQ(Error({"--oidc-issuer-url=https://a", "--oidc-client-id=b", "--authentication-config=f"}),
            "authentication-config file and oidc-* flags are mutually exclusive");
  EXPECT_EQ(Error({"--oidc-issuer-url=https://a", "--oidc-client-id=b", "--oidc-required-claim=c"}),
            "invalid argument \"c\" for --oidc-required-claim: malformed pair, expect string=string");
}

TEST(FlagsTest, AWebhookMayBeAskedAboutTokens) {
  const app::WebhookTokenConfig webhook =
      Config({"--authentication-token-webhook-config-file=hook.yaml",
              "--authentication-token-webhook-version=v1", "--authentication-token-webhook-cache-ttl=10s"})
          .token_webhook;
  EXPECT_EQ(webhook.config_file, "hook.yaml");
  EXPECT_EQ(webhook.version, "v1");
  EXPECT_EQ(webhook.cache_ttl, 10s);
  EXPECT_EQ(Config({}).token_webhook.version, "v1beta1");
  EXPECT_EQ(Config({}).token_webhook.cache_ttl, 2min);
}

TEST(FlagsTest, WhoIsAnonymousIsSaidOnce) {
  EXPECT_FALSE(Config({}).anonymous_auth_given);
  EXPECT_TRUE(Config({"--anonymous-auth"}).anonymous_auth_given);
}

TEST(FlagsTest, TokensOfSecretsAreSwitches) {
  EXPECT_TRUE(Config({}).service_account_lookup);
  EXPECT_FALSE(Config({}).enable_bootstrap_token_auth);
  EXPECT_FALSE(Config({"--service-account-lookup=false"}).service_account_lookup);
  EXPECT_TRUE(Config({"--enable-bootstrap-token-auth=true"}).enable_bootstrap_token_auth);
}

TEST(FlagsTest, ANamespaceThatIsDeletedHasAGrace) {
  EXPECT_EQ(Config({}).namespace_deletion_grace_period, 5s);
  EXPECT_EQ(Config({"--namespace-deletion-grace-period=0"}).namespace_deletion_grace_period, 0s);
  EXPECT_EQ(Error({"--namespace-deletion-grace-period=-1s"}),
            "--namespace-deletion-grace-period must not be negative");
}

TEST(FlagsTest, BadValuesAreErrorsThatNameTheFlag) {
  EXPECT_THAT(Error({"--secure-port=x"}), HasSubstr("--secure-port"));
  EXPECT_EQ(Error({"--secure-port=70000"}), "--secure-port must be between 0 and 65535");
  EXPECT_EQ(Error({"--request-timeout=5"}),
            "invalid argument \"5\" for --request-timeout: time: missing unit in duration \"5\"");
  EXPECT_EQ(Error({"--request-timeout=0s"}), "--request-timeout must be greater than 0");
  EXPECT_EQ(Error({"--bind-address=localhost"}), "--bind-address: not an IP address: localhost");
  EXPECT_EQ(Error({"--tls-cert-file=a"}),
            "--tls-cert-file and --tls-private-key-file must be given together");
  EXPECT_EQ(Error({"--tls-min-version=VersionTLS10"}),
            "--tls-min-version: VersionTLS12 or VersionTLS13, not VersionTLS10");
  EXPECT_EQ(Error({"--service-cluster-ip-range=10.0.0.0"}),
            "--service-cluster-ip-range: invalid CIDR address: 10.0.0.0");
  EXPECT_EQ(Error({"--logging-format=xml"}), "format: Invalid value: \"xml\": Unsupported log format");
  EXPECT_EQ(Error({"--authorization-mode=Node,Webhook"}),
            "authorization-mode Webhook's authorization config file not passed");
  EXPECT_EQ(Error({"--authorization-webhook-config-file=x"}),
            "cannot specify --authorization-webhook-config-file without mode Webhook");
  for (const char* flag : {"--authorization-mode=RBAC", "--authorization-webhook-version=v1",
                           "--authorization-webhook-cache-unauthorized-ttl=1s"})
    EXPECT_EQ(Error({"--authorization-config=x", flag}),
              "--authorization-config can not be specified when --authorization-mode or "
              "--authorization-webhook-* flags are defined");
  EXPECT_EQ(Error({"--authorization-mode=ABAC"}),
            "authorization-mode ABAC's authorization policy file not passed");
  EXPECT_EQ(Error({"--authorization-policy-file=x"}),
            "cannot specify --authorization-policy-file without mode ABAC");
  EXPECT_EQ(Error({"--authorization-mode=Foo"}), "authorization-mode \"Foo\" is not a valid mode");
  EXPECT_EQ(Error({"--authorization-mode=RBAC,AlwaysAllow,RBAC"}),
            "authorization-mode [\"RBAC\" \"AlwaysAllow\" \"RBAC\"] has mode specified more than once");
}

TEST(FlagsTest, AWebhookDecidesAsTheFlagsSay) {
  const app::Config c =
      Config({"--authorization-mode=Node,Webhook", "--authorization-webhook-config-file=hook",
              "--authorization-webhook-version=v1", "--authorization-webhook-cache-authorized-ttl=1m",
              "--authorization-webhook-cache-unauthorized-ttl=0s"});
  EXPECT_EQ(c.authorization_modes,
            (std::vector{app::AuthorizationMode::kNode, app::AuthorizationMode::kWebhook}));
  EXPECT_EQ(c.authorization_webhook.config_file, "hook");
  EXPECT_EQ(c.authorization_webhook.version, "v1");
  EXPECT_EQ(c.authorization_webhook.authorized_ttl, std::chrono::minutes(1));
  EXPECT_EQ(c.authorization_webhook.unauthorized_ttl.count(), 0);
}

TEST(FlagsTest, AnAuthorizationConfigurationReplacesTheModes) {
  const app::Config c = Config({"--authorization-config=file", "--authorization-policy-file=policies"});
  EXPECT_EQ(c.authorization_config, "file");
  EXPECT_EQ(c.authorization_policy_file, "policies");
  EXPECT_TRUE(c.authorization_modes.empty());
}

TEST(FlagsTest, StorageBackendsThatAreNotThereAreErrors) {
  EXPECT_EQ(Error({"--storage-backend=sqlite"}),
            "--storage-backend: unknown backend: sqlite (embedded, memory or etcd3)");
  EXPECT_EQ(Error({"--storage-backend=etcd2", "--etcd-servers=http://127.0.0.1:2379"}),
            "--storage-backend: unknown backend: etcd2 (embedded, memory or etcd3)");
  EXPECT_EQ(Config({"--encryption-provider-config=/x"}).encryption_provider_config, "/x");
  EXPECT_EQ(Error({"--encryption-provider-config-automatic-reload"}),
            "--encryption-provider-config-automatic-reload must be set with --encryption-provider-config");
  EXPECT_EQ(Error({"--watch-cache-sizes=pods#100,deployments.apps#10", "--default-watch-cache-size=50"}),
            "no error");
  EXPECT_THAT(Error({"--watch-cache-sizes=pods"}), HasSubstr("expected resource[.group]#size"));
  EXPECT_EQ(Error({"--storage-backend=etcd3"}), "--etcd-servers must be specified");
  EXPECT_EQ(Error({"--etcd-servers=http://127.0.0.1:2379", "--storage-backend=memory"}),
            "--etcd-servers cannot be used with --storage-backend=memory");
}

TEST(FlagsTest, WindowsOfWatchesHaveSizes) {
  const app::WindowConfig normal = Config({"--watch-cache-sizes=pods#100"}).watch_window;
  EXPECT_EQ(normal.bytes, 32U << 20);
  EXPECT_EQ(normal.age, 5min);
  EXPECT_FALSE(normal.off);
  EXPECT_THAT(normal.off_for, testing::IsEmpty());
  EXPECT_THAT(Config({"--watch-cache-sizes=pods#0,deployments.apps#00"}).watch_window.off_for,
              ElementsAre("deployments.apps", "pods"));
  EXPECT_TRUE(Config({"--watch-cache=false"}).watch_window.off);
  EXPECT_TRUE(Config({"--default-watch-cache-size=0"}).watch_window.off);
  const app::WindowConfig small =
      Config({"--watch-cache-window-bytes=512Ki", "--watch-cache-window-age=90s"}).watch_window;
  EXPECT_EQ(small.bytes, 512U << 10);
  EXPECT_EQ(small.age, 90s);
  EXPECT_EQ(Error({"--watch-cache-window-bytes=5MB"}),
            "--watch-cache-window-bytes: not a number of bytes: 5MB");
  EXPECT_EQ(Error({"--watch-cache-window-age=0s"}), "--watch-cache-window-age must be at least 1s");
}

TEST(FlagsTest, AStoreHasLimits) {
  EXPECT_EQ(Config({}).storage_quotas.at("events"), 1U << 30);
  const app::Config c = Config({"--storage-quotas=events#2Gi,leases.coordination.k8s.io#1000",
                                "--max-object-bytes=1Mi", "--history-retention=2h"});
  EXPECT_EQ(c.storage_quotas.at("events"), uint64_t{2} << 30);
  EXPECT_EQ(c.storage_quotas.at("leases.coordination.k8s.io"), 1000U);
  EXPECT_EQ(c.max_object_bytes, 1U << 20);
  EXPECT_EQ(c.history_retention, 2h);
  EXPECT_EQ(Config({"--etcd-compaction-interval=1m"}).history_retention, 1min);
  EXPECT_EQ(Error({"--storage-quotas=events"}),
            "--storage-quotas: invalid value \"events\", expected resource[.group]#bytes");
  EXPECT_EQ(Error({"--storage-quotas=events#many"}), "--storage-quotas: not a number of bytes: many");
  EXPECT_EQ(Error({"--accept-data-loss=5", "--storage-backend=memory"}),
            "--accept-data-loss is for the embedded store");
  EXPECT_EQ(Error({"--accept-data-loss=0"}), "--accept-data-loss must be a revision");
  EXPECT_EQ(Error({"--history-retention=1h", "--etcd-servers=http://127.0.0.1:2379"}),
            "--history-retention is for a store of our own; with etcd use --etcd-compaction-interval");
}

TEST(FlagsTest, ConnectionsHaveLimits) {
  EXPECT_EQ(Config({}).max_connections, 0u);
  EXPECT_EQ(Config({}).max_unauthenticated_connections, 16384u);
  EXPECT_EQ(Config({"--max-connections=500"}).max_connections, 500u);
  EXPECT_EQ(
      Config({"--max-unauthenticated-connections-per-address=7"}).max_unauthenticated_connections_per_address,
      7u);
  EXPECT_THAT(Error({"--max-unauthenticated-connections=-1"}),
              HasSubstr("--max-unauthenticated-connections must not be negative"));
}

TEST(FlagsTest, EtcdServersImplyEtcd3) {
  const app::Config c =
      Config({"--etcd-servers=https://a:2379,https://b:2379", "--etcd-cafile=ca", "--etcd-certfile=c",
              "--etcd-keyfile=k", "--etcd-prefix=cluster/", "--etcd-compaction-interval=1m"});
  EXPECT_EQ(c.storage_backend, app::StorageBackend::kEtcd3);
  EXPECT_THAT(c.etcd_servers, ElementsAre("https://a:2379", "https://b:2379"));
  EXPECT_EQ(c.etcd_cafile, "ca");
  EXPECT_EQ(c.etcd_certfile, "c");
  EXPECT_EQ(c.etcd_keyfile, "k");
  EXPECT_EQ(c.etcd_prefix, "/cluster");
  EXPECT_EQ(c.etcd_compaction_interval, 1min);
  EXPECT_EQ(Config({}).etcd_prefix, "/registry");
  EXPECT_EQ(Error({"--etcd-servers=http://a:1", "--etcd-certfile=c"}),
            "--etcd-certfile and --etcd-keyfile must be given together");
}

TEST(FlagsTest, WithoutADataDirTheHomeDirectoryIsUsed) {
  ::setenv("XDG_DATA_HOME", "/xdg", 1);
  EXPECT_EQ(ParseServeFlags({})->config.data_dir, "/xdg/keelson");
  ::unsetenv("XDG_DATA_HOME");
  ::setenv("HOME", "/home/ann", 1);
  EXPECT_EQ(ParseServeFlags({})->config.data_dir, "/home/ann/.local/share/keelson");
  ::unsetenv("HOME");
  EXPECT_THAT(ParseServeFlags({}).error(), HasSubstr("say --data-dir"));
}

TEST(FlagsTest, AServerOnEtcdThatIsGivenItsFilesNeedsNoHome) {
  ::unsetenv("XDG_DATA_HOME");
  ::unsetenv("HOME");
  std::vector<std::string> args = {"--etcd-servers=unix:///run/etcd.sock", "--tls-cert-file=a",
                                   "--tls-private-key-file=b", "--client-ca-file=c",
                                   "--service-account-signing-key-file=d"};
  const auto parsed = ParseServeFlags(args);
  ASSERT_TRUE(parsed) << parsed.error();
  EXPECT_TRUE(parsed->config.data_dir.empty());
  EXPECT_FALSE(app::NeedsDataDir(parsed->config));
  args.pop_back();
  EXPECT_THAT(ParseServeFlags(args).error(), HasSubstr("say --data-dir"));
}

TEST(FlagsTest, TheVersionIsToldAsKubeApiserverTellsIt) {
  EXPECT_THAT(Parse({"--version"})->help, testing::StartsWith("Kubernetes v1.36."));
  EXPECT_EQ(Parse({"--version=false"})->help, "");
}

TEST(FlagsTest, CertificatesForNamesAreFilesAndNames) {
  const app::Config c = Config(
      {"--tls-sni-cert-key=a.crt,a.key", "--tls-sni-cert-key", "b.crt,b.key:*.example.com,example.com"});
  ASSERT_EQ(c.tls_sni_cert_keys.size(), 2);
  EXPECT_EQ(c.tls_sni_cert_keys[0].certificate_file, "a.crt");
  EXPECT_EQ(c.tls_sni_cert_keys[0].key_file, "a.key");
  EXPECT_THAT(c.tls_sni_cert_keys[0].names, testing::IsEmpty());
  EXPECT_THAT(c.tls_sni_cert_keys[1].names, ElementsAre("*.example.com", "example.com"));
  EXPECT_EQ(Error({"--tls-sni-cert-key=a.crt"}),
            "invalid argument \"a.crt\" for --tls-sni-cert-key: expected comma separated certificate and key "
            "file paths");
}

TEST(FlagsTest, HowIsListenedIsSaid) {
  const app::Config c =
      Config({"--disable-http2-serving", "--permit-port-sharing=true", "--tls-curve-preferences=29,23"});
  EXPECT_TRUE(c.disable_http2_serving);
  EXPECT_TRUE(c.permit_port_sharing);
  EXPECT_THAT(c.tls_curve_preferences, ElementsAre(29, 23));
  EXPECT_THAT(Config({"--tls-curve-preferences="}).tls_curve_preferences, testing::IsEmpty());
}

TEST(FlagsTest, WhatAnswersCarryIsChecked) {
  const app::Config c = Config(
      {"--goaway-chance=0.001", "--cors-allowed-origins=//example\\.com(:|$)", "--shutdown-send-retry-after",
       "--strict-transport-security-directives=max-age=31536000,includeSubDomains",
       "--shutdown-watch-termination-grace-period=30s", "--external-hostname=api.example.com",
       "--service-account-jwks-uri=https://example.com/jwks"});
  EXPECT_EQ(c.goaway_chance, 0.001);
  EXPECT_THAT(c.strict_transport_security_directives, ElementsAre("max-age=31536000", "includeSubDomains"));
  EXPECT_EQ(c.shutdown_watch_termination_grace_period, 30s);
  EXPECT_TRUE(c.shutdown_send_retry_after);
  EXPECT_EQ(Error({"--goaway-chance=0.1"}), "--goaway-chance can not be less than 0 or greater than 0.02");
  EXPECT_THAT(Error({"--cors-allowed-origins=example"}), HasSubstr("does not pin to start/end of host"));
  EXPECT_THAT(Error({"--strict-transport-security-directives=forever"}),
              HasSubstr("allowed values: max-age"));
  EXPECT_THAT(Error({"--service-account-jwks-uri=http://example.com"}), HasSubstr("requires https scheme"));
  EXPECT_EQ(Error({"--shutdown-watch-termination-grace-period=-1s"}),
            "shutdown-watch-termination-grace-period, if provided, can not be a negative value");
}

}  // namespace
}  // namespace keelson::cmd
