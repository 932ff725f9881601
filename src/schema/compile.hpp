#pragma once
/// From JSON schemas to compiled ones.

#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "schema/files.hpp"
#include "schema/node.hpp"

namespace acceptd::schema {

/// Used once: want() what is needed, then finish().
class Compiler {
 public:
  Compiler(Files& files, Problems& problems, const Options& options) : files_(files), problems_(problems), options_(options) {}

  /// The schema at a place (references followed); filled in by finish(). nullptr: there is a problem.
  const Schema* want(const Place& place);
  /// Compiles everything wanted and whatever it refers to; then the derived parts.
  std::deque<Schema> finish();

 private:
  struct Pending {
    Place place;
    const json::value* text;
    Schema* schema;
  };
  using Texts = std::vector<std::string>;

  Slot slot(const Place& place);
  Access access(const Place& place, const json::object& text);
  void compile(const Pending& pending);
  bool keyword(const Place& place, std::string_view key, const json::value& value, Schema& schema);
  bool structure(const Place& place, std::string_view key, const json::value& value, Schema& schema);
  void additional(const Place& place, const json::value& value, Schema& schema);
  void types(const Place& place, const json::value& value, Schema& schema);
  void allowed(const Place& place, const json::value& value, Schema& schema);
  void number(const Place& place, const json::value& value, std::optional<Number>& bound);
  void exclusive(const Place& place, const json::value& value, std::optional<Number>& bound, const json::value* beside);
  void count(const Place& place, const json::value& value, std::optional<std::size_t>& bound);
  void pattern(const Place& place, const json::value& value, Schema& schema);
  void format(const Place& place, const json::value& value, Schema& schema);
  void required(const Place& place, const json::value& value, Schema& schema);
  void members(const Place& place, const json::value& value, Schema& schema);
  void parts(const Place& place, const json::value& value, std::vector<const Schema*>& out);
  void discriminator(const Place& place, const json::value& value, Schema& schema);

  bool acyclic(const Schema& schema);
  void adopt(const Schema& base, const Schema& subtype);
  void derive(Schema& schema);

  Files& files_;
  Problems& problems_;
  const Options& options_;
  std::deque<Schema> schemas_;
  std::map<Place, Schema*> known_;
  std::deque<Pending> pending_;
  const json::object* current_ = nullptr;            ///< the schema object being compiled
  std::map<const Schema*, std::string> kind_names_;  ///< what a discriminator calls a schema
  std::map<const Schema*, int> visits_;              ///< of acyclic() and derive(): 1 = on the way, 2 = done
};

}  // namespace acceptd::schema
