// Reads requests from arbitrary bytes. However the network cuts the bytes, the same requests come out of them, and each
// keeps what the header of Request promises. The first byte says how the bytes are cut.

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "http/wire.hpp"

namespace acceptd::http {
namespace {

/// A peer that sends the given bytes, at most `step` at a time, and reads nothing. No time-outs.
class MemoryStream {
 public:
  using executor_type = asio::io_context::executor_type;
  MemoryStream(asio::io_context& io, std::string_view bytes, std::size_t step) : io_(io), bytes_(bytes), step_(step) {}

  executor_type get_executor() { return io_.get_executor(); }
  void expires_after(std::chrono::nanoseconds) {}

  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    const std::size_t copied = asio::buffer_copy(buffers, asio::buffer(bytes_.substr(0, step_)));
    bytes_.remove_prefix(copied);
    const boost::system::error_code error = copied == 0 ? asio::error::eof : boost::system::error_code();
    return complete(error, copied, std::forward<Token>(token));
  }
  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return complete({}, asio::buffer_size(buffers), std::forward<Token>(token));
  }

 private:
  template <class Token>
  auto complete(boost::system::error_code error, std::size_t bytes, Token&& token) {
    auto initiate = [this, error, bytes](auto handler) {
      asio::post(io_, [handler = std::move(handler), error, bytes]() mutable { std::move(handler)(error, bytes); });
    };
    return asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(std::move(initiate), token);
  }

  asio::io_context& io_;
  std::string_view bytes_;
  std::size_t step_;
};

void check_request(const Request& request, const Limits& limits) {
  fuzz::check(request.path.starts_with('/'), "whatever the target's form, it has a path");
  for (const std::string& segment : request.segments)
    fuzz::check(!segment.empty() && segment != "." && segment != "..", "no segment is empty or made of dots");
  fuzz::check(request.headers.count("Host") <= 1, "there is one Host");
  fuzz::check(request.body.size() <= limits.body_bytes_max, "the body keeps its limit");
}

/// What came out of the bytes, as one line per request and the way it ended.
std::string requests_of(std::string_view bytes, std::size_t step) {
  asio::io_context io;
  Limits limits;
  limits.header_bytes_max = 1024;
  limits.body_bytes_max = 512;
  MemoryStream stream(io, bytes, step);
  std::string out;
  auto read_all = [&]() -> runtime::Task<void> {
    RequestReader<MemoryStream> reader(stream, limits);
    bool idle = true;
    const Request origin;
    for (;;) {
      Incoming incoming = co_await reader.read(origin, idle);
      if (incoming.closed || incoming.refused) {
        out += incoming.closed ? "closed" : "refused";
        co_return;
      }
      check_request(incoming.request, limits);
      out += fmt::format("{} {} {} {}\n", to_string(incoming.request.method), incoming.request.target, incoming.keep_alive,
                         incoming.request.body);
      if (!incoming.keep_alive) co_return;
    }
  };
  asio::co_spawn(io, read_all(), [](std::exception_ptr error) { fuzz::check(!error, "nothing is thrown"); });
  io.run();
  return out;
}

}  // namespace
}  // namespace acceptd::http

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace acceptd;
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string whole = http::requests_of(bytes, 1 << 16);
  fuzz::check(http::requests_of(bytes, 1 + data[0] % 64) == whole, "how the bytes are cut does not matter");
  return 0;
}
