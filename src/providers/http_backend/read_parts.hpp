#pragma once
/// The pieces of which the sections of a Spec consist.

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "providers/http_backend/spec.hpp"
#include "runtime/config/section.hpp"

namespace acceptd::providers::http_backend {

/// What pieces need to know of the whole.
struct Reading {
  bool has_callback = false;  ///< push.url is given
  bool has_probe = false;
  bool has_status = false;
};

bool is_header_name(std::string_view text);

std::optional<Pointer> read_pointer(config::Section& section, const std::string& key);
std::optional<Pointer> read_required_pointer(config::Section& section, const std::string& key);
Text read_url(config::Section& section, const std::string& key, const Reading& reading);
std::optional<Json> read_json(config::Section& section, const std::string& key, Json::Over over, const Reading& reading);
HeaderTexts read_headers(config::Section& section, const Reading& reading);
/// The section "answer": what it does not say is as in `otherwise`.
Fields read_fields(config::Section& section, const Fields& otherwise);
StatusCall read_status(config::Section section, const Fields& otherwise, const Reading& reading);

enum class Kind : std::uint8_t { create, update, remove, action, cancel };
Verb read_verb(config::Section section, Kind kind, const Fields& otherwise, const Reading& reading);

}  // namespace acceptd::providers::http_backend
