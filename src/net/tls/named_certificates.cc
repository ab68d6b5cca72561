#include "net/tls/named_certificates.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>

#include "base/openssl.h"

namespace keelson::net::tls {
namespace {

using base::openssl::BioPtr;
using base::openssl::KeyPtr;
using base::openssl::LastError;
using base::openssl::MemoryBio;
using base::openssl::Owned;
using base::openssl::X509Ptr;

void FreeChain(STACK_OF(X509) * chain) { sk_X509_pop_free(chain, X509_free); }
using ChainPtr = Owned<STACK_OF(X509), FreeChain>;
using NamesPtr = Owned<GENERAL_NAMES, GENERAL_NAMES_free>;

bool IsAddress(const std::string& name) {
  unsigned char bytes[sizeof(in6_addr)];
  return inet_pton(AF_INET, name.c_str(), bytes) == 1 || inet_pton(AF_INET6, name.c_str(), bytes) == 1;
}

// A name that a server can have: "*", or labels of lower-case letters, digits and dashes, after "*." or not.
bool IsServerName(std::string_view name) {
  if (name == "*") return true;
  if (name.starts_with("*.")) name.remove_prefix(2);
  if (name.empty() || name.size() > 253) return false;
  while (true) {
    const std::string_view label = name.substr(0, name.find('.'));
    const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
    if (label.empty() || label.front() == '-' || label.back() == '-' || !std::ranges::all_of(label, fits))
      return false;
    if (label.size() == name.size()) return true;
    name.remove_prefix(label.size() + 1);
  }
}

std::string Text(const ASN1_STRING* text) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
          static_cast<size_t>(ASN1_STRING_length(text))};
}

// The names that a certificate itself is for: its common name, if that is one of a server, and its DNS names.
std::vector<std::string> NamesIn(X509* certificate) {
  std::vector<std::string> names;
  const X509_NAME* const subject = X509_get_subject_name(certificate);
  if (const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1); at >= 0) {
    std::string common = Text(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
    if (!IsAddress(common) && IsServerName(common)) names.push_back(std::move(common));
  }
  const NamesPtr alternatives(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; alternatives && i < sk_GENERAL_NAME_num(alternatives.get()); ++i) {
    const GENERAL_NAME* const name = sk_GENERAL_NAME_value(alternatives.get(), i);
    if (name->type == GEN_DNS) names.push_back(Text(name->d.dNSName));
  }
  return names;
}

// What a client asks for, as certificates are found by it.
std::string Asked(const char* server_name) {
  std::string name = server_name;
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  while (name.ends_with('.')) name.pop_back();
  return name;
}

}  // namespace

struct NamedCertificates::Certificate {
  X509Ptr leaf;
  ChainPtr issuers;
  KeyPtr key;
};

base::Result<std::unique_ptr<const NamedCertificates>, std::string> NamedCertificates::Create(
    const std::vector<NamedCertificate>& certificates) {
  auto all = std::make_unique<NamedCertificates>();
  std::map<std::string, std::shared_ptr<const Certificate>, std::less<>> implied;
  for (size_t i = 0; i < certificates.size(); ++i) {
    const NamedCertificate& given = certificates[i];
    const auto bad = [&] {
      return base::Err("invalid SNI cert keypair [" + std::to_string(i) + "]: " + LastError());
    };
    auto made = std::make_shared<Certificate>();
    const BioPtr pem = MemoryBio(given.certificate_chain_pem), key_pem = MemoryBio(given.private_key_pem);
    made->leaf.reset(PEM_read_bio_X509_AUX(pem.get(), nullptr, nullptr, nullptr));
    if (!made->leaf) return bad();
    made->issuers.reset(sk_X509_new_null());
    while (X509* const issuer = PEM_read_bio_X509(pem.get(), nullptr, nullptr, nullptr))
      sk_X509_push(made->issuers.get(), issuer);
    ERR_clear_error();  // the end of the chain reads as one
    made->key.reset(PEM_read_bio_PrivateKey(key_pem.get(), nullptr, nullptr, nullptr));
    if (!made->key || X509_check_private_key(made->leaf.get(), made->key.get()) != 1) return bad();
    // What is there already came earlier and counts more.
    for (const std::string& name : given.names) all->by_name_.emplace(name, made);
    if (given.names.empty())
      for (std::string& name : NamesIn(made->leaf.get())) implied.emplace(std::move(name), made);
  }
  all->by_address_ = std::ranges::any_of(all->by_name_, [](const auto& e) { return IsAddress(e.first); });
  all->by_name_.merge(implied);
  return all;
}

bool NamedCertificates::Choose(ssl_st* ssl, std::string_view local_address) const {
  const char* const server_name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
  const std::string name = server_name ? Asked(server_name) : std::string(local_address);
  auto found = by_name_.find(name);
  if (found == by_name_.end() && server_name) {
    const size_t dot = name.find('.');
    found = by_name_.find("*" + (dot == std::string::npos ? "" : name.substr(dot)));
  }
  if (found == by_name_.end()) return true;
  const Certificate& chosen = *found->second;
  SSL_certs_clear(ssl);
  return SSL_use_cert_and_key(ssl, chosen.leaf.get(), chosen.key.get(), chosen.issuers.get(), 1) == 1;
}

}  // namespace keelson::net::tls
