#include "model/status.hpp"

namespace acceptd::model {

namespace {
constexpr std::array<std::string_view, kStatusCount> kNames{"Intended", "Accepted",  "Provisioning", "Updating",
                                                            "Deleting", "Succeeded", "Failed",       "Canceled"};
}

std::string_view to_string(Status status) { return kNames[static_cast<std::size_t>(status)]; }

std::optional<Status> parse_status(std::string_view text) {
  for (std::size_t i = 0; i < kStatusCount; ++i)
    if (kNames[i] == text) return static_cast<Status>(i);
  return std::nullopt;
}

}  // namespace acceptd::model
