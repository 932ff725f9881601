// Every supported keyword, case by case: what JSON Schema draft 7 says of the same schema and value.

#include <gmock/gmock.h>

#include "support.hpp"

namespace acceptd::schema {
namespace {

using testing::document;
using testing::parsed;
using testing::shown;

struct Row {
  const char* schema;
  const char* value;
  const char* violation;  ///< the first one, "path|message"; "" = valid
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.value << " by " << row.schema; }

class Keywords : public ::testing::TestWithParam<Row> {};

TEST_P(Keywords, JudgeAValue) {
  const Row& row = GetParam();
  const Document loaded = document(fmt::format("{{'it': {}}}", row.schema), {.closed_objects = false});
  const auto violations = shown(validate(*loaded.definition("it"), parsed(row.value), Mode::create));
  EXPECT_EQ(violations.empty() ? "" : testing::quoted(violations[0]), testing::quoted(row.violation))
      << row.schema << " on " << row.value;
}

constexpr const char* kDigits = "{'type': 'string', 'pattern': '^[0-9]+$'}";

// Tables: one case a line.
// clang-format off
INSTANTIATE_TEST_SUITE_P(Types, Keywords, ::testing::Values(
  Row{"{}", "null", ""}, Row{"{}", "{'a': [1]}", ""}, Row{"true", "1", ""}, Row{"false", "1", "|Invalid value: 1: no value is allowed here"},
  Row{"{'type': 'null'}", "null", ""}, Row{"{'type': 'null'}", "0", "|Invalid value: 0: must be of type null"},
  Row{"{'type': 'boolean'}", "true", ""}, Row{"{'type': 'boolean'}", "'true'", "|Invalid value: 'true': must be of type boolean"},
  Row{"{'type': 'boolean'}", "0", "|Invalid value: 0: must be of type boolean"},
  Row{"{'type': 'integer'}", "1", ""}, Row{"{'type': 'integer'}", "1.0", ""}, Row{"{'type': 'integer'}", "-9223372036854775808", ""},
  Row{"{'type': 'integer'}", "18446744073709551615", ""}, Row{"{'type': 'integer'}", "1.5", "|Invalid value: 1.5E0: must be of type integer"},
  Row{"{'type': 'integer'}", "'1'", "|Invalid value: '1': must be of type integer"},
  Row{"{'type': 'integer'}", "{}", "|Invalid value: 'object': must be of type integer"},
  Row{"{'type': 'number'}", "1", ""}, Row{"{'type': 'number'}", "1.5", ""}, Row{"{'type': 'number'}", "1.0", ""},
  Row{"{'type': 'number'}", "true", "|Invalid value: true: must be of type number"},
  Row{"{'type': 'string'}", "''", ""}, Row{"{'type': 'string'}", "'a'", ""}, Row{"{'type': 'string'}", "1", "|Invalid value: 1: must be of type string"},
  Row{"{'type': 'string'}", "null", "|Invalid value: null: must be of type string"},
  Row{"{'type': 'array'}", "[]", ""}, Row{"{'type': 'array'}", "{}", "|Invalid value: 'object': must be of type array"},
  Row{"{'type': 'object'}", "{}", ""}, Row{"{'type': 'object'}", "[]", "|Invalid value: 'array': must be of type object"},
  Row{"{'type': ['string', 'null']}", "null", ""}, Row{"{'type': ['string', 'null']}", "'a'", ""},
  Row{"{'type': ['string', 'null']}", "1", "|Invalid value: 1: must be of type null or string"},
  Row{"{'type': 'string', 'nullable': true}", "null", ""}, Row{"{'type': 'string', 'x-nullable': true}", "null", ""},
  Row{"{'type': 'string', 'x-nullable': false}", "null", "|Invalid value: null: must be of type string"}));

INSTANTIATE_TEST_SUITE_P(Values, Keywords, ::testing::Values(
  Row{"{'enum': ['a', 'b']}", "'a'", ""}, Row{"{'enum': ['a', 'b']}", "'c'", "|Unsupported value: 'c': supported values: 'a', 'b'"},
  Row{"{'enum': ['a']}", "'A'", "|Unsupported value: 'A': supported values: 'a'"}, Row{"{'enum': [1]}", "1.0", ""},
  Row{"{'enum': [1]}", "true", "|Unsupported value: true: supported values: '1'"}, Row{"{'enum': [false]}", "0", "|Unsupported value: 0: supported values: 'false'"},
  Row{"{'enum': [null]}", "null", ""}, Row{"{'enum': [{'a': 1, 'b': 2}]}", "{'b': 2, 'a': 1}", ""},
  Row{"{'enum': [{'a': 1}]}", "{'a': 2}", "|Invalid value: 'object': not a supported value"},
  Row{"{'enum': [[1, 2]]}", "[2, 1]", "|Invalid value: 'array': not a supported value"},
  Row{"{'const': 2}", "2", ""}, Row{"{'const': 2}", "3", "|Unsupported value: 3: supported values: '2'"}, Row{"{'const': -2}", "-2.0", ""},
  Row{"{'const': 'a'}", "'a'", ""}, Row{"{'const': 'a'}", "1", "|Unsupported value: 1: supported values: 'a'"},
  Row{"{'enum': ['a'], 'x-ms-enum': {'name': 'E', 'modelAsString': true}}", "'b'", "|Unsupported value: 'b': supported values: 'a'"}));

INSTANTIATE_TEST_SUITE_P(Numbers, Keywords, ::testing::Values(
  Row{"{'minimum': 1.1}", "1.1", ""}, Row{"{'minimum': 1.1}", "2.6", ""}, Row{"{'minimum': 64}", "63", "|Invalid value: 63: must be greater than or equal to 64"},
  Row{"{'minimum': 1}", "'a'", ""}, Row{"{'minimum': -2}", "-2", ""}, Row{"{'minimum': -2}", "-2.0001", "|Invalid value: -2.0001E0: must be greater than or equal to -2"},
  Row{"{'minimum': 0, 'exclusiveMinimum': true}", "0", "|Invalid value: 0: must be greater than 0"},
  Row{"{'minimum': 0, 'exclusiveMinimum': true}", "1", ""}, Row{"{'exclusiveMinimum': true, 'minimum': 0}", "0", "|Invalid value: 0: must be greater than 0"},
  Row{"{'minimum': 0, 'exclusiveMinimum': false}", "0", ""}, Row{"{'exclusiveMinimum': 3}", "3", "|Invalid value: 3: must be greater than 3"},
  Row{"{'exclusiveMinimum': 3}", "4", ""}, Row{"{'exclusiveMinimum': 3.5}", "3.6", ""},
  Row{"{'maximum': 10}", "10", ""}, Row{"{'maximum': 10}", "11", "|Invalid value: 11: must be less than or equal to 10"},
  Row{"{'maximum': 10}", "10.5", "|Invalid value: 1.05E1: must be less than or equal to 10"}, Row{"{'maximum': 10}", "null", ""},
  Row{"{'maximum': 10, 'exclusiveMaximum': true}", "10", "|Invalid value: 10: must be less than 10"}, Row{"{'exclusiveMaximum': 10}", "9", ""},
  Row{"{'exclusiveMaximum': 10}", "10", "|Invalid value: 10: must be less than 10"},
  Row{"{'maximum': 9223372036854775806}", "9223372036854775807", "|Invalid value: 9223372036854775807: must be less than or equal to 9223372036854775806"},
  Row{"{'maximum': 9223372036854775807}", "18446744073709551615", "|Invalid value: 18446744073709551615: must be less than or equal to 9223372036854775807"},
  Row{"{'minimum': -9223372036854775807}", "-9223372036854775808", "|Invalid value: -9223372036854775808: must be greater than or equal to -9223372036854775807"},
  Row{"{'multipleOf': 2}", "10", ""}, Row{"{'multipleOf': 2}", "7", "|Invalid value: 7: must be a multiple of 2"}, Row{"{'multipleOf': 1.5}", "4.5", ""},
  Row{"{'multipleOf': 1.5}", "35", "|Invalid value: 35: must be a multiple of 1.5"}, Row{"{'multipleOf': 0.0001}", "0.0075", ""}, Row{"{'multipleOf': 2}", "'a'", ""}, Row{"{'multipleOf': 0.5}", "1e308", ""},
  Row{"{'format': 'int32'}", "2147483647", ""}, Row{"{'format': 'int32'}", "2147483648", "|Invalid value: 2147483648: must be a 32-bit integer"},
  Row{"{'format': 'int32'}", "-2147483649", "|Invalid value: -2147483649: must be a 32-bit integer"}, Row{"{'format': 'int64'}", "9223372036854775807", ""},
  Row{"{'format': 'int64'}", "9223372036854775808", "|Invalid value: 9223372036854775808: must be a 64-bit integer"}, Row{"{'format': 'double'}", "1.5", ""}));

INSTANTIATE_TEST_SUITE_P(Texts, Keywords, ::testing::Values(
  Row{"{'minLength': 2}", "'ab'", ""}, Row{"{'minLength': 2}", "'a'", "|Invalid value: 'a': must be at least 2 characters long"}, Row{"{'minLength': 2}", "1", ""},
  Row{"{'minLength': 1}", "''", "|Invalid value: '': must be at least 1 characters long"}, Row{"{'minLength': 2}", "'ü'", "|Invalid value: 'ü': must be at least 2 characters long"},
  Row{"{'maxLength': 2}", "'ab'", ""}, Row{"{'maxLength': 2}", "'abc'", "|Too long: may not be more than 2 bytes"}, Row{"{'maxLength': 2}", "'üü'", ""},
  Row{"{'maxLength': 2}", "'\xF0\x9F\x92\xA9\xF0\x9F\x92\xA9'", ""}, Row{"{'maxLength': 2}", "100", ""}, Row{"{'maxLength': 0}", "''", ""},
  Row{kDigits, "'012'", ""}, Row{kDigits, "'01a'", "|Invalid value: '01a': must match '^[0-9]+$'"}, Row{kDigits, "''", "|Invalid value: '': must match '^[0-9]+$'"},
  Row{"{'pattern': 'a+'}", "'xxaayy'", ""}, Row{"{'pattern': 'a+'}", "'xyz'", "|Invalid value: 'xyz': must match 'a+'"}, Row{"{'pattern': 'a'}", "true", ""},
  Row{"{'pattern': '^a$'}", "'a\\n'", "|Invalid value: 'a\\n': must match '^a$'"}));

INSTANTIATE_TEST_SUITE_P(Formats, Keywords, ::testing::Values(
  Row{"{'format': 'uuid'}", "'2eb8aa08-AA98-11ea-b4aa-73b441d16380'", ""}, Row{"{'format': 'uuid'}", "'2eb8aa08aa9811eab4aa73b441d16380'", "|Invalid value: '2eb8aa08aa9811eab4aa73b441d16380': must be a valid UUID"},
  Row{"{'format': 'uuid'}", "12", ""}, Row{"{'format': 'uuid'}", "''", "|Invalid value: '': must be a valid UUID"},
  Row{"{'format': 'date-time'}", "'1963-06-19T08:30:06.283185Z'", ""}, Row{"{'format': 'date-time'}", "'1990-12-31T15:59:50.123-08:00'", ""},
  Row{"{'format': 'date-time'}", "'1990-02-31T15:59:59.123-08:00'", "|Invalid value: '1990-02-31T15:59:59.123-08:00': must be a valid RFC 3339 date-time"},
  Row{"{'format': 'date-time'}", "'2013-350T01:01:01'", "|Invalid value: '2013-350T01:01:01': must be a valid RFC 3339 date-time"},
  Row{"{'format': 'date'}", "'1963-06-19'", ""}, Row{"{'format': 'date'}", "'2020-02-30'", "|Invalid value: '2020-02-30': must be a valid date, YYYY-MM-DD"},
  Row{"{'format': 'date'}", "'06/19/1963'", "|Invalid value: '06/19/1963': must be a valid date, YYYY-MM-DD"},
  Row{"{'format': 'uri'}", "'https://example.com:8080/a?b=c#d'", ""}, Row{"{'format': 'uri'}", "'urn:oasis:names'", ""},
  Row{"{'format': 'uri'}", "'//foo.bar/?baz'", "|Invalid value: '//foo.bar/?baz': must be a valid URI"}, Row{"{'format': 'uri'}", "'http://a b'", "|Invalid value: 'http://a b': must be a valid URI"},
  Row{"{'format': 'uri'}", "'bar,baz:foo'", "|Invalid value: 'bar,baz:foo': must be a valid URI"}, Row{"{'format': 'uri'}", "':foo'", "|Invalid value: ':foo': must be a valid URI"},
  Row{"{'format': 'arm-id'}", "'/subscriptions/s/resourceGroups/g/providers/N.S/t/n'", ""}, Row{"{'format': 'arm-id'}", "'/subscriptions/s'", ""},
  Row{"{'format': 'arm-id'}", "'/subscriptions/s/resourcegroups/g'", ""}, Row{"{'format': 'arm-id'}", "'/subscriptions//resourceGroups/g'", "|Invalid value: '/subscriptions//resourceGroups/g': must be a valid resource ID"},
  Row{"{'format': 'arm-id'}", "'name'", "|Invalid value: 'name': must be a valid resource ID"},
  Row{"{'format': 'arm-id'}", "'/subscriptions/s/providers/N.S/t'", "|Invalid value: '/subscriptions/s/providers/N.S/t': must be a valid resource ID"},
  Row{"{'format': 'ipv4'}", "'192.168.0.1'", ""}, Row{"{'format': 'ipv4'}", "'127.0.0.0.1'", "|Invalid value: '127.0.0.0.1': must be a valid IPv4 address"},
  Row{"{'format': 'ipv4'}", "'256.1.1.1'", "|Invalid value: '256.1.1.1': must be a valid IPv4 address"}, Row{"{'format': 'ipv4'}", "'127.0'", "|Invalid value: '127.0': must be a valid IPv4 address"},
  Row{"{'format': 'ipv4'}", "'087.10.0.1'", "|Invalid value: '087.10.0.1': must be a valid IPv4 address"}, Row{"{'format': 'ipv4'}", "'1.1.1.-1'", "|Invalid value: '1.1.1.-1': must be a valid IPv4 address"},
  Row{"{'format': 'cidr'}", "'10.0.0.0/16'", ""}, Row{"{'format': 'cidr'}", "'0.0.0.0/0'", ""}, Row{"{'format': 'cidr'}", "'10.0.0.0/33'", "|Invalid value: '10.0.0.0/33': must be a valid IPv4 CIDR block"},
  Row{"{'format': 'cidr'}", "'10.0.0.0'", "|Invalid value: '10.0.0.0': must be a valid IPv4 CIDR block"}, Row{"{'format': 'cidr'}", "'10.0.0.0/08'", "|Invalid value: '10.0.0.0/08': must be a valid IPv4 CIDR block"},
  Row{"{'format': 'byte'}", "'YWJj'", ""}, Row{"{'format': 'byte'}", "'YQ=='", ""}, Row{"{'format': 'byte'}", "'YQ='", "|Invalid value: 'YQ=': must be base64"},
  Row{"{'format': 'byte'}", "'Y-Jj'", "|Invalid value: 'Y-Jj': must be base64"}, Row{"{'format': 'password'}", "'x'", ""}));

INSTANTIATE_TEST_SUITE_P(Arrays, Keywords, ::testing::Values(
  Row{"{'items': {'type': 'integer'}}", "[1, 2]", ""}, Row{"{'items': {'type': 'integer'}}", "[1, 'x']", "[1]|Invalid value: 'x': must be of type integer"},
  Row{"{'items': {'type': 'integer'}}", "{'0': 'x'}", ""}, Row{"{'items': {'type': 'array', 'items': {'type': 'string'}}}", "[[], ['a', 1]]", "[1][1]|Invalid value: 1: must be of type string"},
  Row{"{'items': {'type': 'string', 'x-nullable': true}}", "[null]", ""}, Row{"{'items': false}", "[]", ""}, Row{"{'items': false}", "[1]", "[0]|Invalid value: 1: no value is allowed here"},
  Row{"{'minItems': 1}", "[1]", ""}, Row{"{'minItems': 1}", "[]", "|Too few: 0: must have at least 1 items"}, Row{"{'minItems': 1}", "''", ""},
  Row{"{'maxItems': 2}", "[1, 2]", ""}, Row{"{'maxItems': 2}", "[1, 2, 3]", "|Too many: 3: must have at most 2 items"}, Row{"{'maxItems': 2}", "'abc'", ""},
  Row{"{'uniqueItems': true}", "[1, 2]", ""}, Row{"{'uniqueItems': true}", "[1, 1]", "[1]|Duplicate value: 1"}, Row{"{'uniqueItems': true}", "[1, 1.0]", "[1]|Duplicate value: 1E0"},
  Row{"{'uniqueItems': true}", "[false, 0]", ""}, Row{"{'uniqueItems': true}", "[1, true]", ""}, Row{"{'uniqueItems': true}", "['a', 'b', 'a']", "[2]|Duplicate value: 'a'"},
  Row{"{'uniqueItems': true}", "[{'a': 1, 'b': 2}, {'b': 2, 'a': 1}]", "[1]|Duplicate value"}, Row{"{'uniqueItems': true}", "[[1], [true]]", ""},
  Row{"{'uniqueItems': true}", "[{'a': [1]}, {'a': 1}]", ""}, Row{"{'uniqueItems': false}", "[1, 1]", ""}, Row{"{'uniqueItems': true}", "['1', 1]", ""}));

INSTANTIATE_TEST_SUITE_P(Objects, Keywords, ::testing::Values(
  Row{"{'properties': {'a': {'type': 'integer'}}}", "{'a': 1}", ""}, Row{"{'properties': {'a': {'type': 'integer'}}}", "{'a': 'x'}", "a|Invalid value: 'x': must be of type integer"},
  Row{"{'properties': {'a': {'type': 'integer'}}}", "{'b': 'x'}", ""}, Row{"{'properties': {'a': {'type': 'integer'}}}", "[]", ""}, Row{"{'properties': {'a': false}}", "{'a': 1}", "a|Invalid value: 1: no value is allowed here"},
  Row{"{'properties': {'a': {'properties': {'b': {'type': 'string'}}}}}", "{'a': {'b': 1}}", "a.b|Invalid value: 1: must be of type string"},
  Row{"{'required': ['a']}", "{'a': 1}", ""}, Row{"{'required': ['a']}", "{}", "a|Required value"}, Row{"{'required': ['a']}", "[]", ""}, Row{"{'required': ['a']}", "{'a': null}", ""},
  Row{"{'required': ['a'], 'properties': {'a': {'type': 'string'}}}", "{'a': null}", "a|Required value: field cannot be null"},
  Row{"{'additionalProperties': false}", "{}", ""}, Row{"{'additionalProperties': false}", "{'a': 1}", "a|unknown field 'a'"}, Row{"{'additionalProperties': true}", "{'a': 1}", ""},
  Row{"{'properties': {'a': {}}, 'additionalProperties': false}", "{'a': 1, 'b': 2}", "b|unknown field 'b'"}, Row{"{'additionalProperties': false}", "[1]", ""},
  Row{"{'properties': {'a': {}}, 'additionalProperties': {'type': 'boolean'}}", "{'a': 1, 'b': true}", ""},
  Row{"{'additionalProperties': {'type': 'boolean'}}", "{'b': 1}", "[b]|Invalid value: 1: must be of type boolean"},
  Row{"{'additionalProperties': {'type': 'string'}}", "{'': 1}", "[]|Invalid value: 1: must be of type string"},
  Row{"{'minProperties': 1}", "{'a': 1}", ""}, Row{"{'minProperties': 1}", "{}", "|Too few: 0: must have at least 1 members"},
  Row{"{'maxProperties': 1}", "{'a': 1, 'b': 2}", "|Too many: 2: must have at most 1 members"}, Row{"{'maxProperties': 2}", "{'a': 1, 'b': 2}", ""}, Row{"{'maxProperties': 0}", "[1]", ""}));

INSTANTIATE_TEST_SUITE_P(Combinations, Keywords, ::testing::Values(
  Row{"{'allOf': [{'required': ['a']}, {'required': ['b']}]}", "{'a': 1, 'b': 2}", ""}, Row{"{'allOf': [{'required': ['a']}, {'required': ['b']}]}", "{'a': 1}", "b|Required value"},
  Row{"{'required': ['c'], 'allOf': [{'required': ['a']}]}", "{'a': 1}", "c|Required value"}, Row{"{'allOf': [{'maximum': 30}], 'minimum': 20}", "25", ""},
  Row{"{'allOf': [{'maximum': 30}], 'minimum': 20}", "35", "|Invalid value: 35: must be less than or equal to 30"}, Row{"{'allOf': [true, false]}", "1", "|Invalid value: 1: no value is allowed here"},
  Row{"{'anyOf': [{'type': 'integer'}, {'minimum': 2}]}", "1", ""}, Row{"{'anyOf': [{'type': 'integer'}, {'minimum': 2}]}", "2.5", ""},
  Row{"{'anyOf': [{'type': 'integer'}, {'minimum': 2}]}", "1.5", "|Invalid value: 1.5E0: must match at least one of the alternatives"},
  Row{"{'type': 'string', 'anyOf': [{'maxLength': 2}, {'minLength': 4}]}", "'abc'", "|Invalid value: 'abc': must match at least one of the alternatives"},
  Row{"{'anyOf': [{'required': ['a']}, {'required': ['b']}]}", "{'b': 1}", ""}, Row{"{'anyOf': [{'required': ['a']}, {'required': ['b']}]}", "{}", "|Invalid value: 'object': must match at least one of the alternatives"},
  Row{"{'oneOf': [{'type': 'integer'}, {'minimum': 2}]}", "1", ""}, Row{"{'oneOf': [{'type': 'integer'}, {'minimum': 2}]}", "3", "|Invalid value: 3: must match exactly one of the alternatives"},
  Row{"{'oneOf': [{'type': 'integer'}, {'minimum': 2}]}", "1.5", "|Invalid value: 1.5E0: must match exactly one of the alternatives"}, Row{"{'oneOf': [true, false]}", "1", ""},
  Row{"{'oneOf': [{'required': ['a', 'b']}, {'required': ['a', 'c']}]}", "{'a': 1, 'b': 2}", ""},
  Row{"{'oneOf': [{'required': ['a', 'b']}, {'required': ['a', 'c']}]}", "{'a': 1, 'b': 2, 'c': 3}", "|Invalid value: 'object': must match exactly one of the alternatives"},
  Row{"{'allOf': [{'anyOf': [{'oneOf': [{'type': 'null'}]}]}]}", "null", ""}, Row{"{'allOf': [{'anyOf': [{'oneOf': [{'type': 'null'}]}]}]}", "1", "|Invalid value: 1: must match at least one of the alternatives"}));
// clang-format on

}  // namespace
}  // namespace acceptd::schema
