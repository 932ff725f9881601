// Whatever parse_json accepts is written and read back as the same value, and the stock parser accepts it too.

#include <cstdint>

#include "check.hpp"
#include "model/json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace acceptd;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto value = model::parse_json(text);
  if (!value) {
    fuzz::check(value.error().offset <= size, "the offset lies in the text");
    fuzz::check(!value.error().reason.empty(), "an error has a reason");
    return 0;
  }
  const std::string written = model::to_text(*value);
  const auto again = model::parse_json(written);
  fuzz::check(again.has_value(), "what was written is read");
  fuzz::check(*again == *value, "as the same value");
  fuzz::check(model::to_text(*again) == written, "and written the same");
  boost::system::error_code error;
  boost::json::parse(text, error);
  fuzz::check(!error, "the stock parser takes it as well");
  return 0;
}
