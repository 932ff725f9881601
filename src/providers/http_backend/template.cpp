#include "providers/http_backend/template.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "http/uri.hpp"
#include "model/json.hpp"
#include "model/uuid.hpp"

namespace acceptd::providers::http_backend {

namespace {

using Expanded = std::expected<std::string, std::string>;

constexpr std::array kNames{
    std::pair{std::string_view("id"), Name::id},
    std::pair{std::string_view("id.name"), Name::id_name},
    std::pair{std::string_view("id.type"), Name::id_type},
    std::pair{std::string_view("id.group"), Name::id_group},
    std::pair{std::string_view("id.subscription"), Name::id_subscription},
    std::pair{std::string_view("parent.name"), Name::parent_name},
    std::pair{std::string_view("operation"), Name::operation},
    std::pair{std::string_view("incarnation"), Name::incarnation},
    std::pair{std::string_view("internalId"), Name::internal_id},
    std::pair{std::string_view("parent.internalId"), Name::parent_internal_id},
    std::pair{std::string_view("location"), Name::location},
    std::pair{std::string_view("tenant"), Name::tenant},
    std::pair{std::string_view("action"), Name::action},
    std::pair{std::string_view("callback"), Name::callback},
};

std::string_view word_of(Name name) { return std::ranges::find(kNames, name, &std::pair<std::string_view, Name>::second)->first; }

std::string known_names() {
  std::string all;
  for (const auto& [word, name] : kNames) all += fmt::format("{}{{{}}}", all.empty() ? "" : ", ", word);
  return all;
}

std::string value_of(Name name, const Values& values) {
  const engine::Target& target = values.target;
  const auto& segments = target.id.segments();
  if (segments.empty()) return {};  // of a report: nothing but the operation is known
  switch (name) {
    case Name::id: return target.id.text();
    case Name::id_name: return segments.back().name;
    case Name::id_type: return segments.back().type;
    case Name::id_group: return target.id.resource_group();
    case Name::id_subscription: return target.id.subscription();
    case Name::parent_name: return segments.size() > 1 ? segments[segments.size() - 2].name : std::string();
    case Name::operation: return model::to_string(target.operation);
    case Name::incarnation: return model::to_string(target.incarnation);
    case Name::internal_id: return target.internal_id;
    case Name::parent_internal_id: return target.parent_internal_id;
    case Name::location: return target.location;
    case Name::tenant: return target.tenant;
    case Name::action: return target.action;
    case Name::callback: return values.callback;
  }
  return {};
}

bool is_path_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("/-._~:@").find(c) != std::string_view::npos;
}

/// What comes of a target that a URL template made: the structure that the template says, or an error.
Expanded checked_url(std::string url) {
  if (!url.starts_with('/') || url.starts_with("//")) return std::unexpected("the URL must begin with one \"/\"");
  if (auto target = http::parse_target(url); !target) return std::unexpected(std::move(target.error()));
  return url;
}

// ---- JSON ----

constexpr std::array<std::string_view, 3> kTargetRoots{"$desired", "$tags", "$identity"};
constexpr std::string_view kAnswerRoot = "$answer";

/// "$desired/size" as its root and the pointer after it.
struct Reference {
  std::string_view root, pointer;
};
std::optional<Reference> reference_in(std::string_view text) {
  if (!text.starts_with('$') || text.starts_with("$$")) return std::nullopt;
  const std::size_t slash = std::min(text.find('/'), text.size());
  return Reference{text.substr(0, slash), text.substr(slash)};
}

/// nullopt: all strings of the value are good.
std::optional<std::string> wrong_with(const json::value& value, Json::Over over) {
  if (const json::object* object = value.if_object()) {
    for (const auto& member : *object)
      if (auto wrong = wrong_with(member.value(), over)) return wrong;
  } else if (const json::array* array = value.if_array()) {
    for (const json::value& item : *array)
      if (auto wrong = wrong_with(item, over)) return wrong;
  } else if (const json::string* text = value.if_string()) {
    if (const auto reference = reference_in(*text)) {
      const bool known = over == Json::Over::answer ? reference->root == kAnswerRoot
                                                    : std::ranges::find(kTargetRoots, reference->root) != kTargetRoots.end();
      if (!known)
        return fmt::format("\"{}\" refers to nothing; known here: {} (write \"$$\" for a \"$\")", std::string_view(*text),
                           over == Json::Over::answer ? std::string(kAnswerRoot) : "$desired, $tags, $identity");
      if (reference->pointer.empty()) return std::nullopt;
      if (auto pointer = Pointer::compile(reference->pointer); !pointer) return pointer.error();
      return std::nullopt;
    }
    if (auto compiled = Text::compile(*text); !compiled) return compiled.error();
  }
  return std::nullopt;
}

std::optional<json::value> referred(const Reference& reference, const Values& values) {
  const Pointer pointer{std::string(reference.pointer)};
  const json::value* found = nullptr;
  json::value root;
  if (reference.root == kAnswerRoot) {
    if (!values.answer) return std::nullopt;
    found = pointer.find(*values.answer);
  } else {
    const engine::Target& target = values.target;
    root = reference.root == "$desired" ? target.desired : reference.root == "$tags" ? target.tags : target.identity;
    found = pointer.find(root);
  }
  if (!found) return std::nullopt;
  return *found;
}

std::optional<json::value> made_of(const json::value& value, const Values& values) {
  if (const json::object* object = value.if_object()) {
    json::object made;
    for (const auto& member : *object)
      if (auto part = made_of(member.value(), values)) made[member.key()] = std::move(*part);
    return made;
  }
  if (const json::array* array = value.if_array()) {
    json::array made;
    for (const json::value& item : *array)
      if (auto part = made_of(item, values)) made.push_back(std::move(*part));
    return made;
  }
  const json::string* string = value.if_string();
  if (!string) return value;
  const std::string_view text = *string;
  if (const auto reference = reference_in(text)) return referred(*reference, values);
  const std::size_t escaped = text.starts_with("$$") ? 1 : 0;
  return json::value(Text::compile(text.substr(escaped))->plain(values));
}

bool any_text(const json::value& value, const std::function<bool(const Text&)>& wanted) {
  if (const json::object* object = value.if_object())
    return std::ranges::any_of(*object, [&](const auto& member) { return any_text(member.value(), wanted); });
  if (const json::array* array = value.if_array())
    return std::ranges::any_of(*array, [&](const json::value& item) { return any_text(item, wanted); });
  const json::string* text = value.if_string();
  return text && !reference_in(*text) && wanted(*Text::compile(*text));
}

}  // namespace

