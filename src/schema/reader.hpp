#pragma once
/// Reads the operations of a description and asks the compiler for the schemas of their bodies.

#include <vector>

#include "schema/compile.hpp"
#include "schema/operations.hpp"

namespace acceptd::schema {

/// In the order of the document. What is malformed is a problem.
std::vector<Operation> read_operations(Files& files, Compiler& compiler, Problems& problems);

}  // namespace acceptd::schema
