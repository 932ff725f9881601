#pragma once
/// The states of an operation and which may follow which (DESIGN §4). Everything that asks "is this over?" or
/// "may this follow?" asks here.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace acceptd::model {

enum class Status : std::uint8_t {
  intended,  ///< durable, hidden: the first submission is under way
  accepted,
  provisioning,
  updating,
  deleting,
  succeeded,
  failed,
  canceled,
};
inline constexpr std::size_t kStatusCount = 8;

constexpr bool is_terminal(Status status) { return status >= Status::succeeded; }

/// kMayFollow[from][to]. Staying in the same non-terminal state is no transition and not in the table.
inline constexpr std::array<std::array<bool, kStatusCount>, kStatusCount> kMayFollow{{
    //                 intended accepted provis. updating deleting succeed. failed canceled
    /* intended     */ {{false, true, true, true, true, true, true, true}},
    /* accepted     */ {{false, false, true, true, true, true, true, true}},
    /* provisioning */ {{false, false, false, true, true, true, true, true}},
    /* updating     */ {{false, false, true, false, true, true, true, true}},
    /* deleting     */ {{false, false, false, false, false, true, true, true}},
    /* succeeded    */ {{false, false, false, false, false, false, false, false}},
    /* failed       */ {{false, false, false, false, false, false, false, false}},
    /* canceled     */ {{false, false, false, false, false, false, false, false}},
}};

constexpr bool may_follow(Status from, Status to) {
  return kMayFollow[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
}

constexpr bool terminal_states_never_change() {
  for (std::size_t from = 0; from < kStatusCount; ++from)
    for (std::size_t to = 0; to < kStatusCount; ++to)
      if (is_terminal(static_cast<Status>(from)) && kMayFollow[from][to]) return false;
  return true;
}
constexpr bool every_active_state_can_end() {
  for (std::size_t from = 0; from < kStatusCount; ++from)
    if (!is_terminal(static_cast<Status>(from)) &&
        !(may_follow(static_cast<Status>(from), Status::succeeded) && may_follow(static_cast<Status>(from), Status::failed) &&
          may_follow(static_cast<Status>(from), Status::canceled)))
      return false;
  return true;
}
static_assert(terminal_states_never_change());
static_assert(every_active_state_can_end());

/// "Accepted", "Provisioning", … as ARM and the documents spell them; "Intended" never leaves the store.
std::string_view to_string(Status status);
std::optional<Status> parse_status(std::string_view text);

}  // namespace acceptd::model
