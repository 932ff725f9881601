#pragma once
/// One request read from, and one response written to, a connection: framing, limits and time-outs (STYLE B2). Internal to
/// http/: the only header here that shows Beast.

#include <fmt/format.h>

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "http/framing.hpp"
#include "http/server.hpp"
#include "http/uri.hpp"

namespace acceptd::http {

namespace asio = boost::asio;
namespace beast = boost::beast;
inline constexpr asio::as_tuple_t<asio::use_awaitable_t<>> kAsTuple{asio::use_awaitable};

/// Room in a connection's buffer beside a whole head: the most that one read brings. Also bounds a chunk's extensions.
inline constexpr std::size_t kReadBytesMax = 64 * 1024;

/// A request that was read, or why there is none.
struct Incoming {
  Request request;
  bool keep_alive = false;
  std::optional<Refused> refused;
  std::string reason;   ///< of `refused`
  bool closed = false;  ///< the peer went away: nothing to answer
};

Incoming refuse(Refused refused, std::string reason);
Incoming gone();
Method method_of(beast::http::verb verb);
std::string_view reason_phrase(unsigned status);

/// Copies a parsed head's fields, in order.
template <class Fields>
Headers headers_of(const Fields& fields) {
  Headers headers;
  for (const auto& field : fields) {
    const auto name = field.name_string();
    const auto value = field.value();
    headers.add({name.data(), name.size()}, {value.data(), value.size()});
  }
  return headers;
}

/// Appends "name: value\r\n" without the characters that would end the line: no value can smuggle in a field.
void append_field(std::string& head, std::string_view name, std::string_view value);

/// Reads the requests of one connection one after the other; what came early stays in the buffer.
template <class Stream>
class RequestReader {
 public:
  RequestReader(Stream& stream, const Limits& limits)
      : stream_(stream), limits_(limits), buffer_(limits.header_bytes_max + kReadBytesMax) {}

  /// `idle` is true while no byte of a request has come. `origin` is a request with the connection's own facts filled in.
  runtime::Task<Incoming> read(const Request& origin, bool& idle) {
    if (auto stopped = co_await read_head(idle)) co_return std::move(*stopped);
    const std::size_t length = *head_length(view());
    if (length > limits_.header_bytes_max) co_return header_too_large();
    if (auto reason = refuse_raw_head(view().substr(0, length))) co_return refuse(Refused::malformed, *reason);

    Parser parser;
    parser.header_limit(static_cast<std::uint32_t>(limits_.header_bytes_max));
    parser.body_limit(limits_.body_bytes_max);
    boost::system::error_code error;
    const std::size_t used = parser.put(asio::buffer(buffer_.data().data(), length), error);
    if (error == beast::http::error::bad_version) co_return refuse(Refused::version, "the HTTP version is not supported");
    if (error == beast::http::error::body_limit) co_return body_too_large();
    if (error && error != beast::http::error::need_more) co_return refuse(Refused::malformed, error.message());
    buffer_.consume(used);

    Incoming incoming;
    incoming.request = origin;
    if (auto reason = fill(incoming.request, parser)) co_return refuse(Refused::malformed, *reason);
    // A client of HTTP/1.0 would have to be told that its connection stays open; there are too few to bother.
    incoming.keep_alive = parser.get().keep_alive() && parser.get().version() >= 11;
    if (!parser.is_done())
      if (auto stopped = co_await read_body(parser, incoming.request)) co_return std::move(*stopped);
    incoming.request.body = std::move(parser.get().body());
    co_return incoming;
  }

 private:
  using Parser = beast::http::request_parser<beast::http::string_body>;

  std::string_view view() const { return {static_cast<const char*>(buffer_.data().data()), buffer_.size()}; }
  Incoming header_too_large() const {
    return refuse(Refused::header_too_large, fmt::format("the header is larger than {} bytes", limits_.header_bytes_max));
  }
  Incoming body_too_large() const {
    return refuse(Refused::body_too_large, fmt::format("the body is larger than {} bytes", limits_.body_bytes_max));
  }

