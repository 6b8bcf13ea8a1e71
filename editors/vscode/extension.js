// The client of `mtf lsp`: one file, without any package, for Code on a desktop and for Code in a browser.
//
//   Code ── providers ──► Connection ── JSON-RPC ──► `mtf lsp`, a process of this machine
//                              └───── a web socket ─► `mtf lsp` elsewhere (the setting mtf.server.socket)
//
// What each provider does is a question of the protocol, and a conversion of the answer into the classes of Code.
"use strict";
const vscode = require("vscode");

const LANGUAGE = "mtf";

// ---- the two ways to a server --------------------------------------------------------------------------------------

/** Starts `command lsp`. Messages have headers with their length there. */
function processChannel(command, take, ended) {
  const child = require("child_process").spawn(command, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
  let read = Buffer.alloc(0);
  child.stdout.on("data", (bytes) => {
    read = Buffer.concat([read, bytes]);
    for (;;) {
      const end = read.indexOf("\r\n\r\n");
      const length = end < 0 ? null : /content-length: *(\d+)/i.exec(read.toString("latin1", 0, end));
      if (!length || read.length < end + 4 + Number(length[1])) return;
      const text = read.toString("utf8", end + 4, end + 4 + Number(length[1]));
      read = read.subarray(end + 4 + Number(length[1]));
      take(JSON.parse(text));
    }
  });
  child.stdin.on("error", () => {}); // the end of the process says it
  child.on("error", (error) => ended(`${command}: ${error.message}`));
  child.on("exit", (code) => ended(`${command} lsp ended with ${code}`));
  return {
    send(message) {
      const text = Buffer.from(JSON.stringify(message));
      child.stdin.write(`Content-Length: ${text.length}\r\n\r\n`);
      child.stdin.write(text);
    },
    close: () => child.stdin.end(),
  };
}

/** Opens a web socket, on which each frame is a message. */
function socketChannel(url, take, ended) {
  const socket = new WebSocket(url);
  const waiting = [];
  socket.onopen = () => waiting.splice(0).forEach((text) => socket.send(text));
  socket.onmessage = (event) => take(JSON.parse(event.data));
  socket.onclose = () => ended(`${url} is closed`);
  return {
    send(message) {
      const text = JSON.stringify(message);
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
      else waiting.push(text);
    },
    close: () => socket.close(),
  };
}

/** Questions to a server and their answers. */
class Connection {
  constructor(open, handle, ended) {
    this.asked = new Map();
    this.count = 0;
    const end = (why) => {
      for (const { reject } of this.asked.values()) reject(new Error(why));
      this.asked.clear();
      this.ended = true;
      ended(why);
    };
    this.channel = open((message) => this.take(message, handle), end);
  }

  take(message, handle) {
    if (message.method) {
      handle(message.method, message.params ?? {});
      if (message.id !== undefined) this.send({ id: message.id, result: null });
      return;
    }
    const question = this.asked.get(message.id);
    this.asked.delete(message.id);
    if (message.error) question?.reject(new Error(message.error.message));
    else question?.resolve(message.result);
  }

  send(message) {
    if (!this.ended) this.channel.send({ jsonrpc: "2.0", ...message });
  }

  ask(method, params) {
    if (this.ended) return Promise.reject(new Error("mtf lsp does not run"));
    const id = ++this.count;
    return new Promise((resolve, reject) => {
      this.asked.set(id, { resolve, reject });
      this.send({ id, method, params });
    });
  }

  async close() {
    if (this.ended) return;
    await Promise.race([this.ask("shutdown", {}), new Promise((resolve) => setTimeout(resolve, 1000))]).catch(() => {});
    this.send({ method: "exit" });
    this.channel.close();
  }
}

// ---- answers of the protocol as what Code shows --------------------------------------------------------------------

const positionOf = (json) => new vscode.Position(json.line, json.character);
const rangeOf = (json) => new vscode.Range(positionOf(json.start), positionOf(json.end));
const locationOf = (json) => new vscode.Location(vscode.Uri.parse(json.uri), rangeOf(json.range));
const jsonOf = (range) => ({ start: range.start, end: range.end }); // a Range's own JSON is a pair
const markdown = (text) => new vscode.MarkdownString(text);
const textEditOf = (json) => vscode.TextEdit.replace(rangeOf(json.range), json.newText);

function workspaceEditOf(json) {
  const edit = new vscode.WorkspaceEdit();
  for (const [uri, edits] of Object.entries(json.changes)) edit.set(vscode.Uri.parse(uri), edits.map(textEditOf));
  return edit;
}

function diagnosticOf(json) {
  // The protocol counts severities from 1, Code from 0.
  const diagnostic = new vscode.Diagnostic(rangeOf(json.range), json.message, json.severity - 1);
  diagnostic.source = json.source;
  diagnostic.code = json.code;
  diagnostic.relatedInformation = (json.relatedInformation ?? []).map(
    (each) => new vscode.DiagnosticRelatedInformation(locationOf(each.location), each.message));
  return diagnostic;
}

// Kinds of symbols and of completions count from 1 in the protocol, and from 0 in Code.
function symbolOf(json) {
  const symbol = new vscode.DocumentSymbol(json.name, "", json.kind - 1, rangeOf(json.range), rangeOf(json.selectionRange));
  symbol.children = (json.children ?? []).map(symbolOf);
  return symbol;
}

function completionOf(json) {
  const item = new vscode.CompletionItem(json.label, json.kind - 1);
  item.detail = json.detail;
  if (json.documentation) item.documentation = markdown(json.documentation);
  item.range = rangeOf(json.textEdit.range);
  item.insertText = json.textEdit.newText;
  return item;
}

function signaturesOf(json) {
  const help = new vscode.SignatureHelp();
  help.signatures = json.signatures.map(({ label, documentation, parameters }) => {
    const signature = new vscode.SignatureInformation(label, documentation && markdown(documentation));
    signature.parameters = parameters.map((each) => new vscode.ParameterInformation(each.label));
    return signature;
  });
  help.activeSignature = json.activeSignature;
  help.activeParameter = json.activeParameter;
  return help;
}

const selectionOf = (json) => new vscode.SelectionRange(rangeOf(json.range), json.parent && selectionOf(json.parent));

function callItemOf(json) {
  const item = new vscode.CallHierarchyItem(json.kind - 1, json.name, "", vscode.Uri.parse(json.uri), rangeOf(json.range), rangeOf(json.selectionRange));
  item.json = json; // with which the server is asked again
  return item;
}

/** Another mesh or layout, which is chosen as by the command mtf.chooseMesh. */
function choiceOf(json) {
  const action = new vscode.CodeAction(json.title, vscode.CodeActionKind.Refactor);
  action.command = { title: json.title, command: "mtf.chooseMesh", arguments: [{ ...client.assumed(), ...json.command.arguments[0] }] };
  return action;
}

function hintOf(json) {
  const hint = new vscode.InlayHint(positionOf(json.position), json.label, json.kind);
  hint.paddingLeft = json.paddingLeft;
  hint.tooltip = json.label; // Code cuts what is long
  return hint;
}

function lensOf(json) {
  // A click on what a statement costs opens the report, which says where.
  return new vscode.CodeLens(rangeOf(json.range), {
    title: json.command.title, command: json.command.command || "mtf.openReport",
  });
}

// ---- the client ----------------------------------------------------------------------------------------------------

class Client {
  constructor(context) {
    this.context = context;
    this.diagnostics = vscode.languages.createDiagnosticCollection(LANGUAGE);
    this.log = vscode.window.createOutputChannel("mtf");
    this.status = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Right, 100);
    this.status.command = "mtf.chooseMesh";
    this.status.tooltip = "The mesh and the layout of hints, lenses and problems";
    this.hintsChanged = new vscode.EventEmitter();
    this.lensesChanged = new vscode.EventEmitter();
    this.reports = new Map(); // by URI
    this.providers = [];
    context.subscriptions.push(this.diagnostics, this.log, this.status, this.hintsChanged, this.lensesChanged);
  }

  // What the server assumes of every document: what was chosen in this window, or the settings.
  assumed() {
    const settings = vscode.workspace.getConfiguration(LANGUAGE);
    const chosen = this.context.workspaceState.get("assumed") ?? {
      mesh: settings.get("mesh") || null, layout: settings.get("layout") || null,
    };
    return { ...chosen, set: settings.get("set") ?? {} };
  }

  showAssumed() {
    const { mesh, layout } = this.assumed();
    this.status.text = "$(layout) " + ([mesh, layout].filter(Boolean).join(" · ") || "the script's mesh and layout");
    const shown = vscode.window.activeTextEditor?.document.languageId === LANGUAGE;
    if (shown) this.status.show();
    else this.status.hide();
  }

  async start() {
    const settings = vscode.workspace.getConfiguration("mtf.server");
    const socket = settings.get("socket");
    const onEnd = (why) => {
      this.diagnostics.clear();
      if (this.stopping) return;
      this.log.appendLine(why);
      vscode.window.showErrorMessage(`mtf: ${why}. Is mtf installed? See the setting mtf.server.path.`);
    };
    this.stopping = false;
    this.connection = new Connection((take, ended) => (socket ? socketChannel(socket, take, ended)
      : processChannel(settings.get("path") || "mtf", take, ended)), (method, params) => this.heed(method, params), onEnd);
    const refreshed = { refreshSupport: true };
    let initialized;
    try {
      initialized = await this.connection.ask("initialize", {
        processId: null, rootUri: null, initializationOptions: this.assumed(),
        capabilities: { workspace: { inlayHint: refreshed, codeLens: refreshed } },
      });
    } catch (error) {
      this.log.appendLine(String(error));
      return;
    }
    this.connection.send({ method: "initialized", params: {} });
    for (const document of vscode.workspace.textDocuments) this.opened(document);
    if (this.providers.length === 0) this.register(initialized.capabilities);
    this.showAssumed();
  }

  async stop() {
    this.stopping = true;
    await this.connection?.close();
  }

  /** Takes what the server says without being asked. */
  heed(method, params) {
    if (method === "textDocument/publishDiagnostics")
      this.diagnostics.set(vscode.Uri.parse(params.uri), params.diagnostics.map(diagnosticOf));
    else if (method === "workspace/inlayHint/refresh") this.hintsChanged.fire();
    else if (method === "workspace/codeLens/refresh") this.lensesChanged.fire();
    else if (method === "window/logMessage") this.log.appendLine(params.message);
  }

  // ---- documents

  tell(method, params) {
    this.connection?.send({ method, params });
  }
  opened(document) {
    if (document.languageId !== LANGUAGE) return;
    this.tell("textDocument/didOpen", {
      textDocument: {
        uri: document.uri.toString(), languageId: LANGUAGE, version: document.version, text: document.getText(),
      },
    });
  }
  changed({ document, contentChanges }) {
    if (document.languageId !== LANGUAGE || contentChanges.length === 0) return;
    this.tell("textDocument/didChange", {
      textDocument: { uri: document.uri.toString(), version: document.version },
      contentChanges: contentChanges.map(({ range, text }) => ({ range: jsonOf(range), text })),
    });
  }
  closed(document) {
    if (document.languageId === LANGUAGE)
      this.tell("textDocument/didClose", { textDocument: { uri: document.uri.toString() } });
  }

  // ---- questions

  /** The answer of the server as `convert` makes it; nothing if there is none, or it is not wanted any more. */
  async ask(question, document, params, convert, token) {
    const answer = await this.connection.ask("textDocument/" + question,
      { textDocument: { uri: document.uri.toString() }, ...params });
    if (answer === null || answer === undefined || token?.isCancellationRequested) return undefined;
    return convert(answer);
  }

  register(capabilities) {
    const { languages } = vscode;
    const all = (convert) => (list) => list.map(convert);
    const at = (question, convert) => (document, position, token) =>
      this.ask(question, document, { position }, convert, token);
    const of = (question, convert) => (document, token) => this.ask(question, document, {}, convert, token);
    const legend = capabilities.semanticTokensProvider.legend;
    this.providers = [
      languages.registerHoverProvider(LANGUAGE, {
        provideHover: at("hover", (json) => new vscode.Hover(markdown(json.contents.value), json.range ? rangeOf(json.range) : undefined)),
      }),
      languages.registerDefinitionProvider(LANGUAGE, { provideDefinition: at("definition", locationOf) }),
      languages.registerReferenceProvider(LANGUAGE, {
        provideReferences: (document, position, context, token) =>
          this.ask("references", document, { position, context }, all(locationOf), token),
      }),
      languages.registerDocumentHighlightProvider(LANGUAGE, {
        provideDocumentHighlights: at("documentHighlight", all((json) => new vscode.DocumentHighlight(rangeOf(json.range)))),
      }),
      languages.registerDocumentSymbolProvider(LANGUAGE, { provideDocumentSymbols: of("documentSymbol", all(symbolOf)) }),
      languages.registerFoldingRangeProvider(LANGUAGE, {
        provideFoldingRanges: (document, _, token) => this.ask("foldingRange", document, {},
          all((json) => new vscode.FoldingRange(json.startLine, json.endLine)), token),
      }),
      languages.registerSelectionRangeProvider(LANGUAGE, {
        provideSelectionRanges: (document, positions, token) => this.ask("selectionRange", document, { positions }, all(selectionOf), token),
      }),
      languages.registerCallHierarchyProvider(LANGUAGE, {
        prepareCallHierarchy: at("prepareCallHierarchy", all(callItemOf)),
        provideCallHierarchyIncomingCalls: (item) => this.calls("incomingCalls", item, ({ from, fromRanges }) =>
          new vscode.CallHierarchyIncomingCall(callItemOf(from), fromRanges.map(rangeOf))),
        provideCallHierarchyOutgoingCalls: (item) => this.calls("outgoingCalls", item, ({ to, fromRanges }) =>
          new vscode.CallHierarchyOutgoingCall(callItemOf(to), fromRanges.map(rangeOf))),
      }),
      languages.registerSignatureHelpProvider(LANGUAGE, { provideSignatureHelp: at("signatureHelp", signaturesOf) },
        ...capabilities.signatureHelpProvider.triggerCharacters),
      languages.registerDocumentFormattingEditProvider(LANGUAGE, {
        provideDocumentFormattingEdits: (document, options, token) =>
          this.ask("formatting", document, { options }, all(textEditOf), token),
      }),
      languages.registerInlayHintsProvider(LANGUAGE, {
        onDidChangeInlayHints: this.hintsChanged.event,
        provideInlayHints: (document, range, token) => this.ask("inlayHint", document, { range: jsonOf(range) }, all(hintOf), token),
      }),
      languages.registerCodeLensProvider(LANGUAGE, {
        onDidChangeCodeLenses: this.lensesChanged.event,
        provideCodeLenses: of("codeLens", all(lensOf)),
      }),
      languages.registerCodeActionsProvider(LANGUAGE, {
        provideCodeActions: (document, range, context, token) => this.actions(document, range, context, token),
      }),
      languages.registerRenameProvider(LANGUAGE, {
        prepareRename: at("prepareRename", rangeOf),
        provideRenameEdits: (document, position, newName, token) =>
          this.ask("rename", document, { position, newName }, workspaceEditOf, token),
      }),
      languages.registerCompletionItemProvider(LANGUAGE, { provideCompletionItems: at("completion", all(completionOf)) },
        ...capabilities.completionProvider.triggerCharacters),
      languages.registerDocumentSemanticTokensProvider(LANGUAGE, {
        provideDocumentSemanticTokens: of("semanticTokens/full", (json) => new vscode.SemanticTokens(new Uint32Array(json.data))),
      }, new vscode.SemanticTokensLegend(legend.tokenTypes, legend.tokenModifiers)),
    ];
    this.context.subscriptions.push(...this.providers);
  }

  async calls(question, item, convert) {
    return (await this.connection.ask("callHierarchy/" + question, { item: item.json })).map(convert);
  }

  async actions(document, range, context, token) {
    const fixes = await this.ask("codeAction", document, { range: jsonOf(range), context: { diagnostics: [] } }, (list) => list.map((json) => {
      if (json.command) return choiceOf(json);
      const action = new vscode.CodeAction(json.title, vscode.CodeActionKind.QuickFix);
      action.edit = workspaceEditOf(json.edit);
      action.diagnostics = context.diagnostics.filter((each) => each.source === "mtf" && each.range.intersection(range));
      action.isPreferred = action.diagnostics.length > 0;
      return action;
    }), token) ?? [];
    // Code asks for quick fixes alone where it draws a light bulb.
    if (context.only && !vscode.CodeActionKind.Refactor.contains(context.only)) return fixes.filter((each) => each.edit);
    return [...fixes, ...[["Choose the mesh and the layout of hints…", "mtf.chooseMesh"], ["Open the report of costs", "mtf.openReport"]]
      .map(([title, command]) => {
        const action = new vscode.CodeAction(title, vscode.CodeActionKind.Refactor);
        action.command = { title, command };
        return action;
      })];
  }

  // ---- commands

  /**
   * Asks for a mesh and a layout, and assumes them; the file stays as it is. A key may be bound to one choice: `args` is
   * {"mesh": "rows:4", "layout": "batch:rows"} then, and null is the script's own.
   */
  async chooseMesh(args) {
    const chosen = args ? { mesh: args.mesh ?? null, layout: args.layout ?? null } : await this.askForMesh();
    if (!chosen) return;
    try {
      const set = vscode.workspace.getConfiguration(LANGUAGE).get("set") ?? {};
      await this.connection.ask("workspace/executeCommand", { command: "mtf.assume", arguments: [{ ...chosen, set }] });
    } catch (error) {
      vscode.window.showErrorMessage(error.message);
      return;
    }
    await this.context.workspaceState.update("assumed", chosen);
    if (chosen.mesh || chosen.layout) {
      const others = this.recent().filter((each) => each.mesh !== chosen.mesh || each.layout !== chosen.layout);
      await this.context.workspaceState.update("recent", [chosen, ...others].slice(0, 8));
    }
    this.showAssumed();
  }

  recent() {
    return this.context.workspaceState.get("recent") ?? [];
  }

  async askForMesh() {
    const own = { label: "The script's own", chosen: { mesh: null, layout: null } };
    const others = { label: "Write a mesh and a layout…" };
    const before = this.recent().map((chosen) => ({
      label: chosen.mesh ?? "the script's mesh", description: chosen.layout ?? "the script's layout", chosen,
    }));
    const picked = await vscode.window.showQuickPick([...before, own, others], {
      title: "The mesh and the layout of hints, lenses and problems",
    });
    if (!picked || picked.chosen) return picked?.chosen;
    const now = this.assumed();
    const mesh = await vscode.window.showInputBox({
      title: "Mesh", value: now.mesh ?? "", placeHolder: "rows:4;cols:2", prompt: "Axes and their sizes. Empty: the script's own.",
    });
    if (mesh === undefined) return undefined;
    const layout = await vscode.window.showInputBox({
      title: "Layout", value: now.layout ?? "", placeHolder: "batch:rows;hidden:cols",
      prompt: "Dims and the axes that split them. Empty: the script's own.",
    });
    if (layout === undefined) return undefined;
    return { mesh: mesh || null, layout: layout || null };
  }

  /** Shows what the script costs beside its text, as `mtf plan --report` writes it. */
  async openReport() {
    const document = vscode.window.activeTextEditor?.document;
    if (document?.languageId !== LANGUAGE) {
      vscode.window.showErrorMessage("Open a script of mtf first: the report is about it.");
      return;
    }
    try {
      const report = await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Window, title: "mtf: planning" }, () => this.report(document));
      const uri = document.uri.toString();
      let panel = this.reports.get(uri);
      if (!panel) {
        const title = "Costs of " + uri.slice(uri.lastIndexOf("/") + 1);
        panel = vscode.window.createWebviewPanel("mtf.report", title,
          { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true }, { enableFindWidget: true });
        panel.onDidDispose(() => this.reports.delete(uri));
        this.reports.set(uri, panel);
      }
      panel.webview.html = report.html;
      panel.reveal(undefined, true);
    } catch (error) {
      vscode.window.showErrorMessage(error.message);
    }
  }

  /** The server answers null as long as it plans. */
  async report(document) {
    for (let tries = 0; tries < 120; ++tries) {
      const found = await this.connection.ask("workspace/executeCommand", { command: "mtf.report", arguments: [document.uri.toString()] });
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    throw new Error("The script has not been planned within a minute.");
  }

  async restart() {
    await this.stop();
    await this.start();
  }
}

let client;

exports.activate = async (context) => {
  client = new Client(context);
  const { commands, workspace, window } = vscode;
  context.subscriptions.push(
    commands.registerCommand("mtf.chooseMesh", (args) => client.chooseMesh(args)),
    commands.registerCommand("mtf.openReport", () => client.openReport()),
    commands.registerCommand("mtf.restart", () => client.restart()),
    workspace.onDidOpenTextDocument((document) => client.opened(document)),
    workspace.onDidChangeTextDocument((change) => client.changed(change)),
    workspace.onDidCloseTextDocument((document) => client.closed(document)),
    window.onDidChangeActiveTextEditor(() => client.showAssumed()),
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("mtf.server")) client.restart();
      else if (change.affectsConfiguration("mtf")) {
        client.tell("workspace/didChangeConfiguration", { settings: { mtf: client.assumed() } });
        client.showAssumed();
      }
    }),
  );
  await client.start();
};

exports.deactivate = () => client?.stop();
