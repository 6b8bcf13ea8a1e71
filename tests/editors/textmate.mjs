// Visual Studio Code's side of tests/editors.sh: `node textmate.mjs FOLDER` checks the files of editors/vscode, and, where the
// packages vscode-textmate and vscode-oniguruma are found, what the grammar makes of syntax.mtf.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const folder = process.argv[2];
const vscode = join(folder, "editors/vscode");
const json = (path) => JSON.parse(readFileSync(join(vscode, path), "utf8"));
let wrong = 0;
const complain = (text) => { console.log(text); wrong = 1; };

const manifest = json("package.json").contributes;
for (const { path } of [...manifest.grammars, ...manifest.snippets]) json(path);
for (const { configuration } of manifest.languages) json(configuration);
const grammar = json(manifest.grammars[0].path);

const visit = (rule) => {
  for (const key of ["match", "begin", "end"]) if (rule[key]) new RegExp(rule[key]);
  if (rule.include && !(rule.include.slice(1) in grammar.repository)) complain(`no rule ${rule.include}`);
  (rule.patterns ?? []).forEach(visit);
};
visit(grammar);
Object.values(grammar.repository).forEach(visit);

const require = createRequire(join(process.env.MTF_NODE_MODULES ?? process.cwd(), "x.js"));
let textmate, oniguruma;
try {
  textmate = require("vscode-textmate");
  oniguruma = require("vscode-oniguruma");
} catch {
  process.exit(wrong);
}
await oniguruma.loadWASM(readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")));
const registry = new textmate.Registry({
  onigLib: Promise.resolve({ createOnigScanner: (sources) => new oniguruma.OnigScanner(sources), createOnigString: (text) => new oniguruma.OnigString(text) }),
  loadGrammar: async () => grammar,
});
const rules = await registry.loadGrammar("source.mtf");
const lines = readFileSync(join(folder, "tests/editors/syntax.mtf"), "utf8").split("\n");
let stack = textmate.INITIAL;
const tokens = lines.map((line) => {
  const result = rules.tokenizeLine(line, stack);
  stack = result.ruleStack;
  return result.tokens;
});
const expected = [
  [1, "## Doc", "comment.line.documentation"], [2, "# A", "comment.line.number-sign"], [3, "model", "keyword.control"],
  [3, "Net", "entity.name.function"], [4, "param", "keyword.control"], [4, "init", "support.module"], [4, "0.1", "constant.numeric"],
  [5, "fn", "keyword.control"], [5, "->", "keyword.operator.layout"], [5, "relu", "support.function.operation"],
  [7, "counters", "keyword.control"], [7, "print", "support.function"], [7, "loss", "string.quoted.double"],
  [7, "len", "support.function"], [7, "\\n", "constant.character.escape"], [7, ":.4f", "constant.other.placeholder"],
  [9, ".model", null], [8, "model}", null], [10, "#> 3", "comment.line.expectation"],
];
for (const [line, text, scope] of expected) {
  const at = lines[line - 1].indexOf(text);
  const token = tokens[line - 1].find((one) => one.startIndex <= at && at < one.endIndex);
  const scopes = token.scopes.filter((name) => name !== "source.mtf");
  if (scope === null ? scopes.length > 0 : !scopes.some((name) => name.startsWith(scope))) complain(`${line} ${text}: ${scopes}, expected ${scope}`);
}
process.exit(wrong);