// ---- Text ----

std::expected<Text, std::string> Text::compile(std::string_view text) {
  Text compiled;
  std::string literal;
  const auto end_literal = [&] {
    if (!literal.empty()) compiled.parts_.push_back({.literal = std::exchange(literal, {})});
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c != '{' && c != '}') {
      literal += c;
      continue;
    }
    if (at + 1 < text.size() && text[at + 1] == c) {  // doubled: the brace itself
      literal += c;
      ++at;
      continue;
    }
    const std::size_t end = text.find('}', at);
    if (c == '}' || end == std::string_view::npos)
      return std::unexpected("has a brace without its partner; double it if it is meant");
    std::string_view word = text.substr(at + 1, end - at - 1);
    const bool path = word.starts_with('+');
    if (path) word.remove_prefix(1);
    const auto known = std::ranges::find(kNames, word, &std::pair<std::string_view, Name>::first);
    if (known == kNames.end()) return std::unexpected(fmt::format("{{{}}} stands for nothing; known: {}", word, known_names()));
    if (path && known->second != Name::internal_id && known->second != Name::parent_internal_id)
      return std::unexpected("only the backend's own ids can be paths: {+internalId}, {+parent.internalId}");
    end_literal();
    compiled.parts_.push_back({.name = known->second, .path = path});
    at = end;
  }
  end_literal();
  return compiled;
}

