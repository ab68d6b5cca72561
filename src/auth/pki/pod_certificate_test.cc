#include "auth/pod_certificate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "api/validation/testing/json_doc.h"
#include "auth/testing/certificate_requests.h"

namespace keelson::auth {
namespace {

using api::certificates::IssuedChain;
using api::certificates::KeyFault;
using ::testing::ElementsAre;
using View = api::certificates_v1beta1::PodCertificateRequestView;

// A request for a key on the curve P-256.
const std::string kStubRequest =
    "MIG6MGICAQAwADBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABBGKXNKRwX2fIvoBgenn7uguayzWz2ucVYzEYPyX"
    "ePcLuJdtXb4pV2kvVPeCQXrJUgSaZA+3fDAaRwztR/Z1qBmgADAKBggqhkjOPQQDAgNIADBFAiACUqmvAA9X9tis"
    "Vdnhgn+Cacc3YR5OaYE/pWjoAkpaiQIhAOt3xQ0JrukLzL7whlouYLVaBeAXG3jW4xDLKOk3/Jwi";
// A request like kStubRequest, with a key on the curve P-224.
const std::string kWeakRequest =
    "MIGoMFcCAQAwADBOMBAGByqGSM49AgEGBSuBBAAhAzoABMXXvnaz2y/F5RaOMaE5f1pA8rUZdPkA87e63SsYWOZq"
    "zl08/C2WMn8tUI4i9oEdVRRWB2OCZZ9ZoAAwCgYIKoZIzj0EAwIDQQAwPgIdAJH7ShS4uBoQmfWV+Hg0Z4jnLMnf"
    "SKJ1/BhEYvcCHQDYnQd5/K8tZIB7q7g1XZVp1cbQCtHol+t+CVif";
// A key of Ed25519, and what it signs the uid of the pod with.
const std::string kEdKey = "MCowBQYDK2VwAyEAm83r3Rss72y15lCKCBuY9WFX/Y5w8SyVTBuummOl0Ow=";
const std::string kEdProof =
    "cwlg9hPn8iMogzJ9wXNDqhsxDjLssdXJaw//5sqP7j/dk63J8OSWyt0Z7aAvu11w9N4hg7G9WYr5mrBAGRVeCQ==";
// A certificate for the key of kStubRequest, with names that no certificate should have.
const std::string kLeaf =
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBhzCCAS2gAwIBAgIUG/JHIbrnAlHn9KZwVkmLmvnnX6gwCgYIKoZIzj0EAwIw\n"
    "DDEKMAgGA1UEAwwBcDAeFw0yNjExMTgwMDQ2MjBaFw0yNjEyMTgwMDQ2MjBaMAwx\n"
    "CjAIBgNVBAMMAXAwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQRilzSkcF9nyL6\n"
    "AYHp5+7oLmss1s9rnFWMxGD8l3j3C7iXbV2+KVdpL1T3gkF6yVIEmmQPt3wwGkcM\n"
    "7Uf2dagZo20wazAdBgNVHQ4EFgQUBjemfQVxDa2AYWoJTgIs0uCGH4wwHwYDVR0j\n"
    "BBgwFoAUBjemfQVxDa2AYWoJTgIs0uCGH4wwDwYDVR0TAQH/BAUwAwEB/zAYBgNV\n"
    "HREEETAPggRhLi5iggIuY4EDeCB5MAoGCCqGSM49BAMCA0gAMEUCICRxs2xfMr5H\n"
    "l9lUQYEhyvP2KXZXo748QtN4NS3V7jwLAiEAkEmDkP5CoeR3NwysJa+Wc+Qj9eAm\n"
    "qcVM5FnhWZeX5Qo=\n"
    "-----END CERTIFICATE-----\n";

api::Doc Asking(const std::string& members) {
  return api::testing::DocFromJson<View>(R"({"spec":{"podUID":"11111111-1111-1111-1111-111111111111",)" +
                                         members + "}}");
}
KeyFault FaultOf(const std::string& members) {
  const api::Doc doc = Asking(members);
  return FaultOfRequestedKey(View(doc).spec());
}
std::string Stub(const std::string& request) { return R"("stubPKCS10Request":")" + request + "\""; }

TEST(PodCertificateTest, AKeyIsStrongAndItsOwnersOwn) {
  EXPECT_EQ(FaultOf(Stub(kStubRequest)).kind, KeyFault::Kind::kNone);
  std::string changed = kStubRequest;
  changed[changed.size() - 3] = changed[changed.size() - 3] == 'w' ? 'x' : 'w';
  EXPECT_EQ(FaultOf(Stub(changed)).kind, KeyFault::Kind::kSignature);
  EXPECT_EQ(FaultOf(Stub("AAAA")).kind, KeyFault::Kind::kUnreadable);
  EXPECT_EQ(FaultOf(Stub(kWeakRequest)).kind, KeyFault::Kind::kCurve);
  EXPECT_EQ(FaultOf(Stub(kWeakRequest)).shown, "curve P-224");
  EXPECT_EQ(FaultOf(R"("pkixPublicKey":")" + kEdKey + R"(","proofOfPossession":")" + kEdProof + "\"").kind,
            KeyFault::Kind::kNone);
  EXPECT_EQ(FaultOf(R"("pkixPublicKey":")" + kEdKey + R"(","proofOfPossession":"AAAA")").kind,
            KeyFault::Kind::kSignature);
  EXPECT_EQ(FaultOf(R"("pkixPublicKey":"AAAA","proofOfPossession":"AAAA")").kind,
            KeyFault::Kind::kUnreadable);
}

TEST(PodCertificateTest, AChainBeginsWithTheCertificateForTheKey) {
  const api::Doc doc = Asking(Stub(kStubRequest)), other = Asking(R"("pkixPublicKey":")" + kEdKey + "\"");
  const auto read = [&](const std::string& pem) { return ReadIssuedChain(pem, View(doc).spec()); };
  const IssuedChain chain = read(kLeaf + kLeaf);
  EXPECT_EQ(chain.leaf, IssuedChain::Fault::kNone);
  EXPECT_EQ(chain.others, IssuedChain::Fault::kNone);
  EXPECT_TRUE(chain.is_for_key);
  EXPECT_FALSE(ReadIssuedChain(kLeaf, View(other).spec()).is_for_key);
  EXPECT_THAT(chain.dns_names, ElementsAre("a..b", ".c"));
  EXPECT_THAT(chain.bad_emails, ElementsAre("x y"));
  EXPECT_EQ(chain.not_before, 1794962780);
  EXPECT_EQ(chain.not_after, 1797554780);
  EXPECT_EQ(read("").leaf, IssuedChain::Fault::kNoCertificate);
  EXPECT_EQ(read(std::string(kRequestOfJane)).leaf, IssuedChain::Fault::kOtherBlock);
  EXPECT_EQ(read(kLeaf + std::string(kRequestOfJane)).others, IssuedChain::Fault::kOtherBlock);
}

}  // namespace
}  // namespace keelson::auth
