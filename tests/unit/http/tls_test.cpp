/// TLS between the client and the server, with a certificate made for the test.

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <filesystem>

#include "http/client.hpp"
#include "loopback.hpp"

namespace acceptd::http {
namespace {

/// A self-signed certificate for `name` (as OpenSSL writes alternative names: "DNS:…", "IP:…") and its key, in a folder of
/// its own that goes with it.
class Certificate {
 public:
  explicit Certificate(const char* name) {
    std::string pattern = (std::filesystem::temp_directory_path() / "acceptd-tls-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), X509_free);
    X509_set_version(certificate.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
    X509_set_pubkey(certificate.get(), key.get());
    X509_NAME* const subject = X509_get_subject_name(certificate.get());
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("test"), -1, -1, 0);
    X509_set_issuer_name(certificate.get(), subject);
    X509_EXTENSION* const names = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, name);
    X509_add_ext(certificate.get(), names, -1);
    X509_EXTENSION_free(names);
    X509_sign(certificate.get(), key.get(), EVP_sha256());
    write(files().certificate_chain, [&](FILE* file) { PEM_write_X509(file, certificate.get()); });
    write(files().private_key, [&](FILE* file) { PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
  }
  ~Certificate() { std::filesystem::remove_all(folder_); }
  Certificate(const Certificate&) = delete;
  Certificate& operator=(const Certificate&) = delete;

  TlsFiles files() const { return {.certificate_chain = folder_ / "certificate.pem", .private_key = folder_ / "key.pem"}; }

 private:
  template <class Writer>
  static void write(const std::string& path, Writer writer) {
    FILE* const file = std::fopen(path.c_str(), "w");
    ASSERT_NE(file, nullptr);
    writer(file);
    std::fclose(file);
  }
  std::filesystem::path folder_;
};

struct TlsTest : ServerTest {
  std::expected<Response, ClientError> send(std::string ca_file) {
    ClientOptions options{.url = "https://127.0.0.1:" + std::to_string(server->port()), .ca_file = std::move(ca_file)};
    const auto client = make_client(io.get_executor(), options, clock);
    std::expected<Response, ClientError> answer;
    for (int i = 0; i < 2; ++i)
      answer =
          asio::co_spawn(io, client->send(ClientRequest{.method = Method::post, .target = "/who", .body = "x"}), asio::use_future)
              .get();
    return answer;
  }
};

TEST_F(TlsTest, CarriesRequestsAndKeepsTheConnection) {
  const Certificate certificate("IP:127.0.0.1");
  start({}, certificate.files());
  const auto answer = send(certificate.files().certificate_chain);
  ASSERT_TRUE(answer) << answer.error().reason;
  EXPECT_EQ(answer->body, "POST /who 127.0.0.1 loopback tls");
}

TEST_F(TlsTest, ACertificateThatNobodyVouchesForIsRefused) {
  const Certificate certificate("IP:127.0.0.1");
  start({}, certificate.files());
  const auto answer = send("");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().failure, Failure::not_sent);
}

TEST_F(TlsTest, ACertificateForAnotherNameIsRefused) {
  const Certificate certificate("DNS:example.org");
  start({}, certificate.files());
  const auto answer = send(certificate.files().certificate_chain);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().failure, Failure::not_sent);
}

TEST_F(TlsTest, BytesThatAreNoHandshakeEndTheConnection) {
  const Certificate certificate("IP:127.0.0.1");
  start({}, certificate.files());
  EXPECT_EQ(talk("GET / HTTP/1.1\r\nHost: a\r\n\r\n").find("HTTP/1.1"), std::string::npos);
  EXPECT_TRUE(send(certificate.files().certificate_chain));
}

TEST_F(TlsTest, AMissingKeyIsAClearError) {
  start();
  ListenOptions options;
  options.tls = TlsFiles{.certificate_chain = "/nowhere/certificate.pem", .private_key = "/nowhere/key.pem"};
  EXPECT_THROW(Server(io.get_executor(), options, nullptr, nullptr, Server::Dependencies{clock, log}), std::runtime_error);
}

}  // namespace
}  // namespace acceptd::http