std::expected<Text, std::string> Text::compile_url(std::string_view text) {
  auto compiled = compile(text);
  if (!compiled) return compiled;
  std::string example;
  for (const Part& part : compiled->parts_) {
    if (part.path && !example.empty() && example != "/") return std::unexpected("a path in braces must come first");
    example += part.path ? "/x" : part.name ? "x" : part.literal;
  }
  if (auto checked = checked_url(std::move(example)); !checked) return std::unexpected(std::move(checked.error()));
  return compiled;
}

bool Text::uses(std::initializer_list<Name> names) const {
  return std::ranges::any_of(parts_,
                             [&](const Part& part) { return part.name && std::ranges::find(names, *part.name) != names.end(); });
}

std::string Text::plain(const Values& values) const {
  std::string out;
  for (const Part& part : parts_) out += part.name ? value_of(*part.name, values) : part.literal;
  return out;
}

Expanded Text::url(const Values& values) const {
  std::string out;
  bool in_query = false;
  for (const Part& part : parts_) {
    if (!part.name) {
      in_query |= part.literal.find('?') != std::string::npos;
      out += part.literal;
      continue;
    }
    const std::string value = value_of(*part.name, values);
    // Without it the URL would name something else: all objects instead of one.
    if (value.empty() && !in_query) return std::unexpected(fmt::format("{{{}}} is not known", word_of(*part.name)));
    if (!part.path) {
      out += http::percent_encode(value);
      continue;
    }
    if (!value.starts_with('/') || !std::ranges::all_of(value, is_path_character))
      return std::unexpected(fmt::format("{{+{}}} is no path", word_of(*part.name)));
    out += value;
  }
  return checked_url(std::move(out));
}

Expanded Text::header(const Values& values) const {
  std::string out = plain(values);
  if (!std::ranges::all_of(out, [](char c) { return c >= ' ' && c < 0x7f; }))
    return std::unexpected("a value holds characters that a header field must not hold");
  return out;
}

// ---- Json ----

std::expected<Json, std::string> Json::compile(json::value value, Over over) {
  if (auto wrong = wrong_with(value, over)) return std::unexpected(std::move(*wrong));
  Json compiled;
  compiled.value_ = std::move(value);
  return compiled;
}

bool Json::uses(std::initializer_list<Name> names) const {
  return any_text(value_, [names](const Text& text) { return text.uses(names); });
}

std::optional<json::value> Json::make(const Values& values) const { return made_of(value_, values); }

// ---- Pointer ----

std::expected<Pointer, std::string> Pointer::compile(std::string_view text) {
  if (text == "#") return Pointer{};
  const auto wrong = [&](std::string_view why) {
    return std::unexpected(
        fmt::format("expected a JSON pointer such as /status/state, or # for all of it, got \"{}\"{}", text, why));
  };
  if (!text.starts_with('/')) return wrong("");
  for (std::size_t at = text.find('~'); at != std::string_view::npos; at = text.find('~', at + 1))
    if (at + 1 == text.size() || (text[at + 1] != '0' && text[at + 1] != '1')) return wrong(": after \"~\" comes 0 or 1");
  return Pointer{std::string(text)};
}

const json::value* Pointer::find(const json::value& in) const {
  boost::system::error_code error;
  return in.find_pointer(text, error);
}

std::optional<std::string> Pointer::text_in(const json::value& in) const {
  const json::value* found = find(in);
  if (!found) return std::nullopt;
  if (found->is_string()) return std::string(found->get_string());
  if (found->is_number() || found->is_bool()) return model::to_text(*found);
  return std::nullopt;
}

}  // namespace acceptd::providers::http_backend
