#pragma once
/// `acceptctl conform`: runs the checks and prints a table by rule.

#include "arguments.hpp"
#include "outcome.hpp"
#include "session.hpp"

namespace acceptd::acceptctl {

/// `id`: of a resource that does not exist; `body`: JSON text of a PUT. Problem: a rule is broken, or nothing could be found out.
runtime::Task<Outcome<void>> check_conformance(const Arguments& arguments, std::string id, std::string body,
                                               Session::Dependencies dependencies);

}  // namespace acceptd::acceptctl
