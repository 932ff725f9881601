#pragma once
/// A configuration file: one YAML document, read through a Section, all that is wrong reported at once.

#include <functional>
#include <string>

#include "runtime/config/section.hpp"

namespace acceptd::config {

inline constexpr std::size_t kMaxFileBytes = std::size_t{4} << 20;

/// Lets `read` take what it knows from the document. What is wrong, in order of place; empty = the reader's result is good.
Problems read_text(const std::string& text, const std::function<void(Section)>& read);
/// The same for a file; one that cannot be read is a problem.
Problems read_file(const std::string& path, const std::function<void(Section)>& read);
/// The text of a file of at most `bytes_max`; nullopt, and a reason, if there is none to be had.
std::optional<std::string> file_text(const std::string& path, std::size_t bytes_max, std::string& reason);

}  // namespace acceptd::config
