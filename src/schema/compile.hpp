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
  /// What a lenient compilation left unchecked, after finish().
  const std::vector<Problem>& notes() const { return notes_; }

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
  void mapping(const Place& place, const json::value& value, Schema& schema);
  /// Subtypes need not be referred to by anything.
  void want_all_of_file(const Place& place);

  void note(const Place& place, std::string reason);
  /// A problem, or a note if lenient.
  void unsupported(const Place& place, std::string reason);
  void make_sense(Schema& schema);
  void ignore_bad_defaults(const Schema& owner, std::map<std::string, Slot, std::less<>>& slots);
  void find_endless();
  void fill(Schema& schema, int depth);
  /// How many schemas apply to one value by allOf, anyOf and oneOf, itself included; nullopt, and a problem: too many.
  std::optional<std::size_t> parts_of(const Schema& schema, int depth);
  void adopt(const Schema& base, const Schema& subtype);
  void derive(Schema& schema);
  static void shadow(Schema& schema, const Schema& part);

  Files& files_;
  Problems& problems_;
  const Options& options_;
  std::deque<Schema> schemas_;
  std::map<Place, Schema*> known_;
  std::deque<Pending> pending_;
  const json::object* current_ = nullptr;              ///< the schema object being compiled
  std::map<const Schema*, std::string> kind_names_;    ///< what a discriminator calls a schema
  std::map<const Schema*, std::string> mapped_names_;  ///< the same, from a mapping: wins
  std::set<std::string> wanted_files_;
  std::vector<Problem> notes_;
  std::map<const Schema*, std::size_t> parts_;
  std::map<const Schema*, int> visits_;  ///< of derive() and fill(): 2 = begun
};

}  // namespace acceptd::schema
