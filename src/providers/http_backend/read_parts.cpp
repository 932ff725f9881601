#include "providers/http_backend/read_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "model/resource_id.hpp"

namespace acceptd::providers::http_backend {

namespace {

using config::Section;

constexpr unsigned kStatusMin = 200, kStatusMax = 599;
constexpr std::array<std::string_view, kVerdicts> kVerdictWords{"accepted", "done",    "rejected",   "exists",
                                                                "gone",     "unknown", "unavailable"};

/// These describe the message or the connection: the client writes them itself.
constexpr std::array<std::string_view, 8> kReservedHeaders{
    "host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer", "expect"};

struct Range {
  unsigned first, last;
};

/// "404", "400-499" or "4xx".
std::optional<Range> parse_range(std::string_view text) {
  if (text.size() == 3 && text.ends_with("xx") && text[0] >= '2' && text[0] <= '5') {
    const unsigned first = static_cast<unsigned>(text[0] - '0') * 100;
    return Range{first, first + 99};
  }
  const auto number = [](std::string_view digits) -> std::optional<unsigned> {
    unsigned value = 0;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (failed != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return value;
  };
  const std::size_t dash = std::min(text.find('-'), text.size());
  const auto first = number(text.substr(0, dash));
  const auto last = dash == text.size() ? first : number(text.substr(dash + 1));
  if (!first || !last || *first < kStatusMin || *last > kStatusMax || *first > *last) return std::nullopt;
  return Range{*first, *last};
}

/// What a status means where the configuration says nothing. Cautious: what may have been carried out is unknown.
Verdicts default_verdicts(Kind kind, const Reading& reading, bool has_status) {
  Verdicts verdicts;
  const auto put = [&](unsigned first, unsigned last, Verdict verdict) {
    for (unsigned status = first; status <= last; ++status) verdicts[status] = verdict;
  };
  put(200, 299, has_status ? Verdict::accepted : Verdict::done);
  if (kind == Kind::remove || kind == Kind::cancel) verdicts[204] = Verdict::done;
  put(300, 399, Verdict::unknown);  // not followed; a POST may well be answered so after it was carried out
  put(400, 499, Verdict::rejected);
  for (const unsigned status : {401u, 403u, 407u, 425u, 429u}) verdicts[status] = Verdict::unavailable;
  verdicts[408] = Verdict::unknown;
  if (kind != Kind::create) verdicts[404] = verdicts[410] = Verdict::gone;
  if (kind == Kind::create && reading.has_probe) verdicts[409] = Verdict::exists;
  put(500, 599, Verdict::unknown);
  return verdicts;
}

void read_verdicts(Section section, Verdicts& verdicts) {
  std::map<unsigned, std::size_t> said;
  for (std::size_t word = 0; word < kVerdicts; ++word) {
    const std::string key(kVerdictWords[word]);
    std::vector<std::string> texts;
    section.texts(key, texts);
    for (const std::string& text : texts) {
      const auto range = parse_range(text);
      if (!range) {
        section.complain(key, fmt::format("expected statuses such as 202, 400-499 or 5xx, got \"{}\"", text));
        continue;
      }
      for (unsigned status = range->first; status <= range->last; ++status) {
        const auto [before, added] = said.try_emplace(status, word);
        if (!added && before->second != word) {
          section.complain(key, fmt::format("{} is in {} already", status, kVerdictWords[before->second]));
          break;
        }
        verdicts[status] = static_cast<Verdict>(word);
      }
    }
  }
  section.finish();
}

http::Method read_method(Section& section, Kind kind) {
  constexpr std::array kMethods{http::Method::post, http::Method::put, http::Method::patch, http::Method::remove};
  static const std::vector<std::string_view> kWords{"POST", "PUT", "PATCH", "DELETE"};
  if (const auto chosen = section.choice("method", kWords)) return kMethods[*chosen];
  return kind == Kind::remove ? http::Method::remove : kind == Kind::update ? http::Method::put : http::Method::post;
}

void read_internal_id(Section& section, Kind kind, Verb& verb) {
  std::string id;
  section.text("internal_id", id);
  if (id.empty()) {
    if (kind == Kind::create && !verb.fields.internal_id)
      section.complain("",
                       "say where the answer has the object's id: answer.internal_id, or internal_id with what it is made of");
    return;
  }
  auto text = Text::compile(id);
  if (!text) return section.complain("internal_id", std::move(text.error()));
  if (text->uses({Name::internal_id, Name::callback})) return section.complain("internal_id", "cannot be made of itself");
  verb.internal_id = std::move(*text);
}

void check_verb(Section& section, Kind kind, const Verb& verb, const Reading& reading) {
  const auto has = [&](Verdict verdict) {
    return std::ranges::any_of(verb.verdicts, [&](const auto& entry) { return entry.second == verdict; });
  };
  if (kind == Kind::create && verb.url.uses({Name::internal_id}))
    section.complain("url", "{internalId} is not known before the object is made");
  if (kind != Kind::cancel && has(Verdict::accepted) && !verb.status && !reading.has_status)
    section.complain("answers", "an accepted request is watched by its status: give status, or put the statuses under done");
  if (has(Verdict::exists) && (kind != Kind::create || !reading.has_probe))
    section.complain("answers", "exists means that the object is looked for: it is for create, and needs probe");
}

}  // namespace

bool is_header_name(std::string_view text) {
  const auto token = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  };
  return !text.empty() && std::ranges::all_of(text, token) &&
         std::ranges::find(kReservedHeaders, model::to_lower(text)) == kReservedHeaders.end();
}

std::optional<Pointer> read_pointer(Section& section, const std::string& key) {
  std::string text;
  section.text(key, text);
  if (text.empty()) return std::nullopt;
  auto pointer = Pointer::compile(text);
  if (pointer) return std::move(*pointer);
  section.complain(key, std::move(pointer.error()));
  return std::nullopt;
}

std::optional<Pointer> read_required_pointer(Section& section, const std::string& key) {
  std::string text;
  section.required_text(key, text);
  return text.empty() ? std::nullopt : read_pointer(section, key);
}

Text read_url(Section& section, const std::string& key, const Reading& reading) {
  std::string text;
  section.required_text(key, text);
  if (text.empty()) return {};
  auto url = Text::compile_url(text);
  if (!url) {
    section.complain(key, std::move(url.error()));
    return {};
  }
  if (url->uses({Name::callback}) && !reading.has_callback) section.complain(key, "{callback} needs push.url");
  return std::move(*url);
}

std::optional<Json> read_json(Section& section, const std::string& key, Json::Over over, const Reading& reading) {
  auto value = section.json(key);
  if (!value) return std::nullopt;
  auto compiled = Json::compile(std::move(*value), over);
  if (!compiled) {
    section.complain(key, std::move(compiled.error()));
    return std::nullopt;
  }
  if (compiled->uses({Name::callback}) && !reading.has_callback) section.complain(key, "{callback} needs push.url");
  return std::move(*compiled);
}

HeaderTexts read_headers(Section& section, const Reading& reading) {
  HeaderTexts headers;
  auto given = section.optional_child("headers");
  if (!given) return headers;
  for (const std::string& name : given->keys()) {
    std::string value;
    given->text(name, value);
    auto text = Text::compile(value);
    if (!is_header_name(name)) given->complain(name, "is not the name of a header field that can be chosen");
    const bool plain = std::ranges::all_of(value, [](char c) { return c >= ' ' && c < 0x7f; });
    if (!text || !plain)
      given->complain(name, text ? "expected visible ASCII characters" : std::move(text.error()));
    else if (text->uses({Name::callback}) && !reading.has_callback)
      given->complain(name, "{callback} needs push.url");
    else
      headers.emplace_back(name, std::move(*text));
  }
  given->finish();
  return headers;
}

Fields read_fields(Section& section, const Fields& otherwise) {
  Fields fields = otherwise;
  auto answer = section.optional_child("answer");
  if (!answer) return fields;
  const auto take = [&](Section& from, const char* key, std::optional<Pointer>& pointer) {
    if (auto read = read_pointer(from, key)) pointer = std::move(read);
  };
  take(*answer, "internal_id", fields.internal_id);
  take(*answer, "state", fields.state);
  take(*answer, "percent", fields.percent);
  take(*answer, "step", fields.step);
  take(*answer, "message", fields.message);
  take(*answer, "result", fields.result);
  if (auto observed = read_json(*answer, "observed", Json::Over::answer, {})) fields.observed = std::move(observed);
  if (auto error = answer->optional_child("error")) {
    take(*error, "code", fields.error_code);
    take(*error, "message", fields.error_message);
    error->finish();
  }
  answer->finish();
  return fields;
}

StatusCall read_status(Section section, const Fields& otherwise, const Reading& reading) {
  StatusCall status;
  status.url = read_url(section, "url", reading);
  status.headers = read_headers(section, reading);
  status.fields = read_fields(section, otherwise);
  section.finish();
  return status;
}

Verb read_verb(Section section, Kind kind, const Fields& otherwise, const Reading& reading) {
  Verb verb;
  verb.method = read_method(section, kind);
  verb.url = read_url(section, "url", reading);
  verb.headers = read_headers(section, reading);
  verb.body = read_json(section, "body", Json::Over::target, reading);
  verb.fields = read_fields(section, otherwise);
  if (kind != Kind::cancel)
    if (auto status = section.optional_child("status")) verb.status = read_status(std::move(*status), verb.fields, reading);
  verb.verdicts = default_verdicts(kind, reading, verb.status || reading.has_status);
  read_verdicts(section.child("answers"), verb.verdicts);
  if (kind == Kind::create || kind == Kind::action) read_internal_id(section, kind, verb);
  check_verb(section, kind, verb, reading);
  section.finish();
  return verb;
}

}  // namespace acceptd::providers::http_backend
