#include "api/codec/cbor.h"

#include <gtest/gtest.h>

#include "api/codec/protobuf.h"
#include "api/codec/random_document.h"
#include "api/codec/yaml.h"
#include "api/types/builtin_types.h"
#include "api/types/resource_desc.h"

namespace keelson::api::cbor {
namespace {

std::string FromHex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return bytes;
}
std::string Hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (unsigned char c : bytes) hex += {kDigits[c >> 4], kDigits[c & 15]};
  return hex;
}

std::string Json(const StructNode& node) {
  base::BufferBuilder out;
  json::Encode(node, out);
  return std::string(out.view());
}
std::string Protobuf(const StructNode& node) {
  base::BufferBuilder out;
  protobuf::Encode(node, out);
  return std::string(out.view());
}
std::string Cbor(const StructNode& node) {
  base::BufferBuilder out;
  Encode(node, "", "", out);
  return std::string(out.view());
}

// What a CBOR item says, as JSON, or the error.
std::string AnyJson(std::string_view hex) {
  Arena arena;
  const std::string bytes = FromHex(hex);
  auto v = DecodeAny(bytes, arena);
  if (!v) return v.error().message;
  base::BufferBuilder out;
  json::EncodeAny(*v, out);
  return std::string(out.view());
}
// The CBOR of a JSON text, in hex.
std::string FromJson(std::string_view json) {
  base::BufferBuilder out;
  EncodeJson(json, out);
  return Hex(out.view());
}

// An object of `type` from CBOR made of `json`, as JSON, or the error; findings after it.
std::string Typed(std::string_view hex, std::string_view type) {
  Arena arena;
  const std::string bytes = FromHex(hex);
  StrictErrors strict;
  auto node = Decode(bytes, *FindType(type), arena, &strict);
  if (!node) return node.error().message;
  std::string shown = Json(**node);
  for (const std::string& s : strict) shown += " " + s;
  return shown;
}

// From RFC 8949, appendix A.
TEST(CborTest, ReadsTheExamplesOfTheStandard) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"00", "0"},
      {"17", "23"},
      {"1818", "24"},
      {"1903e8", "1000"},
      {"1b000000e8d4a51000", "1000000000000"},
      {"20", "-1"},
      {"3903e7", "-1000"},
      {"f93c00", "1"},
      {"fb3ff199999999999a", "1.1"},
      {"f97bff", "65504"},
      {"fa47c35000", "100000"},
      {"f90001", "5.960464477539063e-8"},
      {"f90400", "0.00006103515625"},
      {"fbc010666666666666", "-4.1"},
      {"f4", "false"},
      {"f5", "true"},
      {"f6", "null"},
      {"c074323031332d30332d32315432303a30343a30305a", "\"2013-03-21T20:04:00Z\""},
      {"c11a514b67b0", "\"2013-03-21T20:04:00Z\""},
      {"c1fb41d452d9ec200000", "\"2013-03-21T20:04:00.5Z\""},
      {"d74401020304", "\"01020304\""},
      {"d64401020304", "\"AQIDBA==\""},
      {"d543fbffbf", "\"-_-_\""},
      {"d818456449455446", "\"dIETF\""},
      {"60", "\"\""},
      {"62c3bc", "\"ü\""},
      {"4449455446", "\"IETF\""},
      {"8301820203820405", "[1,[2,3],[4,5]]"},
      {"a26161016162820203", "{\"a\":1,\"b\":[2,3]}"},
      {"7f657374726561646d696e67ff", "\"streaming\""},
      {"9f018202039f0405ffff", "[1,[2,3],[4,5]]"},
      {"bf6346756ef563416d7421ff", "{\"Amt\":-2,\"Fun\":true}"},
      {"d9d9f7a0", "{}"},
  };
  for (const auto& [hex, json] : cases) EXPECT_EQ(AnyJson(hex), json) << hex;
}

