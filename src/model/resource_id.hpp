#pragma once
/// An Azure resource ID: /subscriptions/{s}[/resourceGroups/{rg}]/providers/{ns}/{type}/{name}[/{type}/{name}…].
/// Compared without regard to case; the casing of the request is kept.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/uuid.hpp"

namespace acceptd::model {

/// ASCII only: everything that a resource ID may contain folds this way.
std::string to_lower(std::string_view text);
bool equals_ignoring_case(std::string_view a, std::string_view b);

class ResourceId {
 public:
  struct Segment {
    std::string type;
    std::string name;
  };

  /// Reads the text form. nullopt if the shape is wrong (odd segments, empty segment, no provider). Names and
  /// characters are not judged here: that is the contract's business (ARM-050 to ARM-052).
  static std::optional<ResourceId> parse(std::string_view text);

  const std::string& text() const { return text_; }                      ///< as given
  const std::string& key() const { return key_; }                        ///< lower case: equal IDs have equal keys
  const std::string& subscription() const { return subscription_; }      ///< as given
  const std::string& resource_group() const { return resource_group_; }  ///< as given; "" at subscription scope
  const std::string& provider() const { return provider_; }              ///< namespace as given
  const std::vector<Segment>& segments() const { return segments_; }     ///< outermost first, never empty
  const std::string& name() const { return segments_.back().name; }

  std::string partition() const { return to_lower(subscription_); }
  /// "microsoft.redhatopenshift/hcpopenshiftclusters/nodepools"
  std::string type_key() const;
  /// The ID without its last segment; nullopt for a top-level resource.
  std::optional<ResourceId> parent() const;
  /// UUIDv5 of the key: the id of the resource's document.
  Uuid document_id() const { return uuid_of_name(key_); }

  bool operator==(const ResourceId& other) const { return key_ == other.key_; }

 private:
  std::string text_, key_, subscription_, resource_group_, provider_;
  std::vector<Segment> segments_;
};

}  // namespace acceptd::model
