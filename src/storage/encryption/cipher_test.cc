#include "storage/encryption/cipher.h"

#include <gmock/gmock.h>

#include <array>
#include <functional>

#include "storage/encryption/xsalsa20.h"

namespace keelson::storage::encryption {
namespace {

using testing::HasSubstr;
using namespace std::string_literals;

std::string FromHex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  return bytes;
}

std::string CountingKey(size_t size) {
  std::string key;
  for (size_t i = 0; i < size; ++i) key.push_back(static_cast<char>(i));
  return key;
}

constexpr std::string_view kKey = "/registry/secrets/default/s";
const std::string kPlain =
    "k8s\0a stored secret that is longer than one block of sixty-four bytes, so that the stream goes on"s;

std::string Sealed(const Cipher& cipher, std::string_view plain, std::string_view context = kKey) {
  base::BufferBuilder out;
  EXPECT_TRUE(cipher.Seal(plain, context, out));
  return std::string(out.view());
}

struct Case {
  std::string name;
  std::function<std::unique_ptr<Cipher>()> make;
  std::string_view from_upstream;  // kPlain as kube-apiserver's own code stored it under kKey
  bool authenticates_context;
};

class CipherTest : public testing::TestWithParam<Case> {};

TEST_P(CipherTest, ReadsWhatUpstreamStored) {
  const auto cipher = GetParam().make();
  const auto opened = cipher->Open(FromHex(GetParam().from_upstream), kKey);
  ASSERT_TRUE(opened) << opened.error();
  EXPECT_EQ(opened->view(), kPlain);
}

TEST_P(CipherTest, ReadsWhatItWroteAndNeverWritesTheSameTwice) {
  const auto cipher = GetParam().make();
  for (size_t size : {0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 1000, 100000}) {
    const std::string plain(size, 'x');
    const std::string one = Sealed(*cipher, plain);
    EXPECT_NE(one, Sealed(*cipher, plain));
    const auto opened = cipher->Open(one, kKey);
    ASSERT_TRUE(opened) << size << ": " << opened.error();
    EXPECT_EQ(opened->view(), plain);
  }
}

TEST_P(CipherTest, RefusesWhatIsTooShort) {
  const auto cipher = GetParam().make();
  for (std::string_view data : {"", "0123456789"}) {
    const auto opened = cipher->Open(data, kKey);
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error(), HasSubstr("shorter than the required size"));
  }
}

TEST_P(CipherTest, AValueMovedToAnotherKeyIsRefusedWhereTheFormatTellsIt) {
  const auto cipher = GetParam().make();
  EXPECT_EQ(cipher->Open(Sealed(*cipher, kPlain), "/registry/secrets/other/s").has_value(),
            !GetParam().authenticates_context);
}

INSTANTIATE_TEST_SUITE_P(
    All, CipherTest,
    testing::Values(
        Case{
            "aesgcm256", [] { return MakeAesGcm(CountingKey(32)); },
            "bb37348e388809e625a2c35f9491bd4b715b108cc34d885b1144d6814b7003526c2005b6d57bac79b974b368b02a047e"
            "78270d65f143a1268ce5095d2a4847126a215a1dfc48e125bb6a247a60e2a555bbd6ca3f7d6fe0b701679d83f0e7ff5f"
            "28b922fb7e5e6fa7ac454379fe682a7d17376aebcd829f3e6a827dbcad",
            true},
        Case{
            "aesgcm128", [] { return MakeAesGcm(CountingKey(16)); },
            "4ac9c64a6ae4b4b8e96ec97f0909bb843053c33c6c450de2bdb2f0ee963ab9456b3245c73df0331e3aa2ad2db6703ef2"
            "6fcd9450b88bda299dffe0f78af1e65a8bd7d17754416fcfe1f8589a254a231adfe61adfffd6b974e46df11dbe320314"
            "1bcf1ca3f3f8843ef7f06c48c3b4fb27b004f24116ed522f65193e38f7",
            true},
        Case{
            "aescbc", [] { return MakeAesCbc(CountingKey(32)); },
            "679601826743be494c6738c9e169dfb27b92ef698be9a244fb84a83074402a26e9774e2746aa8b03b9c869823ad80138"
            "85dc57f20202242ac770486e68fb2992dd7965eb110c9f68d51c35889a28c34336f8adfd95c8a9557dd74bd7b5c5de26"
            "cc0cfe114460fc7158b59626de7b718d6dda8b54c9da62c664482d7bd07db210",
            false},
        Case{
            "secretbox", [] { return MakeSecretbox(CountingKey(32)); },
            "86ff9b0cf94c825148fe248cbacf3e20024841080c0d5b01d89b26739c1b417f65e930e409c25e78d95d28f637b60e50"
            "a99bd36a85ddc0b1e1bd1a947ff78ccafdc16e3266e0e42ff492fedd0a3320d2408ca136700a338906a5dc2bb3c41534"
            "90fe2bc49dbff8d465eba0daede37fe17de7fc9c306bef108daab1d1e93066e58c7ec47fc52ea9be99",
            false}),
    [](const auto& info) { return info.param.name; });

TEST(CipherForgeryTest, AnyFlippedBitIsNoticed) {
  for (const auto& cipher : {MakeAesGcm(CountingKey(32)), MakeSecretbox(CountingKey(32))}) {
    const std::string sealed = Sealed(*cipher, "short");
    for (size_t i = 0; i < sealed.size(); ++i) {
      std::string forged = sealed;
      forged[i] = static_cast<char>(forged[i] ^ 1);
      EXPECT_FALSE(cipher->Open(forged, kKey)) << i;
    }
  }
}

TEST(CipherForgeryTest, CbcRefusesHalfBlocksAndBadPadding) {
  const auto cipher = MakeAesCbc(CountingKey(16));
  const std::string sealed = Sealed(*cipher, "short");
  EXPECT_FALSE(cipher->Open(sealed.substr(0, sealed.size() - 1), kKey));
  EXPECT_FALSE(cipher->Open(sealed.substr(0, 16), kKey));
  // Fixed bytes: of random ones one in 256 looks padded under any key.
  EXPECT_FALSE(cipher->Open(std::string(48, 'x'), kKey));
}

// The example of the paper that defines it: a key and a nonce, and the first bytes of the stream.
TEST(XSalsa20Test, MakesThePublishedStream) {
  const std::string key = FromHex("1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389");
  const std::string nonce = FromHex("69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37");
  const std::string zeros(32, '\0');
  std::string out(32, '\0');
  XSalsa20(key, nonce).Apply(zeros, out.data());
  EXPECT_EQ(out, FromHex("eea6a7251c1e72916d11c2cb214d3c252539121d8e234e652d651fa4c8cff880"));
}

}  // namespace
}  // namespace keelson::storage::encryption
