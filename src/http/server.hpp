#pragma once
/// HTTP/1.1 server: framing, limits, time-outs, keep-alive, graceful stop. Knows no contract.

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "http/message.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "runtime/task.hpp"

namespace acceptd::http {

struct Limits {
  std::size_t header_bytes_max = 16 * 1024;
  std::size_t body_bytes_max = 4 * 1024 * 1024;
  std::size_t connections_max = 10'000;
  std::chrono::seconds header_timeout{10};  ///< from the first byte of a request to the end of its header
  std::chrono::seconds body_timeout{60};
  std::chrono::seconds idle_timeout{120};  ///< keep-alive connection without a request
  std::chrono::seconds write_timeout{60};
};

struct TlsFiles {
  std::string certificate_chain, private_key;  ///< PEM
};

struct ListenOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;   ///< 0 = any free port, see Server::port()
  bool reuse_port = false;  ///< several servers (one per thread) share the port
  Limits limits;
  std::optional<TlsFiles> tls;
};

/// Makes the answer. Runs on the server's thread. An exception becomes 500 and is logged. Refused requests never reach it.
using Handler = std::function<runtime::Task<Response>(Request request)>;

enum class Refused : std::uint8_t {
  malformed,             ///< 400: framing, target or header field that is not valid HTTP
  header_too_large,      ///< 431
  body_too_large,        ///< 413
  version,               ///< 505
  too_many_connections,  ///< 503 with Retry-After
};
/// Words a refusal. The connection is closed after it. Default: text/plain with the reason. A header or body that does not
/// arrive in time gets no answer: the connection is closed.
using Refuse = std::function<Response(Refused refused, std::string_view reason)>;

/// Belongs to one thread (its executor's io_context). Life cycle: construct (binds and listens; throws
/// std::runtime_error with address and reason), start(), stop(), destroy.
class Server {
 public:
  struct Dependencies {
    runtime::Clock& clock;
    runtime::Log& log;
  };
  Server(boost::asio::any_io_executor executor, ListenOptions options, Handler handler, Refuse refuse, Dependencies dependencies);
  ~Server();

  void start();
  std::uint16_t port() const;
  std::size_t connections() const;

  /// Stops accepting, lets every request that is being handled finish and be answered (with Connection: close) for at
  /// most `grace`, then closes what is left.
  runtime::Task<void> stop(std::chrono::seconds grace);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace acceptd::http
