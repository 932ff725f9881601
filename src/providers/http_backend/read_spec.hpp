#pragma once
/// Reads a Spec from a configuration: docs/http-backend.md says every key.

#include <cstdint>

#include "providers/http_backend/spec.hpp"
#include "runtime/config/section.hpp"

namespace acceptd::providers::http_backend {

/// Whether the program that reads serves the endpoint at which backends report (push.hpp).
enum class Reports : std::uint8_t { not_served, served };

/// What is wrong, contradictions included, becomes problems of the section; the result is good only if there are none.
Spec read_spec(config::Section section, Reports reports = Reports::not_served);

}  // namespace acceptd::providers::http_backend
