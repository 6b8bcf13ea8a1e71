// process.mjs MTF: the extension as Code on a desktop runs it, with `mtf lsp` as its child, and a stand-in for Code.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import Module from "node:module";

const mtf = process.argv[2];
const TEXT = "dim n = 4  # é 𝄞\nseed 1\nlet weights = random.normal([n])\nlet y = sum(weigths)\n";

const nothing = () => ({ dispose() {} });
const providers = {}, handlers = {}, commands = {}, problems = [];
const record = (kind, values) => class {
  constructor(...given) { values.forEach((name, i) => (this[name] = given[i])); this.of = kind; }
};
const document = { languageId: "mtf", version: 1, uri: { toString: () => "file:///tmp/a.mtf" }, getText: () => TEXT };
const settings = { "mtf.server.path": mtf, "mtf.server.socket": "", "mtf.mesh": "p:2", "mtf.layout": "n:p", "mtf.set": {} };
const code = {
  Position: record("position", ["line", "character"]), Range: record("range", ["start", "end"]),
  Diagnostic: record("diagnostic", ["range", "message", "severity"]), InlayHint: record("hint", ["position", "label", "kind"]),
  CodeLens: record("lens", ["range", "command"]), SemanticTokensLegend: record("legend", ["types", "modifiers"]),
  EventEmitter: class { fire() {} dispose() {} }, StatusBarAlignment: { Right: 2 },
  Uri: { parse: (text) => text },
  commands: { registerCommand: (name, run) => (commands[name] = run, nothing()) },
  languages: new Proxy({ createDiagnosticCollection: () => ({ set: (_, list) => problems.push(list), clear() {}, dispose() {} }) }, {
    get: (own, name) => own[name] ?? ((_, provider) => (providers[name] = provider, nothing())),
  }),
  workspace: new Proxy({
    textDocuments: [document],
    getConfiguration: (section) => ({ get: (name) => settings[`${section}.${name}`] }),
  }, { get: (own, name) => own[name] ?? ((take) => (handlers[name] = take, nothing())) }),
  window: new Proxy({
    activeTextEditor: { document },
    createOutputChannel: () => ({ appendLine: (line) => console.error(line), dispose() {} }),
    createStatusBarItem: () => ({ show() {}, hide() {}, dispose() {} }),
    showErrorMessage: (text) => { throw new Error(text); },
  }, { get: (own, name) => own[name] ?? nothing }),
};
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? code : load(name, ...rest));

const until = async (found, what) => {
  for (let tries = 0; tries < 1200; ++tries) {
    const value = await found();
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`no ${what}`);
};

const extension = createRequire(import.meta.url)("../../../editors/vscode/extension.js");
await extension.activate({ subscriptions: [], workspaceState: { get: () => undefined, update: async () => {} } });
const [wrong] = await until(() => problems.at(-1), "problem");
assert.deepEqual([wrong.code, wrong.range.start.line, wrong.range.start.character, wrong.severity], ["unknown_name", 3, 12, 0]);
handlers.onDidChangeTextDocument({
  document: Object.assign(document, { version: 2 }),
  contentChanges: [{ range: new code.Range(new code.Position(3, 12), new code.Position(3, 19)), text: "weights" }],
});
await until(() => problems.at(-1).length === 0, "right script");
const all = new code.Range(new code.Position(0, 0), new code.Position(9, 0));
const hints = await until(async () => {
  const found = await providers.registerInlayHintsProvider.provideInlayHints(document, all);
  return found?.some((hint) => hint.label.includes("f32[n=4/p]")) && found;
}, "hint under the settings' mesh and layout");
assert.ok(hints.every((hint) => hint.tooltip === hint.label));
await extension.deactivate();
console.log("passed: the extension starts and ends mtf lsp");
