#include "apps/acceptd/process/admin.hpp"

#include <memory>

namespace acceptd::process {

namespace {

http::Response text(unsigned status, std::string body, std::string_view media_type = "text/plain; charset=utf-8") {
  http::Response response{.status = status, .body = std::move(body)};
  response.headers.add("Content-Type", media_type);
  return response;
}

runtime::Task<http::Response> answer(std::shared_ptr<const AdminSources> sources, http::Request request) {
  const bool reads = request.method == http::Method::get || request.method == http::Method::head;
  if (!reads) co_return text(405, "only GET\n");
  if (request.path == "/metrics") co_return text(200, sources->metrics(), "text/plain; version=0.0.4; charset=utf-8");
  if (request.path == "/healthz") co_return text(200, "ok\n");
  if (request.path == "/readyz") co_return sources->ready() ? text(200, "ready\n") : text(503, "not ready\n");
  co_return text(404, "known here: /metrics, /healthz, /readyz\n");
}

}  // namespace

http::Handler make_admin_handler(AdminSources sources) {
  auto shared = std::make_shared<const AdminSources>(std::move(sources));
  return [shared](http::Request request) { return answer(shared, std::move(request)); };
}

}  // namespace acceptd::process
