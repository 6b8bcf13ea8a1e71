// Files of a test: those that the server of the test has in /scripts, which are kept in memory once they are written.
"use strict";
const vscode = require("vscode");

class Files {
  constructor(base) {
    this.base = base;
    this.written = new Map();
    this.changes = new vscode.EventEmitter();
    this.onDidChangeFile = this.changes.event;
  }
  watch() {
    return new vscode.Disposable(() => {});
  }
  async readFile(uri) {
    if (this.written.has(uri.path)) return this.written.get(uri.path);
    const answer = await fetch(this.base + "/scripts" + uri.path);
    if (!answer.ok) throw vscode.FileSystemError.FileNotFound(uri);
    return new Uint8Array(await answer.arrayBuffer());
  }
  async stat(uri) {
    if (uri.path === "/") return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
    return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: (await this.readFile(uri)).length };
  }
  async readDirectory() {
    return [];
  }
  writeFile(uri, content) {
    this.written.set(uri.path, content);
  }
  createDirectory() {}
  delete() {}
  rename() {}
}

exports.activate = async (context) => {
  const base = vscode.workspace.getConfiguration("test").get("base");
  context.subscriptions.push(vscode.workspace.registerFileSystemProvider("scripts", new Files(base)));
  const script = vscode.workspace.getConfiguration("test").get("script");
  await vscode.window.showTextDocument(vscode.Uri.parse("scripts:/" + script), { preview: false });
};
