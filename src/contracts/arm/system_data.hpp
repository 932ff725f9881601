#pragma once
/// systemData: who created and who last changed a resource, as the front door says (ARM-068, ARM-069). Never logged (ARM-070).

#include <boost/json.hpp>
#include <string_view>

#include "http/message.hpp"
#include "model/error.hpp"
#include "model/time.hpp"

namespace acceptd::contracts::arm {

inline constexpr std::string_view kSystemDataHeader = "x-ms-arm-resource-system-data";

/// The header's content; {} if it is absent. Error: InvalidRequestContent naming the header.
model::Result<boost::json::object> system_data_of(const http::Request& request);

/// What is stored: `given`, with the creator of `existing` (nullptr: a create) where `given` names none, and the rest filled
/// from `principal` ("" = unknown) and `now`.
boost::json::object complete_system_data(const boost::json::object& given, const boost::json::object* existing,
                                         std::string_view principal, model::Time now);

}  // namespace acceptd::contracts::arm
