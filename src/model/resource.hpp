#pragma once
/// A resource document's payload (reference: aro-hcp-async-operations.md, "Hosted Control Plane Clusters and Node Pools";
/// the additional fields are those of DESIGN §3).

#include <boost/json.hpp>
#include <optional>
#include <string>

#include "model/document.hpp"
#include "model/error.hpp"
#include "model/resource_id.hpp"
#include "model/status.hpp"

namespace acceptd::model {

/// What an update replaces, to be given back if it fails (ARM-136).
struct Former {
  boost::json::object desired, tags, identity, system_data;
  std::string api_version;
  bool operator==(const Former&) const = default;
};

struct Resource {
  ResourceId id;                         ///< casing of the PUT that created it
  std::string internal_id;               ///< the backend's path of the object; "" while unknown
  std::optional<Uuid> active_operation;  ///< set exactly while a state-changing operation is active
  Status provisioning_state = Status::accepted;
  std::string location;
  boost::json::object identity;     ///< {} = none
  boost::json::object system_data;  ///< never logged
  boost::json::object tags;
  boost::json::object desired;         ///< accepted properties, normalised, in the type's stored shape
  std::optional<Former> previous;      ///< from before the running update
  boost::json::object observed;        ///< read-only properties that the backend reported
  std::string api_version;             ///< of the last write
  std::string etag;                    ///< shown to callers; changes exactly when what they read changes
  std::string owner;                   ///< principal that created it
  Uuid incarnation{};                  ///< new at each creation
  bool hidden = false;                 ///< its create is not yet exposed: readers and lists do not see it
  bool counted = false;                ///< the parent's counter of this type includes it (until its delete is accepted)
  bool subtree_deleting = false;       ///< its delete was accepted: every descendant reads as Deleting
  std::optional<Time> deleting_since;  ///< with subtree_deleting: when what it superseded ended
  Time created{};
  /// Until then a create that was sent may still be carried out by the backend without our knowing the object.
  std::optional<Time> uncertain_until;
  /// An action that excludes others on this resource while it runs (revokeCredentials).
  std::optional<Uuid> exclusive_action;
  /// The implicit operation that removes what a create left behind at the backend; while it runs only a delete is accepted.
  std::optional<Uuid> cleanup_operation;

  std::string type_key() const { return id.type_key(); }
};

/// Whether callers read the same of both, but for the entity tag.
bool reads_alike(const Resource& a, const Resource& b);

/// The stored document, without etag: index, type and body are set; `expires_at` is not.
Document to_document(const Resource& resource);
/// Errors: `internal` if the body is not a resource payload (the store holds something foreign).
Result<Resource> resource_from(const Document& document);

struct Subscription {
  std::string id;            ///< as in the first PUT
  std::string state;         ///< "Registered", "Unregistered", "Warned", "Suspended", "Deleted"
  boost::json::object body;  ///< the whole request body, verbatim (unknown properties kept, ARM-263)
};
Document to_document(const Subscription& subscription);
Result<Subscription> subscription_from(const Document& document);
Key subscription_key(std::string_view subscription_id);

}  // namespace acceptd::model
