// The rules that Azure's validator has for resource providers, run on OpenAPI documents: lint.mjs FILE... prints what is found
// wrong as JSON [{file, rule, path, message}]. Warnings and rules that Azure itself only tries out are left out.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import spectral from '@stoplight/spectral-core';
import parsers from '@stoplight/spectral-parsers';

const arm = createRequire(import.meta.url)('@microsoft.azure/openapi-validator-rulesets/dist/spectral/az-arm.js').default;
const ERROR = 0;
// What Spectral knows of a rule. Azure's own tool takes the rest away as well before it hands the rules over.
const KNOWN = new Set(['description', 'message', 'severity', 'given', 'then', 'formats', 'resolved', 'documentationUrl', 'type', 'recommended']);

const plain = rules => Object.fromEntries(Object.entries(rules).filter(([, rule]) => !rule.stagingOnly)
  .map(([name, rule]) => [name, Object.fromEntries(Object.entries(rule).filter(([member]) => KNOWN.has(member)))]));

const linter = new spectral.Spectral();
linter.setRuleset({...arm, extends: [arm.extends].flat().map(base => ({...base, rules: plain(base.rules)})), rules: plain(arm.rules)});
const found = [];
for (const file of process.argv.slice(2)) {
  const results = await linter.run(new spectral.Document(readFileSync(file, 'utf8'), parsers.Json, file));
  found.push(...results.filter(result => result.severity === ERROR)
    .map(result => ({file, rule: String(result.code), path: result.path.join('.'), message: result.message})));
}
console.log(JSON.stringify({rules: Object.keys(linter.ruleset.rules), found}));
