#pragma once
/// Checks and transformations of JSON values by a compiled schema. All functions are pure, thread-safe and linear in the
/// size of the value (alternatives are bounded by kMaxTrialSteps). Those that return bool say false if a value was too complex
/// for that: their work is not done then, and callers must refuse the value.

#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "model/error.hpp"

namespace acceptd::schema {

namespace json = boost::json;

/// One compiled schema; owned by the Document that it came from, immutable.
struct Schema;

/// A call reports at most this many violations: more help nobody, and a hostile body must not buy a large answer.
inline constexpr std::size_t kMaxViolations = 100;
/// Visits of (schema, value) pairs on behalf of anyOf, oneOf and allOf, per call: nested ones could need exponentially many.
inline constexpr std::size_t kMaxTrialSteps = 200'000;

enum class Mode {
  create,  ///< nothing exists; read-only members are ignored
  update,  ///< the value replaces `existing`
  patch,   ///< as update, but the value is the merge of a patch into `existing`: what is missing was set to null
};

enum class Rule { invalid, required, unknown_field, read_only, immutable };

/// `path` is a dotted JSON path: "properties.network.podCidr", "labels[0].key", map entries "tags[name]"; "" is the value itself.
/// `message` never repeats a secret.
struct Violation {
  std::string path;
  Rule rule = Rule::invalid;
  std::string message;
  bool operator==(const Violation&) const = default;
};

/// All that is wrong with `value`, at most kMaxViolations. `existing` is the current value in the same shape (nullptr in create):
/// a member that callers may not update must equal it ("Forbidden: field is immutable"); a read-only member is ignored if it
/// equals it, and refused otherwise. null counts as a value: use drop_nulls() first where it means "absent".
std::vector<Violation> validate(const Schema& schema, const json::value& value, Mode mode, const json::value* existing = nullptr);

/// Makes integers of numbers that are written as 30.0 or 1e3 and fit 64 bits, everywhere: to JSON Schema they are the same value,
/// and callers get them back as 30 and 1000.
void make_integers(json::value& value);

/// Removes members that are null where the schema does not allow null (recursively).
bool drop_nulls(const Schema& schema, json::value& value);

/// Adds absent members that have a default. An absent object is added if its members' defaults fill all that it requires
/// and there is at least one.
void apply_defaults(const Schema& schema, json::value& value);

/// Removes read-only members (recursively).
bool strip_read_only(const Schema& schema, json::value& value);

/// Copies read-only members from `from` into `value` where both have the enclosing object, replacing what is there.
void copy_read_only(const Schema& schema, const json::value& from, json::value& value);

/// Gives `value` what callers cannot have read of `from` and therefore do not send back: secrets and members that are not
/// readable, where `value` has the enclosing object and not the member (null counts as having it). Items of a list get theirs
/// back if they are otherwise the same at the same place; a list of hidden items is given back if it is sent empty.
bool restore_hidden(const Schema& schema, const json::value& from, json::value& value);

/// Gives objects of `value` that do not say which subtype they are what `from` says at the same place.
void copy_kinds(const Schema& schema, const json::value& from, json::value& value);

/// Adds members of `from` that the schema does not know, where `value` has the enclosing object: what another version knows.
void copy_unknown(const Schema& schema, const json::value& from, json::value& value);

/// Removes members that `request` does not know and `answer` does: callers send back what they read.
void drop_answered(const Schema& request, const Schema& answer, json::value& value);

/// Removes what no caller may ever read: secrets and members that are not readable. Lists of such items are
/// emptied, and so is a value that is too complex.
bool keep_visible(const Schema& schema, json::value& value);

/// Removes members that the schema does not know (in objects that declare members and no additionalProperties).
void keep_known(const Schema& schema, json::value& value);

/// JSON pointers (RFC 6901) of the secret members present in `value`; of all of it ("") if it is too complex.
std::vector<std::string> secrets(const Schema& schema, const json::value& value);

/// One violation: code InvalidRequestContent, target = path. Several: MultipleErrorsOccurred with details. Requires at least one.
model::Error to_error(const std::vector<Violation>& violations);

}  // namespace acceptd::schema
