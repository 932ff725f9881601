#pragma once
/// What an API description says of the methods on its paths.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/schema.hpp"

namespace acceptd::schema {

/// A parameter in a path: "{name}". What it says of values, as far as names of things are described that way.
struct PathParameter {
  std::string name;
  std::optional<std::size_t> length_least, length_most;
  std::string pattern;               ///< "" = any
  std::vector<std::string> allowed;  ///< empty = any
};

struct Answer {
  std::string status;            ///< "200", "default"
  const Schema* body = nullptr;  ///< nullptr: none
};

/// One method on one path. Schemas live as long as the Document.
struct Operation {
  std::string path;           ///< as written in the document
  std::string method;         ///< lower case
  std::string file, pointer;  ///< where it stands; "" is the document itself
  std::vector<PathParameter> parameters;
  const Schema* body = nullptr;  ///< of the request; nullptr: none
  bool body_required = false;
  std::vector<Answer> answers;
  bool long_running = false;    ///< x-ms-long-running-operation
  std::string final_state_via;  ///< of x-ms-long-running-operation-options; "" if absent

  const Answer* answer(std::string_view status) const;
  const PathParameter* parameter(std::string_view name) const;
};

}  // namespace acceptd::schema
