#!/usr/bin/env python3
"""tests/site.py MTF: the site has no dead link, each page can be reached, and it explains each operation and error."""
import html.parser
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

top = pathlib.Path(__file__).resolve().parent.parent
mtf = pathlib.Path(sys.argv[1]).resolve()
wrong = []


def expect(what, text):
    if not what:
        wrong.append(text)


class Page(html.parser.HTMLParser):
    VOID = {"meta", "link", "input", "br", "hr", "img"}

    def __init__(self, name, text):
        super().__init__()
        self.name, self.open, self.ids, self.links, self.scripts, self.types = name, [], [], [], [], []
        self.text = ""
        self.feed(text)
        expect(not self.open, f"{name}: {self.open} is not closed")

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag not in self.VOID:
            self.open.append(tag)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if "data-type" in attributes:
            self.types.append(attributes["data-type"])
        if tag == "script":
            self.scripts.append(attributes.get("src"))
        for name in ("href", "src", "action"):
            if name in attributes:
                self.links.append(attributes[name])

    def handle_endtag(self, tag):
        expect(self.open and self.open[-1] == tag, f"{self.name}: </{tag}> closes {self.open[-1:]}")
        if tag in self.open:
            del self.open[len(self.open) - 1 - self.open[::-1].index(tag) :]

    def handle_data(self, data):
        self.text += data


def target(page, link):
    """The file and anchor that a link leads to."""
    address = urllib.parse.urlsplit(urllib.parse.urljoin(page, link))
    return address.path, urllib.parse.unquote(address.fragment)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name) / "site"
    subprocess.run(
        [mtf, "reference", "--html", folder, "--examples", top / "examples"], check=True, stdout=subprocess.DEVNULL
    )
    texts = {path.name: path.read_text() for path in folder.iterdir()}
    pages = {name: Page(name, text) for name, text in texts.items() if name.endswith(".html")}
    sections = json.loads(re.fullmatch(r"const SECTIONS = (.*);\n", texts["search-index.js"], re.S)[1])

    for page in pages.values():
        expect(len(page.ids) == len(set(page.ids)), f"{page.name}: an id stands twice")
        expect('name="viewport"' in texts[page.name], f"{page.name}: a phone needs a viewport")
        expect(page.name == "search.html" or not page.scripts, f"{page.name} has a script")
        for mark in ("```", "](", "**"):
            prose = re.sub(r"<(pre|code)[ >].*?</\1>", "", texts[page.name], flags=re.S)
            expect(mark not in prose, f"{page.name}: {mark} is left of the Markdown")
        for link in page.links:
            if "://" in link:
                continue
            file, anchor = target(page.name, link)
            expect(file in texts, f"{page.name}: {link} leads nowhere")
            expect(not anchor or file not in pages or anchor in pages[file].ids, f"{page.name}: {link} has no such part")
    for title, address, _, text in sections:
        file, anchor = target("search.html", address)
        expect(file in pages and (not anchor or anchor in pages[file].ids), f"search: {address} leads nowhere")

    reached, ways = set(), ["index.html"]
    while ways:
        page = ways.pop()
        if page not in reached and page in pages:
            reached.add(page)
            ways += [target(page, link)[0] for link in pages[page].links if "://" not in link]
    expect(reached == set(pages), f"pages that no link leads to: {sorted(set(pages) - reached)}")

    # Each entry of the sources is there, and found.
    titles = {title for title, *_ in sections}
    for source in ("LANGUAGE.md", "ERRORS.md", "PLANNING.md", "PROMPT.md", "RANKS.md", "REFERENCE.md"):
        in_program = False
        for line in (top / "stdlib" / source).read_text().splitlines():
            in_program ^= line.startswith("```")
            if line.startswith("###" if source != "ERRORS.md" else "## ") and not in_program:
                expect(line.lstrip("# ").replace("`", "") in titles, f"{source}: {line} is not on the site")
    for example in (top / "examples").glob("*.mtf"):
        page = pages[f"example-{example.stem}.html"]
        expect(example.read_text().strip() in page.text, f"{page.name} lacks the program")
        expect("#>" in page.text or "What it prints" in page.text, f"{page.name} lacks what it prints")
    expect("h: f32[batch=64/rows, hidden=128/cols]" in pages["example-two_layer.html"].types, "no type of h")
    expect(len(pages["tour.html"].types) > 100, "the tour has no types")
    expect("step 0: loss" in pages["example-two_layer.html"].text, "two_layer has not been run")

    # The search finds an operation, a member of a module, and words of other systems first.
    find = "const {readFileSync} = require('fs'); const source = readFileSync(process.argv[1] + '/search.js', 'utf8');"
    find += "const index = readFileSync(process.argv[1] + '/search-index.js', 'utf8');"
    find += "const run = new Function(index + source + '; return q => find(SECTIONS, q)')();"
    find += "console.log(JSON.stringify(process.argv.slice(2).map(q => run(q).slice(0, 3).map(each => each[1]))))"
    questions = {
        "einsum": "#einsum",
        "batch norm": "#nn.BatchNorm",
        "nn.dense": "#nn.Dense",
        "axis_used_twice": "errors.html#axis_used_twice",
        "lstm": "words.html#lstm",
        "reduce_scatter": "language.html#",
        "cancel nonsense words": None,
    }
    try:
        found = json.loads(subprocess.check_output(["node", "-e", find, folder, *questions], text=True))
    except FileNotFoundError:
        print("node is not here: the search is not tried")
        found = []
    for (question, expected), addresses in zip(questions.items(), found):
        good = any(expected in address for address in addresses) if expected else not addresses
        expect(good, f"a search for {question} gives {addresses}")

for each in wrong[:40]:
    print(each)
sys.exit(1 if wrong else 0)