TEST(CborTest, RefusesWhatJsonCouldNotSay) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "EOF"},
      {"18", "unexpected EOF"},
      {"4261", "unexpected EOF"},
      {"8201", "unexpected EOF"},
      {"bf6161ff", "cbor: unexpected \"break\" code"},
      {"ff", "cbor: unexpected \"break\" code"},
      {"1c", "cbor: invalid additional information 28 for type positive integer"},
      {"f81f", "cbor: invalid simple value 31 for type primitives"},
      {"5f6161ff", "cbor: wrong element type UTF-8 text string for indefinite-length byte string"},
      {"0001", "cbor: 1 bytes of extraneous data starting at index 1"},
      {"f97e00", "cbor: data item of cbor type primitives is not accepted by protocol: floating-point NaN"},
      {"faff800000",
       "cbor: data item of cbor type primitives is not accepted by protocol: floating-point infinity"},
      {"c249010000000000000000", "cbor: data item of cbor type tag is not accepted by protocol: bignum"},
      {"1bffffffffffffffff",
       "cbor: cannot unmarshal positive integer into Go value of type int64 (18446744073709551615 overflows "
       "Go's int64)"},
      {"3bffffffffffffffff",
       "cbor: cannot unmarshal negative integer into Go value of type int64 (-18446744073709551616 "
       "overflows Go's int64)"},
      {"f7",
       "cbor: data item of cbor type primitives is not accepted by protocol: simple value 23 is not "
       "recognized"},
      {"61ff", "cbor: invalid UTF-8 string"},
      {"a201020304", "cbor: cannot unmarshal positive integer into Go value of type string"},
      {"c04161", "cbor: tag number 0 must be followed by text string, got byte string"},
      {"a3416101416202416103", "cbor: found duplicate map key \"a\" at map element index 2"},
  };
  for (const auto& [hex, error] : cases) EXPECT_EQ(AnyJson(hex), error) << hex;
}

TEST(CborTest, NestingHasALimitAndNeedsNoStack) {
  std::string deep(9'999, '\x81');
  Arena arena;
  EXPECT_TRUE(DecodeAny(deep + '\x80', arena));
  const std::string deeper = std::string(10'000, '\x81') + '\x80';
  EXPECT_EQ(DecodeAny(deeper, arena).error().message, "cbor: exceeded max nested level 10000");
  EXPECT_FALSE(DecodeAny(std::string(1'000'000, '\x81'), arena));
  EXPECT_FALSE(DecodeAny(std::string(1'000'000, '\xc7'), arena));
}

TEST(CborTest, WritesSortedMapsByteStringsAndTheShortestNumbers) {
  EXPECT_EQ(FromJson(R"({"bb":1,"a":[true,null,-500],"c":"ü"})"), "a3416183f5f63901f3416342c3bc42626201");
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"0", "00"},
      {"24", "1818"},
      {"65536", "1a00010000"},
      {"-9223372036854775808", "3b7fffffffffffffff"},
      {"1.5", "f93e00"},
      {"-0.0", "f98000"},
      {"5.960464477539063e-8", "f90001"},
      {"0.00006097555160522461", "f903ff"},
      {"100000.5", "fa47c35040"},
      {"1.1", "fb3ff199999999999a"},
      {"\"\"", "40"},
      {"[]", "80"},
  };
  for (const auto& [json, hex] : cases) EXPECT_EQ(FromJson(json), hex) << json;
}

// As kube-apiserver writes it, but for the order, which it leaves to chance.
TEST(CborTest, WritesAnObjectAsUpstream) {
  Arena arena;
  auto secret = json::Decode(
      R"({"metadata":{"name":"s","labels":{"bb":"1","a":"2"},"creationTimestamp":"2026-11-16T01:50:06Z",)"
      R"("managedFields":[{"fieldsV1":{"f:data":{".":{},"f:k":{}}}}]},"data":{"k":"AQID"},"type":"Opaque"})",
      *FindType("core_v1.Secret"), arena, nullptr);
  base::BufferBuilder out;
  Encode(**secret, "Secret", "v1", out);
  EXPECT_EQ(Hex(out.view()),
            "a5"
            "4464617461a1416bd643010203"
            "446b696e6446536563726574"
            "4474797065464f7061717565"
            "486d65746164617461a4"
            "446e616d654173"
            "466c6162656c73a2416141324262624131"
            "4d6d616e616765644669656c647381a1486669656c64735631a146663a64617461a2412ea043663a6ba0"
            "516372656174696f6e54696d657374616d7054323032362d31312d31365430313a35303a30365a"
            "4a61706956657273696f6e427631");
}

TEST(CborTest, ClaimsInsideAStatefulSetSayWhatTheyAre) {
  Arena arena;
  const TypeDesc& type = *FindType("apps_v1.StatefulSetSpec");
  auto spec = json::Decode(R"({"volumeClaimTemplates":[{"metadata":{"name":"a"}}]})", type, arena, nullptr);
  const std::string bytes = Cbor(**spec);
  EXPECT_NE(bytes.find("\x44kind\x55PersistentVolumeClaim"), bytes.npos) << Hex(bytes);
}

