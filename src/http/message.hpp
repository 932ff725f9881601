#pragma once
/// Requests and responses as the rest of the program sees them. No Beast type leaves http/.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace acceptd::http {

/// Header fields in order of arrival; names compare without regard to case.
class Headers {
 public:
  void add(std::string_view name, std::string_view value);
  void set(std::string_view name, std::string_view value);  ///< replaces all of that name
  /// The first value, or nullopt. An empty value is present.
  std::optional<std::string_view> get(std::string_view name) const;
  std::size_t count(std::string_view name) const;
  const std::vector<std::pair<std::string, std::string>>& all() const { return fields_; }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

enum class Method : std::uint8_t { get, head, put, patch, post, remove, options, other };
std::string_view to_string(Method method);

struct QueryParameter {
  std::string name;   ///< percent-decoded
  std::string value;  ///< percent-decoded
};

/// A request whose framing and target are valid. `segments` are the path's segments, percent-decoded once; none is
/// empty, "." or ".." (those requests are refused with 400 before a handler sees them). A trailing slash is dropped.
struct Request {
  Method method = Method::get;
  std::string target;  ///< as received, percent-encoded
  std::string path;    ///< as received, without the query
  std::vector<std::string> segments;
  std::vector<QueryParameter> query;
  Headers headers;
  std::string body;
  std::string remote_address;  ///< numeric, without port
  bool loopback = false;       ///< the connection came in on a loopback address
  bool tls = false;

  /// First parameter of that name (names compare without regard to case, ARM-013); nullopt if absent.
  std::optional<std::string_view> parameter(std::string_view name) const;
};

/// `Content-Length`, `Date` and `Connection` are added by the server.
struct Response {
  static constexpr unsigned kDropConnection = 0;

  unsigned status = 200;  ///< kDropConnection: the server closes the connection without an answer (simulated faults)
  Headers headers;
  std::string body;
};

}  // namespace acceptd::http
