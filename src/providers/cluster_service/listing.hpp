#pragma once
/// Reads of one object and of whole collections, with every way in which they can go wrong sorted out.

#include <optional>
#include <string>

#include "engine/provider.hpp"
#include "providers/cluster_service/connection.hpp"

namespace acceptd::providers::cluster_service {

/// An object or a collection that was asked for.
template <class T>
struct Fetched {
  enum class Kind {
    here,
    gone,         ///< 404
    unexpected,   ///< an answer that cannot be read as what was asked for
    unavailable,  ///< no answer
  };
  Kind kind = Kind::unavailable;
  T value;
  std::string summary;
};

runtime::Task<Fetched<boost::json::object>> fetch_object(Connection& connection, std::string target, std::string correlation_id);

/// All pages of a collection. `target` has no query yet unless it contains '?'. Collections of more than kItemsMax items are
/// `unexpected`: none that is asked for here can be that long.
runtime::Task<Fetched<boost::json::array>> fetch_items(Connection& connection, std::string target, std::string correlation_id);
inline constexpr std::size_t kPageItems = 100;
inline constexpr std::size_t kItemsMax = 5000;

/// Of a fetch that is not `here`.
template <class T>
engine::Observation observation_of(const Fetched<T>& fetched) {
  using Kind = engine::Observation::Kind;
  engine::Observation observation;
  switch (fetched.kind) {
    case Fetched<T>::Kind::gone: observation.kind = Kind::gone; break;
    case Fetched<T>::Kind::unavailable: observation.kind = Kind::unavailable; break;
    case Fetched<T>::Kind::here:
    case Fetched<T>::Kind::unexpected: observation.kind = Kind::unexpected; break;
  }
  observation.summary = fetched.summary;
  return observation;
}

}  // namespace acceptd::providers::cluster_service
