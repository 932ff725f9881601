#include "apps/acceptctl/conform/conform.hpp"

#include "apps/acceptctl/conform/provider.hpp"

namespace acceptd::acceptctl::conform {

runtime::Task<void> conform(const Options& options, Report& report, Conversation::Dependencies dependencies) {
  Provider provider(options, report, dependencies);
  co_await check_missing(provider);
  const bool made = co_await check_creation(provider);
  if (!made) co_return;
  co_await check_conditions(provider);
  co_await check_change(provider);
  co_await check_removal(provider);
}

}  // namespace acceptd::acceptctl::conform
