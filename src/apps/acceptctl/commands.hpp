#pragma once
/// What each command does.

#include "arguments.hpp"
#include "http/client.hpp"
#include "outcome.hpp"
#include "runtime/clock.hpp"
#include "runtime/random.hpp"
#include "session.hpp"

namespace acceptd::acceptctl {

/// Carries the command out and prints its result.
runtime::Task<ExitCode> run(const Arguments& arguments, Session::Dependencies dependencies);

}  // namespace acceptd::acceptctl