  /// Until the buffer holds a whole head; a value: there will be none.
  runtime::Task<std::optional<Incoming>> read_head(bool& idle) {
    auto& timer = beast::get_lowest_layer(stream_);
    idle = buffer_.size() == 0;
    timer.expires_after(idle ? limits_.idle_timeout : limits_.header_timeout);
    while (!head_length(view())) {
      if (buffer_.size() > limits_.header_bytes_max) co_return header_too_large();
      // A CR at the end may yet get its LF.
      if (auto reason = refuse_raw_head(view().substr(0, view().find_last_not_of('\r') + 1)))
        co_return refuse(Refused::malformed, *reason);
      const auto [error, bytes] = co_await stream_.async_read_some(buffer_.prepare(kHeadReadBytes), kAsTuple);
      if (error) co_return gone();  // also out of time: beast closes the connection then, nothing can be answered
      buffer_.commit(bytes);
      if (idle) timer.expires_after(limits_.header_timeout);
      idle = false;
    }
    co_return std::nullopt;
  }

  /// Checks the parsed head and fills the request from it; a value: why it is refused.
  static std::optional<std::string> fill(Request& request, const Parser& parser) {
    const auto& head = parser.get();
    request.headers = headers_of(head);
    if (auto reason = refuse_fields(request.headers, head.version())) return reason;
    request.method = method_of(head.method());
    request.target.assign(head.target().data(), head.target().size());
    auto target = parse_target(request.target);
    if (!target) return target.error();
    // Whatever Host says then is ignored (RFC 9112 §3.2.2).
    if (!target->authority.empty()) request.headers.set("Host", target->authority);
    request.path = std::move(target->path);
    request.segments = std::move(target->segments);
    request.query = std::move(target->query);
    return std::nullopt;
  }

  runtime::Task<std::optional<Incoming>> read_body(Parser& parser, const Request& request) {
    beast::get_lowest_layer(stream_).expires_after(limits_.body_timeout);
    const auto expect = request.headers.get("Expect");
    if (expect && beast::iequals(beast::string_view(expect->data(), expect->size()), "100-continue")) {
      static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
      const auto [failed, ignored] = co_await asio::async_write(stream_, asio::buffer(kContinue), kAsTuple);
      if (failed) co_return gone();
    }
    const auto [failed, ignored] = co_await beast::http::async_read(stream_, buffer_, parser, kAsTuple);
    if (!failed) co_return std::nullopt;
    using Error = beast::http::error;
    if (failed == Error::body_limit) co_return body_too_large();
    const bool malformed = failed.category() == beast::http::make_error_code(Error::bad_chunk).category();
    if (malformed && failed != Error::partial_message && failed != Error::end_of_stream)
      co_return refuse(Refused::malformed, failed.message());
    co_return gone();
  }

  static constexpr std::size_t kHeadReadBytes = 4096;

  Stream& stream_;
  const Limits& limits_;
  beast::flat_buffer buffer_;
};

/// What differs from answer to answer of one connection.
struct Answering {
  bool keep_alive = false;
  bool head_only = false;  ///< the request was HEAD: the body's length without the body
  std::string_view date;   ///< of the Date field
};

std::string response_head(const Response& response, const Answering& answering);

/// Head and body in one write. False: the connection is of no more use.
template <class Stream>
runtime::Task<bool> write_response(Stream& stream, const Response& response, Answering answering, const Limits& limits) {
  const std::string head = response_head(response, answering);
  const bool send_body = !answering.head_only && response.status != 204 && response.status != 304;
  const std::array<asio::const_buffer, 2> parts{asio::buffer(head),
                                                send_body ? asio::buffer(response.body) : asio::const_buffer()};
  beast::get_lowest_layer(stream).expires_after(limits.write_timeout);
  const auto [error, bytes] = co_await asio::async_write(stream, parts, kAsTuple);
  co_return !error;
}

/// Ends a connection whose peer may still be sending: without reading on, the reset would overtake the answer.
template <class Stream>
runtime::Task<void> linger(Stream& stream) {
  static constexpr std::chrono::seconds kLingerMax{2};
  boost::system::error_code ignored;
  auto& socket = beast::get_lowest_layer(stream);
  socket.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  socket.expires_after(kLingerMax);
  std::array<char, 16 * 1024> sink;
  for (;;) {
    const auto [error, bytes] = co_await socket.async_read_some(asio::buffer(sink), kAsTuple);
    if (error) co_return;
  }
}

}  // namespace acceptd::http
