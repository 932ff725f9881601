#pragma once
/// How Cluster Service words its answers: JSON bodies and the Error object.

#include <boost/json.hpp>
#include <expected>
#include <string>
#include <string_view>

#include "http/message.hpp"
#include "runtime/clock.hpp"

namespace acceptd::simulator {

namespace json = boost::json;

/// A call that is answered with an Error object.
struct Refusal {
  unsigned status = 400;
  std::string reason;
  std::string code;  ///< "" = CLUSTERS-MGMT-<status>
};

template <class T>
using Result = std::expected<T, Refusal>;

http::Response reply_json(unsigned status, const json::value& body);
http::Response reply_empty(unsigned status);
/// `operation_id` lets a caller name the call in a report.
http::Response reply_error(const Refusal& refusal, std::string_view operation_id);
/// Every answer says that it comes from a simulator.
void mark_simulated(http::Response& response);

/// RFC 3339, UTC, microseconds.
std::string to_timestamp(runtime::Time time);

}  // namespace acceptd::simulator
