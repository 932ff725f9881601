#include "contracts/arm/arm.hpp"

#include "contracts/arm/service.hpp"

namespace acceptd::contracts::arm {

Doors make_doors(Options options, Dependencies dependencies) {
  const auto service = std::make_shared<Service>(std::move(options), dependencies);
  return Doors{
      .handle = [service](http::Request request) { return service->handle(std::move(request)); },
      .refuse = [service](http::Refused refused, std::string_view reason) { return service->refuse(refused, reason); },
  };
}

}  // namespace acceptd::contracts::arm
