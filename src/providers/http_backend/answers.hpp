#pragma once
/// What the backend's answers mean for the operation behind them.

#include <cstdint>
#include <optional>
#include <string>

#include "engine/provider.hpp"
#include "providers/http_backend/calls.hpp"
#include "providers/http_backend/spec.hpp"

namespace acceptd::providers::http_backend {

/// "409 QUOTA", "no answer: timed out": at most 200 bytes, nothing of a body but its error code.
std::string summary_of(const Reply& reply, const Fields& fields);

/// What callers are told of an error code of the backend's. `status` is the answer's; 0: of work that failed.
model::Error error_of(const Spec& spec, const Fields& fields, const json::value& body, unsigned status);

/// Of an answer to a write.
Verdict verdict_of(const Verb& verb, const Reply& reply);

/// How far the work is, by the body of a status answer or of a report (which may tell progress alone).
/// unexpected: no state where one must be, or a state that nobody mapped.
enum class Body : std::uint8_t { answer, report };
engine::Observation observation_in(const Spec& spec, const Fields& fields, const Values& values, Body body = Body::answer);

/// Of an answer to a status call, whatever it is.
engine::Observation observation_of(const Spec& spec, const Fields& fields, const Reply& reply, Values values);

/// Read-only properties that `shape` makes of an answer; {} without. What is larger than kObservedBytesMax is dropped, and
/// `summary` says so.
inline constexpr std::size_t kObservedBytesMax = std::size_t{64} * 1024;
json::object observed_in(const std::optional<Json>& shape, const Values& values, std::string& summary);

}  // namespace acceptd::providers::http_backend
