#include "base/x509_name.h"

#include "base/openssl.h"

namespace keelson::base::openssl {
namespace {

std::string Utf8Of(const ASN1_STRING* value) {
  unsigned char* text = nullptr;
  const int size = ASN1_STRING_to_UTF8(&text, value);
  if (size < 0) {
    ERR_clear_error();
    return {};
  }
  std::string out(reinterpret_cast<char*>(text), static_cast<size_t>(size));
  OPENSSL_free(text);
  return out;
}

}  // namespace

std::vector<NameAttribute> AttributesOf(const X509_NAME* name) {
  std::vector<NameAttribute> attributes;
  for (int i = 0; i < X509_NAME_entry_count(name); ++i) {
    const X509_NAME_ENTRY* const entry = X509_NAME_get_entry(name, i);
    // A longer one is cut short and equals none that is looked for.
    char oid[64] = "";
    OBJ_obj2txt(oid, sizeof(oid), X509_NAME_ENTRY_get_object(entry), /*no_name=*/1);
    attributes.push_back({oid, Utf8Of(X509_NAME_ENTRY_get_data(entry))});
  }
  return attributes;
}

}  // namespace keelson::base::openssl
