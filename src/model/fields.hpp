#pragma once
/// Reading and writing the members of a document payload: absent means "empty", so that documents stay small.

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "model/time.hpp"
#include "model/uuid.hpp"

namespace acceptd::model {

/// Writes members, leaving out those that hold nothing.
class FieldWriter {
 public:
  explicit FieldWriter(boost::json::object& out) : out_(out) {}
  void text(std::string_view key, std::string_view value) {
    if (!value.empty()) out_[key] = value;
  }
  void id(std::string_view key, const std::optional<Uuid>& value) {
    if (value) out_[key] = to_string(*value);
  }
  void time(std::string_view key, const std::optional<Time>& value) {
    if (value) out_[key] = format_rfc3339(*value);
  }
  void object(std::string_view key, const boost::json::object& value) {
    if (!value.empty()) out_[key] = value;
  }
  void flag(std::string_view key, bool value) {
    if (value) out_[key] = true;
  }
  void number(std::string_view key, std::uint64_t value) {
    if (value != 0) out_[key] = value;
  }

 private:
  boost::json::object& out_;
};

/// Reads members; what is absent reads as empty. A member of the wrong type makes ok() false. Objects are moved out: each is
/// read once.
class FieldReader {
 public:
  explicit FieldReader(boost::json::object& in) : in_(in) {}
  std::string text(std::string_view key) { return std::string(view(key)); }
  std::optional<Uuid> id(std::string_view key);
  std::optional<Time> time(std::string_view key);
  boost::json::object object(std::string_view key);
  bool flag(std::string_view key);
  std::uint64_t number(std::string_view key);
  const boost::json::value* find(std::string_view key) const { return in_.if_contains(key); }
  bool ok() const { return ok_; }

 private:
  std::string_view view(std::string_view key);
  boost::json::object& in_;
  bool ok_ = true;
};

}  // namespace acceptd::model
