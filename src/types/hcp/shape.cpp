#include "types/hcp/shape.hpp"


#include "types/hcp/description.hpp"

namespace acceptd::types::hcp {

const json::value* at(const json::object& object, std::initializer_list<std::string_view> path) {
  const json::object* here = &object;
  const json::value* value = nullptr;
  for (const std::string_view step : path) {
    if (!here) return nullptr;
    value = here->if_contains(step);
    if (!value) return nullptr;
    here = value->if_object();
  }
  return value;
}

json::value* at(json::object& object, std::initializer_list<std::string_view> path) {
  return const_cast<json::value*>(at(static_cast<const json::object&>(object), path));
}

std::string_view text_at(const json::object& object, std::initializer_list<std::string_view> path) {
  const json::value* value = at(object, path);
  return value && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

void put(json::object& object, std::initializer_list<std::string_view> path, json::value value) {
  json::object* here = &object;
  std::size_t left = path.size();
  for (const std::string_view step : path) {
    json::value& member = (*here)[step];
    if (--left == 0) {
      member = std::move(value);
      return;
    }
    if (!member.is_object()) member.emplace_object();
    here = &member.get_object();
  }
}

void to_stored(json::object& properties, std::string_view api_version) {
  if (api_version != kVersion2024) return;
  // The vault lay beside the key.
  json::value* key = at(properties, {"etcd", "dataEncryption", "customerManaged", "kms", "activeKey"});
  if (!key || !key->is_object()) return;
  if (const json::value* vault = key->get_object().if_contains("vaultName")) {
    json::value moved = *vault;
    key->get_object().erase("vaultName");
    put(properties, {"etcd", "dataEncryption", "customerManaged", "kms", "vaultName"}, std::move(moved));
  }
}

void from_stored(json::object& properties, std::string_view api_version) {
  if (api_version != kVersion2024) return;
  json::value* kms = at(properties, {"etcd", "dataEncryption", "customerManaged", "kms"});
  if (!kms || !kms->is_object()) return;
  if (const json::value* vault = kms->get_object().if_contains("vaultName")) {
    json::value moved = *vault;
    kms->get_object().erase("vaultName");
    put(properties, {"etcd", "dataEncryption", "customerManaged", "kms", "activeKey", "vaultName"}, std::move(moved));
  }
}

void keep_newer(json::object& properties, const json::object& existing, std::string_view api_version) {
  if (api_version != kVersion2024) return;
  const auto keep = [&](std::initializer_list<std::string_view> path) {
    const json::value* known = at(existing, path);
    if (known && !at(static_cast<const json::object&>(properties), path)) put(properties, path, *known);
  };
  keep({"imageDigestMirrors"});
  keep({"platform", "osDisk", "diskType"});
  if (at(properties, {"etcd", "dataEncryption", "customerManaged", "kms"}))
    keep({"etcd", "dataEncryption", "customerManaged", "kms", "visibility"});
}

void overlay(json::object& target, const json::object& over) {
  for (const auto& [key, value] : over) {
    json::value& member = target[key];
    if (member.is_object() && value.is_object())
      overlay(member.get_object(), value.get_object());
    else
      member = value;
  }
}

}  // namespace acceptd::types::hcp
