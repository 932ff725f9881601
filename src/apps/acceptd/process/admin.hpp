#pragma once
/// The operators' listener: /metrics, /healthz (the process runs), /readyz (it takes requests).

#include <functional>
#include <string>

#include "http/server.hpp"

namespace acceptd::process {

struct AdminSources {
  std::function<std::string()> metrics;
  std::function<bool()> ready;
};
http::Handler make_admin_handler(AdminSources sources);

}  // namespace acceptd::process
