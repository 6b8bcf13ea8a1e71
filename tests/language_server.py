#!/usr/bin/env python3
"""language_server.py MTF [EDITS]: speaks the Language Server Protocol with `mtf lsp`, as an editor does.

Asks each question of a small script and of an example, then makes random edits (300, or EDITS) and compares what the
server finds wrong with `mtf check --json` of the same text.
"""
import json
import os
import queue
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

MTF, EDITS = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 300
TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PATIENCE = 120  # seconds, on a machine however busy


class Server:
    """An editor's side of the protocol."""

    def __init__(self, **options):
        self.process = subprocess.Popen([MTF, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.answers, self.diagnostics, self.asked, self.refreshed = {}, {}, 0, queue.Queue()
        self.changed = threading.Condition()
        threading.Thread(target=self.listen, daemon=True).start()
        workspace = {"inlayHint": {"refreshSupport": True}, "codeLens": {"refreshSupport": True}}
        self.capabilities = self.ask("initialize", capabilities={"workspace": workspace},
                                     initializationOptions=options)["capabilities"]
        self.tell("initialized")

    def listen(self):
        while header := self.process.stdout.readline():
            size = int(header.split(b":")[1])
            self.process.stdout.readline()
            message = json.loads(self.process.stdout.read(size))
            with self.changed:
                if message.get("method") == "textDocument/publishDiagnostics":
                    self.diagnostics[message["params"]["uri"]] = message["params"]
                elif message.get("method", "").endswith("/refresh"):
                    self.refreshed.put(message["method"])
                elif "id" in message and "method" not in message:
                    self.answers[message["id"]] = message
                self.changed.notify_all()

    def send(self, **message):
        text = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        self.process.stdin.flush()

    def tell(self, method, **params):
        self.send(method=method, params=params)

    def wait(self, is_there, what):
        with self.changed:
            assert self.changed.wait_for(is_there, PATIENCE), f"no {what} in {PATIENCE} s"

    def answer(self, method, **params):
        self.asked += 1
        number = self.asked
        self.send(id=number, method=method, params=params)
        self.wait(lambda: number in self.answers, f"answer to {method}")
        return self.answers.pop(number)

    def ask(self, method, **params):
        answer = self.answer(method, **params)
        assert "result" in answer, f"{method}: {answer}"
        return answer["result"]

    def memory(self):
        """Its resident memory in MiB."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024

    def end(self):
        self.ask("shutdown")
        self.tell("exit")
        return self.process.wait(PATIENCE)


class Document:
    def __init__(self, server, path, text):
        self.server, self.uri, self.text, self.version = server, "file://" + path, text, 1
        server.tell("textDocument/didOpen", textDocument={"uri": self.uri, "languageId": "mtf", "version": 1, "text": text})

    def position(self, offset):
        before = self.text[:offset]
        line = before.count("\n")
        on_line = before[before.rfind("\n") + 1:]
        return {"line": line, "character": len(on_line.encode("utf-16-le")) // 2}

    def at(self, word, behind=0):
        """The position of the first character of a word, or of one behind it."""
        return self.position(self.text.index(word) + behind)

    def edit(self, begin, end, by):
        self.version += 1
        change = {"range": {"start": self.position(begin), "end": self.position(end)}, "text": by}
        self.text = self.text[:begin] + by + self.text[end:]
        self.server.tell("textDocument/didChange", textDocument={"uri": self.uri, "version": self.version},
                         contentChanges=[change])

    def found(self):
        """What is wrong with the latest text."""
        self.server.wait(lambda: self.server.diagnostics.get(self.uri, {}).get("version") == self.version, "diagnostics")
        return self.server.diagnostics[self.uri]["diagnostics"]

    def costs(self):
        """Waits until the latest text has been planned."""
        assert self.server.refreshed.get(timeout=PATIENCE)
        assert self.server.refreshed.get(timeout=PATIENCE)

    def ask(self, question, **params):
        return self.server.ask("textDocument/" + question, textDocument={"uri": self.uri}, **params)


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def quickest(times, tried):
    """The least seconds of several tries, as they would be on a fast, quiet machine."""
    taken, here = [], []
    for _ in range(times):
        taken.append(seconds(tried))
        here.append(seconds(lambda: json.loads(json.dumps([{"a": i, "b": str(i)} for i in range(10_000)]))))
    return min(taken) * min(1, 0.016 / min(here)), taken


def seconds(work):
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


SCRIPT = """mesh grid = [rows: 2, cols: 2]
layout both = {batch -> rows, hidden -> cols}
dim batch = 64, io = 32, hidden = 128  # é 𝄞
## A layer of weights.
model Layer(inner: dim) {
  param w: [io, inner] = random.normal([io, inner])
  fn call(x) = einsum(x, w -> [batch, inner])
}
let net = Layer(hidden)
let x = random.normal([batch, io])
let y = net(x)
let s = sum(y)
print(s)
"""


def questions():
    server = Server()
    document = Document(server, "/tmp/a script.mtf", SCRIPT)
    expect(document.found() == [], "a right script has no errors")
    document.costs()

    hover = document.ask("hover", position=document.at("y = net"))["contents"]["value"]
    expect("y: f32[batch=64/rows, hidden=128/cols]" in hover and "on each of 4 processors" in hover, hover)
    hover = document.ask("hover", position=document.at("Layer(hidden)"))["contents"]["value"]
    expect("A layer of weights." in hover and "Layer(inner: dim)" in hover, hover)
    hover = document.ask("hover", position=document.at("y = net", 1))["contents"]["value"]
    expect("y: f32[batch=64/rows" in hover, "a cursor behind a name is at the name")
    hover = document.ask("hover", position=document.at("einsum"))["contents"]["value"]
    expect("einsum(" in hover, hover)

    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    hints = document.ask("inlayHint", range=everything)
    labels = [hint["label"] for hint in hints]
    expect(": f32[batch=64/rows, hidden=128/cols]" in labels, labels)
    sums = [hint for hint in hints if "all_reduce" in hint["label"]]
    expect(sums and all(hint["position"]["line"] in (11, 12) for hint in sums), hints)
    expect(any("flops" in lens["command"]["title"] for lens in document.ask("codeLens")), "a lens says flops")

    place = document.ask("definition", position=document.at("net(x)"))
    expect(place["range"]["start"] == document.at("net = Layer"), place)
    uses = document.ask("references", position=document.at("hidden = 128"), context={"includeDeclaration": True})
    expect(len(uses) == 3, uses)
    symbols = {symbol["name"]: symbol for symbol in document.ask("documentSymbol")}
    expect({"grid", "both", "batch", "Layer", "net"} <= symbols.keys(), symbols.keys())
    expect([child["name"] for child in symbols["Layer"]["children"]] == ["w", "call"], symbols["Layer"])
    expect({"startLine": 4, "endLine": 7} in document.ask("foldingRange"), "a model folds")

    renamed = document.ask("rename", position=document.at("net = Layer"), newName="network")
    expect(len(renamed["changes"][document.uri]) == 2, renamed)
    refused = server.answer("textDocument/rename", textDocument={"uri": document.uri}, position=document.at("net ="),
                            newName="x")
    expect("would be wrong" in refused["error"]["message"], "a name that is taken")
    renamed = document.ask("rename", position=document.at("hidden = 128"), newName="wide")
    expect({"range": {"start": document.at("hidden -> cols"), "end": document.at(" -> cols")}, "newText": "wide"} in
           renamed["changes"][document.uri], "a dim is renamed in layouts too")
    renamed = document.ask("rename", position=document.at("net = Layer"), newName="network")
    expect(len(renamed["changes"][document.uri]) == 2, renamed)
    refused = server.answer("textDocument/rename", textDocument={"uri": document.uri}, position=document.at("net ="),
                            newName="let")
    expect("error" in refused, "a reserved word is no name")
    refused = server.answer("textDocument/prepareRename", textDocument={"uri": document.uri},
                            position=document.at("einsum"))
    expect("error" in refused, "an operation is not renamed")

    tokens = document.ask("semanticTokens/full")["data"]
    expect(len(tokens) % 5 == 0 and len(tokens) > 300, tokens)
    expect(tokens[:5] == [0, 0, 4, 0, 0], "`mesh` is a keyword")

    end = len(document.text)
    document.edit(end, end, "let z = ne")
    items = document.ask("completion", position=document.position(len(document.text)))
    expect("net" in [item["label"] for item in items], items)
    document.edit(end, len(document.text), "let z = nett(x)\n")
    wrong = document.found()
    expect([(each["code"], each["severity"], each["range"]["start"]) for each in wrong] ==
           [("unknown_name", 1, document.at("nett(x)"))], wrong)
    fixes = document.ask("codeAction", range=wrong[0]["range"], context={"diagnostics": wrong})
    expect([fix["edit"]["changes"][document.uri] for fix in fixes] ==
           [[{"range": wrong[0]["range"], "newText": "net"}]], fixes)
    document.edit(end, len(document.text), "let z = (\n")
    expect(document.found()[0]["code"] == "bracket_mismatch", document.found())
    hover = document.ask("hover", position=document.at("y = net"))
    expect(hover and "f32[batch=64/rows" in hover["contents"]["value"], "other statements keep their types")
    document.edit(end, len(document.text), "let   z=1\n")
    expect(document.ask("formatting", options={})[0]["newText"].endswith("let z = 1\n"), "a script is formatted")

    server.ask("workspace/executeCommand", command="mtf.assume", arguments=[{"mesh": "rows:4;cols:1"}])
    document.costs()
    server.wait(lambda: True, "")
    deadline = time.time() + PATIENCE
    while "on each of 4" not in (hover := document.ask("hover", position=document.at("y = net")))["contents"]["value"]:
        expect(time.time() < deadline, hover)
    refused = server.answer("workspace/executeCommand", command="mtf.assume", arguments=[{"mesh": "rows;4"}])
    expect("error" in refused, "a mesh that is none is refused")
    expect("error" in server.answer("textDocument/unheardOf"), "an unknown method is an error")
    document.server.tell("textDocument/didClose", textDocument={"uri": document.uri})
    expect("error" in server.answer("textDocument/hover", textDocument={"uri": document.uri},
                                    position={"line": 0, "character": 0}), "a closed document is not known")
    expect(server.end() == 0, "the server ends well")


def a_loop_says_what_it_sends():
    """Of all iterations at the line, of one iteration at the loop; an annotated name has no second colon."""
    server = Server()
    text = """mesh grid = [rows: 2]
layout rule = {batch -> rows}
dim batch = 4, n = 8
let x: [batch, n] = random.normal([batch, n])
for step in 0..200 {
  let s = sum(x, over: batch)
  print(s)
}
"""
    document = Document(server, "/tmp/loop.mtf", text)
    expect(document.found() == [], "a right script has no errors")
    document.costs()
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    hints = [(hint["position"]["line"], hint["label"]) for hint in document.ask("inlayHint", range=everything)]
    expect((5, "all_reduce over rows: 200 × 32 B") in hints, hints)
    expect((3, "f32[batch=4/rows, n=8]") in hints and (5, ": f32[n=8]") in hints, hints)
    lenses = [lens["command"]["title"] for lens in document.ask("codeLens") if lens["range"]["start"]["line"] == 4]
    expect(lenses == ["200 iterations × (16 flops, 1 collective of 32 B), in 2 variants"], lenses)
    # Iterations of examples/two_layer.mtf differ: some print their loss.
    path = TOP + "/examples/two_layer.mtf"
    document = Document(server, path, open(path).read())
    document.costs()
    lenses = [lens["command"]["title"] for lens in document.ask("codeLens")]
    expect([lens for lens in lenses if "iterations" in lens] ==
           ["200 iterations × (676,992 flops, 4 collectives of 20.2 KiB), in 3 variants"], lenses)
    expect(server.end() == 0, "the server ends well")


def an_edit_ends_the_planning_of_a_large_text():
    """Its errors come much earlier than the costs of the text before; another document keeps what it waits for."""
    server = Server()
    path = TOP + "/examples/transformer.mtf"
    text = open(path).read().replace("option layers    = 2", "option layers    = 48")
    expect("= 48" in text, "the example has an option for its layers")
    begun = time.time()
    document = Document(server, path, text)
    expect(document.found() == [], document.found())
    checked = time.time() - begun
    document.costs()
    planned = time.time() - begun
    document.edit(0, 0, "let another = 1\n")
    document.found()
    time.sleep(0.2 + (planned - checked) / 2)
    begun = time.time()
    document.edit(0, 0, "let wrong = nobody\n")
    expect([each["code"] for each in document.found()] == ["unknown_name"], document.found())
    ended = time.time() - begun
    expect(ended < checked + (planned - checked) / 4, f"{ended:.2f} s; {checked:.2f} s to check, {planned:.2f} s to plan")
    document.edit(0, len("let wrong = nobody\n"), "")
    document.found()
    Document(server, "/tmp/another.mtf", "let a = 1").found()
    while not (lenses := document.ask("codeLens")):
        expect(time.time() - begun < PATIENCE, "no costs")
        time.sleep(0.1)
    expect(server.end() == 0, "the server ends well")


def names_complete_in_a_document_with_errors():
    server = Server()
    document = Document(server, "/tmp/wrong.mtf", "let a = unknown\nlet z = random.nor")
    document.found()
    items = document.ask("completion", position=document.position(len(document.text)))
    expect("random.normal" in [item["label"] for item in items], items)
    expect(server.end() == 0, "the server ends well")


def calls_and_parts():
    """Signatures of open calls, who calls whom, selections that grow, and what functions cost."""
    server = Server()
    text = """mesh grid = [rows: 2]
layout rule = {batch -> rows}
dim batch = 4, n = 8
fn twice(x, by: float = 2.0) = x * by
fn four(x) { return twice(twice(x)) }
let x = random.normal([batch, n])
let s = sum(four(x), over: batch)
print(sum(s))
"""
    document = Document(server, "/tmp/calls.mtf", text)
    expect(document.found() == [], "a right script has no errors")
    document.costs()
    lenses = {lens["range"]["start"]["line"]: lens["command"]["title"] for lens in document.ask("codeLens")}
    expect(lenses[3] == lenses[4] == "in all 32 flops", lenses)

    item, = document.ask("prepareCallHierarchy", position=document.at("twice(twice"))
    expect(item["name"] == "twice" and item["selectionRange"]["start"] == document.at("twice(x, by"), item)
    callers = server.ask("callHierarchy/incomingCalls", item=item)
    expect([(each["from"]["name"], len(each["fromRanges"])) for each in callers] == [("four", 2)], callers)
    top = server.ask("callHierarchy/incomingCalls", item=callers[0]["from"])
    expect([each["from"]["name"] for each in top] == ["calls.mtf"], top)
    called = server.ask("callHierarchy/outgoingCalls", item=callers[0]["from"])
    expect([each["to"]["name"] for each in called] == ["twice"], called)
    expect(document.ask("prepareCallHierarchy", position=document.at("batch = 4")) is None, "a dim calls nobody")

    chain, = document.ask("selectionRange", positions=[document.at("x), over")])
    selected = []
    while chain:
        begin, end = (chain["range"][side] for side in ("start", "end"))
        selected.append(text.splitlines()[begin["line"]][begin["character"]:end["character"]] if begin["line"] == end["line"] else "…")
        chain = chain.get("parent")
    expect(selected == ["x", "four(x)", "sum(four(x), over: batch)", "let s = sum(four(x), over: batch)", "…"], selected)

    actions = document.ask("codeAction", range={"start": document.at("mesh"), "end": document.at("dim")}, context={"diagnostics": []})
    choices = {action["title"]: action["command"] for action in actions}
    expect(choices.keys() == {"Costs on 4 rows instead of 2", "Costs under the layout rule"}, choices)
    choice = choices["Costs on 4 rows instead of 2"]
    server.ask("workspace/executeCommand", command=choice["command"], arguments=choice["arguments"])
    document.costs()
    expect("on each of 4" in document.ask("hover", position=document.at("x = random"))["contents"]["value"], "four rows")
    actions = document.ask("codeAction", range={"start": document.at("dim"), "end": document.at("dim")}, context={"diagnostics": []})
    expect([action["title"] for action in actions] == ["Costs under the mesh and layout of the script"], actions)

    end = len(document.text)
    for typed, signature, parameter in (("let y = twice(", "twice(x, by: float = 2.0)", "x"), ("x, ", None, "by: float = 2.0"),
                                        ("sum(x, over: ", None, "over: dims = all"), ("batch), by: ", None, "by: float = 2.0")):
        document.edit(len(document.text), len(document.text), typed)
        found = document.ask("signatureHelp", position=document.position(len(document.text)))
        expect(signature in (None, found["signatures"][0]["label"]), found)
        expect(found["signatures"][0]["parameters"][found["activeParameter"]]["label"] == parameter, (typed, found))
    document.edit(end, len(document.text), "let z = (")
    expect(document.ask("signatureHelp", position=document.position(len(document.text))) is None, "no function is called")
    expect(server.end() == 0, "the server ends well")


def costs_of_an_earlier_text_are_marked():
    server = Server()
    document = Document(server, "/tmp/old.mtf", SCRIPT)
    document.costs()
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    sums = lambda: [hint["label"] for hint in document.ask("inlayHint", range=everything) if "all_reduce" in hint["label"]]
    lenses = lambda: [lens["command"]["title"] for lens in document.ask("codeLens")]
    now, costs = sums(), lenses()
    expect(now and costs and not any("before" in each for each in now + costs), now + costs)
    document.edit(len(document.text), len(document.text), "let wrong = nobody\n")
    document.found()
    expect(sums() == [each + " (before the last edit)" for each in now], sums())
    expect(lenses() == [each + " (before the last edit)" for each in costs], lenses())
    document.edit(document.text.index("let wrong"), len(document.text), "")
    document.costs()
    expect(sums() == now and lenses() == costs, "the text is as it was")
    expect(server.end() == 0, "the server ends well")


def quick_enough():
    """Ready in 100 ms, and 1,000 lines are checked in 100 ms, on a fast machine."""
    servers = []
    ready, taken = quickest(10, lambda: servers.append(Server()))
    expect(ready < 0.1, taken)
    for each in servers[1:]:
        each.end()
    layers = "".join(f"let h{i} = relu(einsum(x{i}, w -> [batch, hidden]))\nlet x{i + 1} = einsum(h{i}, v -> [batch, io]) + x{i}\n"
                     for i in range(500))
    document = Document(servers[0], "/tmp/large.mtf", "dim batch = 64, io = 32, hidden = 128\nlet x0 = random.normal([batch, io])\n"
                        "let w = random.normal([io, hidden])\nlet v = random.normal([hidden, io])\n" + layers)
    expect(document.found() == [], document.found()[:1])

    def edit():
        document.edit(0, 0, f"let q{document.version} = 1\n")
        document.found()

    checked, taken = quickest(10, edit)
    expect(checked < 0.1, taken)
    expect(servers[0].end() == 0, "the server ends well")


def a_report_is_a_page():
    server = Server(mesh="all:8", layout="batch:all")
    path = TOP + "/examples/two_layer.mtf"
    document = Document(server, path, open(path).read())
    document.costs()
    page = server.ask("workspace/executeCommand", command="mtf.report", arguments=[document.uri])["html"]
    expect(page.startswith("<!DOCTYPE html>") and "total for each of 8 processors" in page and "all_reduce over all" in page, page)
    totals = subprocess.run([MTF, "plan", "--mesh", "all:8", "--layout", "batch:all", path], capture_output=True, text=True)
    for figure in ("peak memory", "flops  "):
        line = next(line for line in totals.stdout.splitlines() if line.strip().startswith(figure))
        expect(line in page, f"the report has the totals of mtf plan: {line}")
    document.edit(0, 0, "let q = (\n")
    document.found()
    refused = server.answer("workspace/executeCommand", command="mtf.report", arguments=[document.uri])
    expect("with errors" in refused["error"]["message"], refused)
    refused = server.answer("workspace/executeCommand", command="mtf.report", arguments=["file:///nowhere.mtf"])
    expect("not open" in refused["error"]["message"], refused)
    expect(server.end() == 0, "the server ends well")


def another_layout_is_chosen_by_the_editor():
    server = Server(mesh="all:8", layout="batch:all")
    path = TOP + "/examples/two_layer.mtf"
    document = Document(server, path, open(path).read())
    expect(document.found() == [], document.found())
    document.costs()
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 999, "character": 0}}
    labels = [hint["label"] for hint in document.ask("inlayHint", range=everything)]
    expect(any("/all" in label for label in labels), labels)
    expect(server.end() == 0, "the server ends well")


def random_edits():
    """What the server finds after each edit is what a check of the whole text finds, and its memory stays."""
    chance = random.Random(1)
    server = Server()
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/edited.mtf"
        document = Document(server, path, SCRIPT)
        pieces = re.findall(r"\w+|[^\w\s]|\s+", SCRIPT) + ["}", "{", '"', "é", "𝄞", "let q = 1\n", "for i in 0..3 {\n", "#"]
        for count in range(EDITS):
            begin = chance.randrange(len(document.text) + 1)
            end = min(len(document.text), begin + chance.choice([0, 0, 1, 5]))
            by = chance.choice(pieces) if chance.random() < 0.8 else ""
            if count % 20 == 19:
                begin, end, by = 0, len(document.text), SCRIPT
            if count == EDITS // 3:
                memory = server.memory()
            document.edit(begin, end, by)
            if count % 7:
                continue  # the next edit comes before the server has looked
            found = [(each["code"], each["range"]["start"]["line"]) for each in document.found()]
            with open(path, "w") as file:
                file.write(document.text)
            checked = subprocess.run([MTF, "check", "--json", path], capture_output=True, text=True, timeout=PATIENCE)
            wanted = [json.loads(line) for line in checked.stdout.splitlines()]
            wanted = [(each["kind"], max(each["place"]["line"], 1) - 1) for each in wanted]
            expect(found == wanted, f"after edit {count} the server finds {found}, a check {wanted}:\n{document.text}")
    expect(server.memory() < memory + 30, f"{memory:.0f} MiB after a third of the edits, {server.memory():.0f} at the end")
    expect(server.end() == 0, "the server ends well")


def input_that_ends_ends_the_server():
    for sent in (b"", b"Content-Length: 5\r\n", b"Content-Length: x\r\n\r\n", b"no header\r\n\r\n"):
        ended = subprocess.run([MTF, "lsp"], input=sent, capture_output=True, timeout=PATIENCE)
        expect(ended.returncode == 1, f"{sent}: {ended.returncode}")
    broken = b"Content-Length: 3\r\n\r\n{a}"
    ended = subprocess.run([MTF, "lsp"], input=broken, capture_output=True, timeout=PATIENCE)
    expect(b"-32700" in ended.stdout, ended.stdout)


for test in (questions, calls_and_parts, costs_of_an_earlier_text_are_marked, quick_enough, a_loop_says_what_it_sends, a_report_is_a_page,
             names_complete_in_a_document_with_errors, an_edit_ends_the_planning_of_a_large_text,
             another_layout_is_chosen_by_the_editor, random_edits, input_that_ends_ends_the_server):
    test()
    print("passed:", test.__name__)
