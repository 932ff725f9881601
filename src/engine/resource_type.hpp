#pragma once
/// What one resource type declares. The engine calls these hooks; all are pure (no I/O, no clock), thread-safe and do
/// not throw. Contracts use build() and render() to get from a request body to the stored shape and back.

#include <boost/json.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/provider.hpp"
#include "model/document.hpp"
#include "model/operation.hpp"
#include "model/resource.hpp"

namespace acceptd::engine {

enum class Submit : std::uint8_t {
  background,  ///< answer after the commit
  inline_,     ///< keep the intent hidden until the backend answered, within the request's budget
};

/// How callers are answered.
enum class Answered : std::uint8_t {
  as_resource,  ///< at once, with the resource as it reads and an operation to watch
  as_accepted,  ///< at once, with an operation to watch
  when_done,    ///< when the operation ended, as far as the contract lets a request wait; then as_accepted or as_resource
};

struct Verb {
  bool offered = true;
  Answered answered = Answered::as_resource;
  bool tells_created = true;  ///< a write's answer says whether the resource was there before
};

/// What a type offers in one API version.
struct Verbs {
  Verb get{}, put{}, patch{.answered = Answered::as_accepted}, remove{.answered = Answered::as_accepted};
  Verb list{};               ///< below a resource group or a parent
  Verb list_subscription{};  ///< of the whole subscription
};

struct ActionInfo {
  std::string name;     ///< path segment, e.g. "requestAdminCredential"
  std::string request;  ///< what the operation document calls it, e.g. "RequestCredential"
  std::chrono::seconds deadline{15 * 60};
  std::string phrase;                ///< "request credential": "Cannot {phrase} while resource is …"
  bool exclusive = false;            ///< while it runs, no action that names a `blocked_message` starts (HCP 1.6)
  std::string blocked_message;       ///< refusal while an exclusive action runs; "" = it may run beside it
  std::vector<std::string> cancels;  ///< active operations of these request names become Canceled when it is accepted
  bool one_at_a_time = false;        ///< objects without a name to search by: submissions of one resource take turns
  bool secret_result = false;        ///< the result is read from the backend each time, never stored
  Answered answered = Answered::as_accepted;
  std::vector<std::string> api_versions;  ///< that have it; empty = all of the type's
};

struct Deadlines {
  std::chrono::seconds create{60 * 60}, update{60 * 60}, remove{12 * 60 * 60};
};

struct TypeInfo {
  std::string name;                       ///< "Microsoft.RedHatOpenShift/hcpOpenShiftClusters", as shown
  std::string parent_key;                 ///< type_key of the enclosing type; "" for top-level
  std::vector<std::string> api_versions;  ///< oldest first
  Submit submit = Submit::background;
  Deadlines deadlines;
  std::vector<ActionInfo> actions;
  bool tracked = true;
  bool location_optional = false;  ///< a write that names no location means the server's region
  std::string location;            ///< where all resources live, "global"; "" = in the server's region
  bool in_group = true;            ///< resources live below a resource group …
  bool in_subscription = true;     ///< … and right below a subscription
  std::chrono::seconds cleanup_watch{24 * 60 * 60};

  std::string key() const { return model::to_lower(name); }
  const ActionInfo* action(std::string_view name_or_request) const;  ///< by name, without regard to case, or by request
};

/// What a write asks for, in the stored shape.
struct Desired {
  boost::json::object properties;
  boost::json::object tags;
  boost::json::object identity;
  boost::json::object system_data;
  std::string location;
  std::string api_version;
};

/// Input of build(): a complete external representation to be stored (a PUT's body, or the merge of a PATCH with
/// the current representation).
struct BuildInput {
  const model::ResourceId& id;
  std::string_view api_version;
  const boost::json::object& body;
  const model::Resource* existing = nullptr;  ///< nullptr: a create
  const model::Resource* parent = nullptr;
  bool patch = false;
  const boost::json::object* patch_sent = nullptr;  ///< of a PATCH: what the caller sent, which `body` has merged already
  std::string_view tenant;
  std::string_view region;
  /// A fresh identifier for generated values; the same at each call of one request.
  Uuid generated{};
  std::string_view identity_url{};  ///< of the managed identities' data plane, as the front door said; "" = it did not
  /// Features that the subscription has registered; nullptr: not looked up, since the request does not name tags.
  const std::vector<std::string>* features = nullptr;
};

/// Refusals that depend on other documents than the resource's own.
struct AdmitInput {
  model::RequestKind request;
  const model::Resource* existing = nullptr;
  const model::Resource* parent = nullptr;
  std::uint64_t siblings = 0;  ///< live resources of this type below the parent, this one included
};

/// A unique claim of a resource in its partition, e.g. "subnet:/subscriptions/…": held from its creation until it is removed.
struct Claim {
  std::string name;  ///< compared as it is: lower-case it
  Error refusal;     ///< what the caller is told if somebody else holds it
};

/// Moments at which a type may write documents of its own in the engine's batch.
enum class Event : std::uint8_t { create_succeeded, removed };

class ResourceType {
 public:
  explicit ResourceType(TypeInfo info, Provider& provider) : info_(std::move(info)), provider_(provider) {}
  virtual ~ResourceType() = default;
  const TypeInfo& info() const { return info_; }
  Provider& provider() const { return provider_; }

  /// Validates and normalises. Errors: `invalid`, one error or MultipleErrorsOccurred with details.
  virtual Result<Desired> build(const BuildInput& input) const = 0;
  /// The external representation in an API version: everything but what every ARM resource has alike
  /// (id, name, type, systemData, etag, provisioningState), i.e. location, tags, identity, properties.
  virtual boost::json::object render(const model::Resource& resource, std::string_view api_version) const = 0;

  virtual Verbs verbs(std::string_view /*api_version*/) const { return {}; }
  /// An action's parameters, checked and completed. Errors: as build().
  virtual Result<boost::json::object> build_parameters(const ActionInfo&, std::string_view /*api_version*/,
                                                       boost::json::object sent) const {
    return sent;
  }
  /// Whether a new resource may have this name, as far as the name alone says.
  virtual bool accepts_name(std::string_view) const { return true; }
  virtual std::optional<Error> admit(const AdmitInput&) const { return std::nullopt; }
  virtual std::vector<Claim> claims(const model::ResourceId&, const Desired&) const { return {}; }
  /// Ids of the companion documents that companions() wants to see; read before an event.
  virtual std::vector<Uuid> companion_ids(const model::Resource&) const { return {}; }
  virtual std::vector<model::Write> companions(Event, const model::Resource&, const model::Operation&,
                                               const std::vector<model::DocumentPtr>& /*existing*/, Time /*now*/) const {
    return {};
  }
  /// What a status document of a finished create or update of this type says in its result; by default nothing.
  virtual bool needs_sibling_count() const { return false; }

 private:
  TypeInfo info_;
  Provider& provider_;
};

/// All types that a process serves. Immutable after start.
class TypeRegistry {
 public:
  void add(std::unique_ptr<ResourceType> type);
  const ResourceType* find(std::string_view type_key) const;  ///< lower-case key
  const std::vector<std::unique_ptr<ResourceType>>& all() const { return types_; }

 private:
  std::vector<std::unique_ptr<ResourceType>> types_;
};

}  // namespace acceptd::engine
