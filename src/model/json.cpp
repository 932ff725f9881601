#include "model/json.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <unordered_set>

namespace acceptd::model {

namespace {

/// Builds a value from the parser's events; refuses what the stock handler would change silently.
class Handler {
 public:
  static constexpr std::size_t max_object_size = 1 << 20;
  static constexpr std::size_t max_array_size = 1 << 20;
  static constexpr std::size_t max_key_size = 1 << 16;
  static constexpr std::size_t max_string_size = 16 << 20;

  explicit Handler(json::storage_ptr storage) : storage_(std::move(storage)) {}

  bool on_document_begin(boost::system::error_code&) { return stack_.reset(storage_), true; }
  bool on_document_end(boost::system::error_code&) { return true; }
  bool on_object_begin(boost::system::error_code&) { return keys_.emplace_back(), true; }
  bool on_object_end(std::size_t size, boost::system::error_code&) {
    keys_.pop_back();
    stack_.push_object(size);
    return true;
  }
  bool on_array_begin(boost::system::error_code&) { return true; }
  bool on_array_end(std::size_t size, boost::system::error_code&) { return stack_.push_array(size), true; }
  bool on_key_part(json::string_view part, std::size_t, boost::system::error_code&) {
    key_.append(part.data(), part.size());
    stack_.push_chars(part);
    return true;
  }
  bool on_key(json::string_view part, std::size_t, boost::system::error_code& error) {
    key_.append(part.data(), part.size());
    if (!keys_.back().insert(std::exchange(key_, {})).second) return refuse(error, "an object has the same key twice");
    stack_.push_key(part);
    return true;
  }
  bool on_string_part(json::string_view part, std::size_t, boost::system::error_code&) { return stack_.push_chars(part), true; }
  bool on_string(json::string_view part, std::size_t, boost::system::error_code&) { return stack_.push_string(part), true; }
  bool on_number_part(json::string_view part, boost::system::error_code&) {
    number_.append(part.data(), part.size());
    return true;
  }
  bool on_int64(std::int64_t value, json::string_view, boost::system::error_code&) {
    number_.clear();
    stack_.push_int64(value);
    return true;
  }
  bool on_uint64(std::uint64_t value, json::string_view, boost::system::error_code&) {
    number_.clear();
    stack_.push_uint64(value);
    return true;
  }
  bool on_double(double, json::string_view part, boost::system::error_code& error) {
    number_.append(part.data(), part.size());
    const std::string text = std::exchange(number_, {});
    double value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec == std::errc::result_out_of_range) {
      // from_chars tells overflow and underflow alike: what is smaller than every double is zero.
      const bool underflow = is_tiny(text);
      if (!underflow) return refuse(error, "a number is out of range");
      value = text.front() == '-' ? -0.0 : 0.0;
    } else if (text.find_first_of(".eE") == std::string::npos) {
      return refuse(error, "an integer does not fit 64 bits");
    }
    stack_.push_double(value);
    return true;
  }
  bool on_bool(bool value, boost::system::error_code&) { return stack_.push_bool(value), true; }
  bool on_null(boost::system::error_code&) { return stack_.push_null(), true; }
  bool on_comment_part(json::string_view, boost::system::error_code&) { return true; }
  bool on_comment(json::string_view, boost::system::error_code&) { return true; }

  json::value release() { return stack_.release(); }
  const std::string& reason() const { return reason_; }

 private:
  bool refuse(boost::system::error_code& error, const char* reason) {
    reason_ = reason;
    error = json::error::not_number;
    return false;
  }
  static bool is_tiny(const std::string& text) {
    const std::size_t e = text.find_first_of("eE");
    if (e != std::string::npos && e + 1 < text.size()) return text[e + 1] == '-';
    return text.starts_with("0.") || text.starts_with("-0.");
  }

  json::storage_ptr storage_;
  json::value_stack stack_;
  std::vector<std::unordered_set<std::string>> keys_;
  std::string key_, number_, reason_;
};

}  // namespace

std::expected<json::value, JsonError> parse_json(std::string_view text, json::storage_ptr storage) {
  json::parse_options options;
  options.max_depth = kMaxJsonDepth;
  json::basic_parser<Handler> parser(options, std::move(storage));
  boost::system::error_code error;
  const std::size_t read = parser.write_some(false, text.data(), text.size(), error);
  const std::string& reason = parser.handler().reason();
  if (error) return std::unexpected(JsonError{read, reason.empty() ? error.message() : reason});
  if (read != text.size()) return std::unexpected(JsonError{read, "there is something after the value"});
  return parser.handler().release();
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
