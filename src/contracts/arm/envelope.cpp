#include "contracts/arm/envelope.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "contracts/arm/text.hpp"
#include "model/json.hpp"

namespace acceptd::contracts::arm {

namespace {

namespace json = boost::json;
using model::Error;
using model::ErrorKind;

/// All that is wrong with an envelope.
class Problems {
 public:
  void add(std::string_view target, std::string message) {
    found_.push_back(Error{.kind = ErrorKind::invalid,
                           .code = "InvalidRequestContent",
                           .message = std::move(message),
                           .target = std::string(target)});
  }
  std::vector<Error> take() { return std::move(found_); }

 private:
  std::vector<Error> found_;
};

/// "West US" and "westus" are one place (ARM-055).
std::string folded_location(std::string_view location) {
  std::string folded = model::to_lower(location);
  std::erase_if(folded, [](char c) { return c == ' ' || c == '\t'; });
  return folded;
}

/// id, name and type are the URL's; a body may repeat them, but not contradict (ARM-015, ARM-056).
void take_identity(json::object& body, const EnvelopeInput& input, Problems& problems) {
  const auto take = [&](std::string_view member, std::string_view expected) {
    const json::value* value = body.if_contains(member);
    if (value && !value->is_null()) {
      if (!value->is_string() || !model::equals_ignoring_case(value->get_string(), expected))
        problems.add(member, fmt::format("Invalid value: the request's URL says \"{}\"", expected));
    }
    body.erase(member);
  };
  take("id", input.id.text());
  take("name", input.id.name());
  take("type", input.type.info().name);
  body.erase("systemData");
  body.erase("etag");
}

/// A client may send back what it read; anything else is not its to say (ARM-138, ARM-139).
void take_provisioning_state(json::object& body, const EnvelopeInput& input, Problems& problems) {
  json::value* properties = body.if_contains("properties");
  if (!properties || !properties->is_object()) return;
  const json::value* given = properties->get_object().if_contains("provisioningState");
  if (!given) return;
  const bool same = given->is_string() && input.existing && given->get_string() == to_string(input.existing->provisioning_state);
  if (!same && !given->is_null())
    problems.add("properties.provisioningState", "Forbidden: provisioningState is read-only and does not match the resource's");
  properties->get_object().erase("provisioningState");
}

void take_location(json::object& body, const EnvelopeInput& input, Problems& problems) {
  if (!input.type.info().tracked) return;  // the schema knows no location there
  const std::string_view current =
      input.existing && !input.existing->location.empty() ? std::string_view(input.existing->location) : input.region;
  const json::value* given = body.if_contains("location");
  if (!given || given->is_null()) {
    if (!input.patch && !input.type.info().location_optional) problems.add("location", "Required value");  // ARM-054
  } else {
    if (!given->is_string())
      problems.add("location", "Invalid value: must be a string");
    else if (folded_location(given->get_string()) != folded_location(current))
      problems.add("location", input.existing ? "Forbidden: field is immutable"
                                              : fmt::format("Invalid value: \"{}\": resources of this endpoint live in \"{}\"",
                                                            printable(given->get_string()), input.region));
  }
  body["location"] = current;
}

/// Characters of UTF-8 text: bytes that do not continue one.
std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

void check_tag(std::string_view name, const json::value& value, Problems& problems) {
  const std::string target = fmt::format("tags[{}]", printable(name));
  const auto forbidden = [](char c) { return (c >= 0 && c < 0x20) || c == 0x7f || std::string_view("<>%&\\?/").contains(c); };
  if (name.empty()) problems.add(target, "Required value: a tag has a name");
  if (characters(name) > kMaxTagNameCharacters)
    problems.add(target, fmt::format("Too long: the name may not be more than {} characters", kMaxTagNameCharacters));
  if (std::ranges::any_of(name, forbidden))
    problems.add(target, "Invalid value: the name may not contain control characters or any of < > % & \\ ? /");
  if (!value.is_string())
    problems.add(target, "Invalid value: must be a string");
  else if (characters(value.get_string()) > kMaxTagValueCharacters)
    problems.add(target, fmt::format("Too long: the value may not be more than {} characters", kMaxTagValueCharacters));
}

/// Tags of a PUT that says nothing of them stay; those of a PATCH replace all (ARM-058).
void take_tags(json::object& body, const EnvelopeInput& input, Problems& problems) {
  if (!input.type.info().tracked) return;
  json::value* given = body.if_contains("tags");
  const bool absent = !given || given->is_null();
  if (absent) {
    const bool clear = given && input.patch;  // RFC 7396: null removes
    body["tags"] = input.existing && !clear ? input.existing->tags : json::object{};
    return;
  }
  json::object kept;
  if (!given->is_object()) {
    problems.add("tags", "Invalid value: must be an object of strings");
  } else if (const std::size_t count = given->get_object().size(); count > kMaxTags) {
    problems.add("tags", fmt::format("Too many: {}: must have at most {} items", count, kMaxTags));
  } else {
    for (const auto& [name, value] : given->get_object()) {
      if (input.patch && value.is_null()) continue;
      check_tag(name, value, problems);
      if (value.is_string()) kept.emplace(name, value);
    }
  }
  body["tags"] = std::move(kept);
}

}  // namespace

Envelope read_envelope(const json::object& given, const EnvelopeInput& input) {
  Problems problems;
  Envelope envelope{.body = given};
  take_identity(envelope.body, input, problems);
  take_provisioning_state(envelope.body, input, problems);
  take_location(envelope.body, input, problems);
  take_tags(envelope.body, input, problems);
  envelope.problems = problems.take();
  if (!input.patch || !input.existing) return envelope;
  json::value merged = input.type.render(*input.existing, input.api_version);
  merged.get_object().erase("tags");  // not merged: replaced
  model::merge_patch(merged, std::move(envelope.body));
  envelope.body = std::move(merged.get_object());
  return envelope;
}

std::optional<Error> all_mistakes(std::vector<Error> problems, const model::Result<engine::Desired>& desired) {
  if (!desired) {
    const Error& found = desired.error();
    if (found.code == "MultipleErrorsOccurred")
      problems.insert(problems.end(), found.details.begin(), found.details.end());
    else if (found.code == "InvalidRequestContent")
      problems.push_back(found);
    else
      return found;
  }
  if (problems.empty()) return std::nullopt;
  if (problems.size() == 1) return std::move(problems.front());
  return Error{.kind = ErrorKind::invalid,
               .code = "MultipleErrorsOccurred",
               .message = "Content validation failed on multiple fields",
               .details = std::move(problems)};
}

}  // namespace acceptd::contracts::arm
