#include "model/json.hpp"

#include <algorithm>
#include <array>
#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <cmath>
#include <vector>

namespace acceptd::model {

namespace {

/// Builds a value from the parser's events; refuses what the stock handler would change silently.
class Handler {
 public:
  static constexpr std::size_t max_object_size = 1 << 20;
  static constexpr std::size_t max_array_size = 1 << 20;
  static constexpr std::size_t max_key_size = 1 << 16;
  static constexpr std::size_t max_string_size = 16 << 20;
  using Error = boost::system::error_code;

  Handler(json::storage_ptr storage, bool check_keys) : check_keys_(check_keys), storage_(std::move(storage)) {}

  bool on_document_begin(Error&) { return stack_.reset(storage_), true; }
  bool on_document_end(Error&) { return true; }
  bool on_object_begin(Error&) { return open_.push_back(keys_.size()), true; }
  bool on_object_end(std::size_t size, Error& error) {
    if (!forget_keys(open_.back())) return refuse(error, "an object has the same key twice");
    open_.pop_back();
    return stack_.push_object(size), true;
  }
  bool on_array_begin(Error&) { return true; }
  bool on_array_end(std::size_t size, Error&) { return stack_.push_array(size), true; }
  bool on_key_part(json::string_view part, std::size_t, Error&) {
    if (check_keys_) key_text_.append(part.data(), part.size());
    return stack_.push_chars(part), true;
  }
  bool on_key(json::string_view part, std::size_t size, Error&) {
    if (check_keys_) {
      key_text_.append(part.data(), part.size());
      keys_.push_back({key_text_.size() - size, size});
    }
    return stack_.push_key(part), true;
  }
  bool on_string_part(json::string_view part, std::size_t, Error&) { return stack_.push_chars(part), true; }
  bool on_string(json::string_view part, std::size_t, Error&) { return stack_.push_string(part), true; }
  bool on_number_part(json::string_view part, Error&) { return number_.append(part.data(), part.size()), true; }
  bool on_int64(std::int64_t value, json::string_view, Error&) {
    number_.clear();
    return stack_.push_int64(value), true;
  }
  bool on_uint64(std::uint64_t value, json::string_view, Error&) {
    number_.clear();
    return stack_.push_uint64(value), true;
  }
  bool on_double(double estimate, json::string_view part, Error& error) {
    number_.append(part.data(), part.size());
    double value = 0;
    const auto read = std::from_chars(number_.data(), number_.data() + number_.size(), value);
    if (read.ec == std::errc::result_out_of_range) {
      // from_chars tells overflow and underflow alike; the parser's own estimate, a few units off, tells them apart.
      if (std::abs(estimate) > 1) return refuse(error, "a number is out of range");
      value = std::copysign(0.0, estimate);
    }
    number_.clear();
    return stack_.push_double(value), true;
  }
  bool on_bool(bool value, Error&) { return stack_.push_bool(value), true; }
  bool on_null(Error&) { return stack_.push_null(), true; }
  bool on_comment_part(json::string_view, Error&) { return true; }
  bool on_comment(json::string_view, Error&) { return true; }

  json::value release() { return stack_.release(); }
  const char* reason() const { return reason_; }

 private:
  struct Key {
    std::size_t begin, size;  ///< in key_text_
  };

  bool refuse(Error& error, const char* reason) {
    reason_ = reason;
    error = json::error::exception;  // any error ends the parsing; the reason is ours
    return false;
  }

  /// Drops the keys from `first` on, those of one object. False if two are equal.
  bool forget_keys(std::size_t first) {
    const auto own = keys_.begin() + static_cast<std::ptrdiff_t>(first);
    if (own == keys_.end()) return true;
    const std::size_t text_begin = own->begin;
    const auto text = [this](const Key& key) { return std::string_view(key_text_).substr(key.begin, key.size); };
    std::ranges::sort(own, keys_.end(), {}, text);
    const bool distinct = std::ranges::adjacent_find(own, keys_.end(), {}, text) == keys_.end();
    keys_.erase(own, keys_.end());
    key_text_.resize(text_begin);
    return distinct;
  }

  bool check_keys_;
  json::storage_ptr storage_;
  std::array<unsigned char, 4096> room_;  // of the values that are not yet put together, before the heap is asked
  json::value_stack stack_{{}, room_.data(), room_.size()};
  std::vector<Key> keys_;          ///< of all objects that are open, outermost first
  std::vector<std::size_t> open_;  ///< where each one's keys begin
  std::string key_text_, number_;
  const char* reason_ = nullptr;
};

}  // namespace

namespace {

std::expected<json::value, JsonError> parse(std::string_view text, json::storage_ptr storage, std::size_t depth_max,
                                            bool check_keys) {
  json::parse_options options;
  options.max_depth = depth_max;
  json::basic_parser<Handler> parser(options, std::move(storage), check_keys);
  boost::system::error_code error;
  const std::size_t read = parser.write_some(false, text.data(), text.size(), error);
  if (error) {
    const char* reason = parser.handler().reason();
    return std::unexpected(JsonError{read, reason ? reason : error.message()});
  }
  if (read != text.size()) return std::unexpected(JsonError{read, "there is something after the value"});
  return parser.handler().release();
}

}  // namespace

std::expected<json::value, JsonError> parse_json(std::string_view text, json::storage_ptr storage, std::size_t depth_max) {
  return parse(text, std::move(storage), depth_max, true);
}

std::expected<json::value, JsonError> parse_stored(std::string_view text, json::storage_ptr storage) {
  return parse(text, std::move(storage), kMaxStoredDepth, false);
}

std::size_t text_size(const json::object& object) {
  json::serializer serializer;
  serializer.reset(&object);
  std::array<char, 4096> part;
  std::size_t size = 0;
  while (!serializer.done()) size += serializer.read(part.data(), part.size()).size();
  return size;
}

std::string to_text(const json::value& value) { return json::serialize(value); }

std::string_view string_at(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

const json::object* object_at(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value && value->is_object() ? &value->get_object() : nullptr;
}

void merge_patch(json::value& target, const json::value& patch) {
  if (!patch.is_object()) {
    target = patch;
    return;
  }
  if (!target.is_object()) target.emplace_object();
  json::object& into = target.get_object();
  for (const auto& [key, value] : patch.get_object()) {
    if (value.is_null())
      into.erase(key);
    else
      merge_patch(into[key], value);
  }
}

}  // namespace acceptd::model
