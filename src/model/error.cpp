#include "model/error.hpp"

namespace acceptd::model {

namespace json = boost::json;

json::object error_to_json(const Error& error) {
  json::object out{{"code", error.code}, {"message", error.message}};
  if (!error.target.empty()) out["target"] = error.target;
  if (!error.details.empty()) {
    json::array details;
    for (const Error& detail : error.details) details.push_back(error_to_json(detail));
    out["details"] = std::move(details);
  }
  return out;
}

Error error_from_json(const json::object& object) {
  const auto text = [&](const char* key) {
    const json::value* value = object.if_contains(key);
    return value && value->is_string() ? std::string(value->get_string()) : std::string();
  };
  Error error{.kind = ErrorKind::internal, .code = text("code"), .message = text("message"), .target = text("target")};
  if (const json::value* details = object.if_contains("details"); details && details->is_array())
    for (const json::value& detail : details->get_array())
      if (detail.is_object()) error.details.push_back(error_from_json(detail.get_object()));
  return error;
}

}  // namespace acceptd::model
