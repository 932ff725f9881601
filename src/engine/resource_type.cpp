#include "engine/resource_type.hpp"

namespace acceptd::engine {

const ActionInfo* TypeInfo::action(std::string_view name_or_request) const {
  for (const ActionInfo& action : actions)
    if (model::equals_ignoring_case(action.name, name_or_request) || action.request == name_or_request) return &action;
  return nullptr;
}

void TypeRegistry::add(std::unique_ptr<ResourceType> type) { types_.push_back(std::move(type)); }

const ResourceType* TypeRegistry::find(std::string_view type_key) const {
  for (const auto& type : types_)
    if (model::equals_ignoring_case(type->info().name, type_key)) return type.get();
  return nullptr;
}

}  // namespace acceptd::engine
