#include <fmt/format.h>

#include <cstdlib>

#include "contracts/arm/service.hpp"

namespace acceptd::contracts::arm {

namespace {

checker::Subject subject_of(RouteKind kind) {
  switch (kind) {
    case RouteKind::resource: return checker::Subject::resource;
    case RouteKind::list:
    case RouteKind::operation_statuses: return checker::Subject::list;
    case RouteKind::action: return checker::Subject::action;
    case RouteKind::operation_status: return checker::Subject::operation_status;
    case RouteKind::operation_result: return checker::Subject::operation_result;
    default: return checker::Subject::other;
  }
}

}  // namespace

void Service::examine(const http::Request& request, const Call& call, const http::Response& response) {
  const checker::Exchange exchange{.subject = subject_of(call.route.kind),
                                   .method = request.method,
                                   .path = request.path,
                                   .asked = request.headers,
                                   .status = response.status,
                                   .headers = response.headers,
                                   .body = response.body,
                                   .as_received = false,
                                   .short_waits = options_.retry_after < kRetryAfterMin};
  const std::vector<checker::Finding> findings = observer_.check(exchange);
  for (const checker::Finding& finding : findings) {
    log_.error("arm.contract_broken", {{"request_id", model::to_string(call.request_id)},
                                       {"rule", finding.rule},
                                       {"method", http::to_string(request.method)},
                                       {"route", to_string(call.route.kind)},
                                       {"status", response.status},
                                       {"finding", finding.message}});
    if (options_.count_violation) options_.count_violation(finding.rule);
  }
  if (!findings.empty() && options_.abort_on_violation) std::abort();
}

}  // namespace acceptd::contracts::arm
