#pragma once
/// Deliberate breaks. Each would make the product break a promise; tests/mutations shows that the simulation notices every
/// one. In all other builds mutated() is constantly false and costs nothing.

#include <array>
#include <cstdint>
#include <string_view>

namespace acceptd::model {

// clang-format off
#define ACCEPTD_MUTATION_LIST(X)              \
  /* durable before acknowledged */           \
  X(promise_without_commit)                   \
  X(half_an_intent)                           \
  X(store_forgets_failed_commit)              \
  /* terminal is final, conditional writes */ \
  X(terminal_may_change)                      \
  X(overwrite_whatever_is_there)              \
  X(store_ignores_etags)                      \
  X(ignore_if_match)                          \
  /* one active operation */                  \
  X(write_while_active)                       \
  X(keep_active_operation)                    \
  X(keep_provisioning_state)                  \
  X(answer_too_late)                          \
  /* supersede atomically */                  \
  X(delete_without_marker)                    \
  X(supersede_nothing)                        \
  X(child_ignores_parent)                     \
  X(survive_delete_above)                     \
  X(read_without_marker)                      \
  X(derive_nothing)                           \
  /* everything ends */                       \
  X(no_deadline)                              \
  X(no_work_after_start)                      \
  X(cascade_nothing)                          \
  /* no orphans, no duplicates */             \
  X(resend_without_search)                    \
  X(adopt_strangers)                          \
  X(adopt_what_others_have)                   \
  X(settle_at_once)                           \
  X(no_cleanup_after_deadline)                \
  X(parent_before_children)                   \
  X(no_turns_for_actions)                     \
  X(bill_nothing)                             \
  X(bill_for_ever)                            \
  X(keep_claims)                              \
  X(never_count_down)                         \
  X(free_address_at_once)                     \
  X(revoke_at_once)                           \
  /* who sees what, time to live */           \
  X(show_hidden)                              \
  X(show_hidden_update)                       \
  X(touch_always)                             \
  X(show_to_everybody)                        \
  X(keep_for_ever)                            \
  X(serve_expired)
// clang-format on

enum class Mutation : std::uint8_t {
  none,
#define ACCEPTD_MUTATION_NAME(name) name,
  ACCEPTD_MUTATION_LIST(ACCEPTD_MUTATION_NAME)
#undef ACCEPTD_MUTATION_NAME
};

#ifdef ACCEPTD_MUTATIONS
inline Mutation active_mutation = Mutation::none;  ///< set by the runner, between runs
inline bool mutated(Mutation mutation) { return active_mutation == mutation; }

struct NamedMutation {
  Mutation mutation;
  std::string_view name;
};
inline constexpr auto kMutations = std::to_array<NamedMutation>({
#define ACCEPTD_MUTATION_ENTRY(name) {Mutation::name, #name},
    ACCEPTD_MUTATION_LIST(ACCEPTD_MUTATION_ENTRY)
#undef ACCEPTD_MUTATION_ENTRY
});
#else
constexpr bool mutated(Mutation) { return false; }
#endif
#undef ACCEPTD_MUTATION_LIST

}  // namespace acceptd::model