TEST(CborTest, ErrorsNameTheMemberOfTheRoot) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"01", "cbor: cannot unmarshal positive integer into Go value of type v1.ConfigMap"},
      {"80",
       "cbor: cannot unmarshal array into Go value of type v1.ConfigMap (cannot decode CBOR array to struct "
       "without toarray option)"},
      {"a1486d65746164617461a1446e616d6501",
       "cbor: cannot unmarshal positive integer into Go struct field v1.ConfigMap.metadata of type string"},
      {"a1486d65746164617461a2446e616d654161446e616d654162",
       "cbor: found duplicate map key \"name\" at map element index 1"},
      {"a14464617461a1416101",
       "cbor: cannot unmarshal positive integer into Go struct field v1.ConfigMap.data of type string"},
      {"a14a62696e61727944617461a1416143616161",
       "cbor: failed to decode base64 from byte string: illegal base64 data at input byte 0"},
      {"a2416101416102", "cbor: found duplicate map key \"a\" at map element index 1"},
      {"f6", R"({"metadata":{}})"},
      {"a24464617461a1416141624161f6",
       R"({"metadata":{},"data":{"a":"b"}} cbor: found unknown field at map element index 1)"},
      {"a1486d65746164617461a1436261720a",
       R"({"metadata":{}} cbor: found unknown field at map element index 0)"},
      {"a2486d65746164617461a14362617201436f6f6f01",
       R"({"metadata":{}} cbor: found unknown field at map element index 1)"},
  };
  for (const auto& [hex, shown] : cases) EXPECT_EQ(Typed(hex, "core_v1.ConfigMap"), shown) << hex;
}

TEST(CborTest, BytesAreBase64UnlessTheirTagSaysThatTheyAreNot) {
  EXPECT_EQ(Typed("a14a62696e61727944617461a14161d643010203", "core_v1.ConfigMap"),
            R"({"metadata":{},"binaryData":{"a":"AQID"}})");
  EXPECT_EQ(Typed("a14a62696e61727944617461a141614441514944", "core_v1.ConfigMap"),
            R"({"metadata":{},"binaryData":{"a":"AQID"}})");
  EXPECT_EQ(Typed("a14464617461a14161d643010203", "core_v1.ConfigMap"),
            R"({"metadata":{},"data":{"a":"AQID"}})");
}

TEST(CborTest, KindAndVersionAreFoundWhereverTheyStand) {
  const auto peek = [](std::string_view hex) {
    const std::string bytes = FromHex(hex);
    auto meta = PeekTypeMeta(bytes);
    return meta ? meta->api_version + " " + meta->kind : meta.error().message;
  };
  EXPECT_EQ(peek("d9d9f7a3446b696e6441614162014a61706956657273696f6e427631"), "v1 a");
  EXPECT_EQ(peek("a1446b696e6401"),
            "cbor: cannot unmarshal positive integer into Go struct field v1.TypeMeta.kind of type string");
  EXPECT_EQ(peek("f6"), " ");
}

TEST(CborTest, EveryTypeRoundTripsThroughEveryEncoding) {
  for (const TypeDesc* type : BuiltinTypes()) {
    if (type->either) continue;  // has no object of its own; inside others it is covered
    for (uint64_t seed = 0; seed < 20; ++seed) {
      Arena arena;
      const StructNode* made = RandomDocument(seed, arena).Struct(*type);
      const std::string json = Json(*made), bytes = Cbor(*made);

      StrictErrors strict;
      auto node = Decode(bytes, *type, arena, &strict);
      ASSERT_TRUE(node) << type->name << ": " << node.error().message << " in " << json;
      EXPECT_TRUE(strict.empty()) << type->name << ": " << strict[0];
      EXPECT_EQ(Cbor(**node), bytes) << type->name << " " << json;
      auto from_yaml = yaml::ToJson(yaml::FromJson(json));
      ASSERT_TRUE(from_yaml) << type->name << ": " << from_yaml.error().message;
      auto read = json::Decode(*from_yaml, *type, arena, nullptr);
      ASSERT_TRUE(read) << type->name << ": " << read.error().message;
      EXPECT_EQ(Json(**read), json) << type->name;
      EXPECT_EQ(Cbor(**read), bytes) << type->name;
      if (type->by_number.empty()) continue;  // has no protobuf form

      EXPECT_EQ(Protobuf(**node), Protobuf(*made)) << type->name << " " << json;
      base::BufferBuilder transcoded;
      ASSERT_TRUE(ProtobufToCbor(Protobuf(*made), *type, "", "", transcoded));
      EXPECT_EQ(transcoded.view(), bytes) << type->name << " " << json;
    }
  }
}

TEST(CborTest, EveryPrefixOfADocumentIsRefused) {
  const TypeDesc& type = *FindType("core_v1.Pod");
  Arena arena;
  const std::string bytes = Cbor(*RandomDocument(3, arena).Struct(type));
  for (size_t n = 0; n < bytes.size(); n += 1 + n / 256) {
    const std::string prefix = bytes.substr(0, n);  // its own memory, so that overruns are found
    Arena scratch;
    EXPECT_FALSE(Decode(prefix, type, scratch, nullptr));
  }
}

}  // namespace
}  // namespace keelson::api::cbor
