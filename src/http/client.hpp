#pragma once
/// HTTP/1.1 client: a keep-alive pool per origin with bounded connections. An interface, so that tests can stand in for
/// the network.

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>

#include "http/message.hpp"
#include "runtime/clock.hpp"
#include "runtime/task.hpp"

namespace acceptd::http {

struct ClientRequest {
  Method method = Method::get;
  std::string target;  ///< path and query, percent-encoded
  Headers headers;     ///< Host, Content-Length and Connection are added
  std::string body;
  std::chrono::nanoseconds timeout = std::chrono::seconds(10);  ///< for the whole exchange, waiting for a connection included
};

enum class Failure : std::uint8_t {
  not_sent,  ///< no byte of the request left this process: it certainly was not carried out
  unknown,   ///< it may have been carried out: time-out, connection lost, unreadable answer
};
struct ClientError {
  Failure failure = Failure::unknown;
  std::string reason;  ///< for logs; names no secret
};

class Client {
 public:
  virtual ~Client() = default;
  /// Sends once (a request that met a connection closed by the peer while idle is sent again on a new one only if no byte of
  /// an answer came and the method is GET, HEAD, PUT or DELETE). Redirects are not followed. Answers over
  /// `response_bytes_max` are errors.
  virtual runtime::Task<std::expected<Response, ClientError>> send(ClientRequest request) = 0;
};

struct ClientOptions {
  std::string url;  ///< "http://127.0.0.1:8203" or "https://…"; a path is not allowed
  std::size_t connections_max = 64;
  std::size_t response_bytes_max = 8 * 1024 * 1024;
  std::chrono::seconds idle_timeout{30};
  std::string ca_file;  ///< "" = the system's certificates
};

/// For one thread; waits in order of arrival when all connections are busy. Throws std::runtime_error for a bad URL.
std::unique_ptr<Client> make_client(boost::asio::any_io_executor executor, ClientOptions options, runtime::Clock& clock);

}  // namespace acceptd::http
