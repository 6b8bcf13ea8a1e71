#!/usr/bin/env python3
"""clients.py BUILD: every client gives the same answer, byte for byte.

The plan of examples/two_layer.mtf is asked from the command line, the prompt, a program in C, Python, the language server
and the kernel of Jupyter; explanations and searches of a statement from those that answer them. Exits 77 without NumPy.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
MTF, LIBRARY, KERNEL = BUILD / "mtf", BUILD / "libmtf.so", BUILD / "mtf-kernel"
FILE = str(TOP / "examples" / "two_layer.mtf")
os.environ["MTF_LIBRARY"] = str(LIBRARY)
sys.path.insert(0, str(TOP / "src" / "python"))
try:
    import mtf
except ImportError as error:
    print(error)
    sys.exit(77)

PROGRAM = """mesh grid = [rows: 2, cols: 2]
layout both = {batch -> rows}
use grid
use both
dim batch = 64, io = 32, hidden = 128
let x = random.uniform([batch, io])
let w = random.uniform([io, hidden])
"""
STATEMENT = "sum(relu(einsum(x, w -> [batch, hidden])))"


def run(*words, given=None):
    done = subprocess.run([str(word) for word in words], input=given, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def by_the_prompt(command):
    return run(MTF, given=command + "\n")


def in_c(path):
    with tempfile.TemporaryDirectory() as folder:
        program = folder + "/plan"
        run("cc", "-std=c99", "-I", TOP / "src/include", TOP / "tests/embed/plan.c", LIBRARY, f"-Wl,-rpath,{BUILD}", "-o", program)
        return run(program, path)


def by_the_server(path):
    """The bytes of the result, without those of the message around it."""
    server = subprocess.Popen([str(MTF), "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    uri = "file://" + path
    for number, (method, params) in enumerate([
            ("initialize", {"capabilities": {}}), ("initialized", {}),
            ("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "mtf", "version": 1,
                                                       "text": pathlib.Path(path).read_text()}}),
            ("workspace/executeCommand", {"command": "mtf.plan", "arguments": [uri]})]):
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if number in (0, 3):
            message["id"] = number
        text = json.dumps(message).encode()
        server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        server.stdin.flush()
    while header := server.stdout.readline():
        server.stdout.readline()
        text = server.stdout.read(int(header.split(b":")[1])).decode()
        begin = '{"jsonrpc":"2.0","id":3,"result":'
        if text.startswith(begin):
            server.kill()
            server.communicate()
            return text[len(begin):-1]
    raise AssertionError("the server has ended")


def in_a_notebook(*cells):
    """What the last cell prints; None where there is no Jupyter."""
    if not KERNEL.exists():
        return None
    try:
        from jupyter_client.manager import start_new_kernel
    except ImportError:
        return None
    with tempfile.TemporaryDirectory() as prefix:
        run(KERNEL, "--install", prefix)
        os.environ["JUPYTER_PATH"] = prefix + "/share/jupyter"
        manager, client = start_new_kernel(kernel_name="mtf")
        try:
            for cell in cells:
                printed = []
                client.execute_interactive(cell, timeout=100, output_hook=lambda message: printed.append(
                    message["content"].get("text", "")))
            return "".join(printed)
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)


class Answers(unittest.TestCase):
    maxDiff = 2000

    def expect_all(self, expected, answers):
        record = json.loads(expected)
        self.assertEqual(record["schema"], 1)
        for client, answer in answers.items():
            if answer is None:
                print(f"skipped: there is no {client}")
                continue
            self.assertEqual(answer, expected, client)

    def test_the_plan_of_a_file_is_the_same_in_every_client(self):
        with mtf.Session() as s:
            plan = s.plan_file(FILE)
        self.assertEqual(plan["totals"]["processors"], 4)
        self.assertEqual(len(plan["totals"]["collectives"]), 2)
        self.expect_all(run(MTF, "plan", FILE, "--json"), {
            "prompt": by_the_prompt(":plan --json --file " + FILE), "program in C": in_c(FILE), "Python": plan.json,
            "server": by_the_server(FILE), "notebook": in_a_notebook("%plan --json --file " + FILE)})

    def test_the_plan_under_another_mesh_is_the_same(self):
        words = ["--mesh", "rows:8", "--layout", "batch:rows"]
        with mtf.Session() as s:
            answer = s.plan_file(FILE, mesh="rows:8", layout="batch:rows")
        self.assertEqual(answer["mesh"], "[rows: 8]")
        self.expect_all(run(MTF, "plan", FILE, "--json", *words), {
            "prompt": by_the_prompt(f":plan --json --file {FILE} {' '.join(words)}"), "Python": answer.json})

    def test_answers_about_a_statement_are_the_same(self):
        with mtf.Session() as s:
            s.run(PROGRAM)
            answers = {"plan": s.plan(STATEMENT), "explain": s.explain(STATEMENT),
                       "search --processors 8 --most 10": s.search(STATEMENT, 8, most=10)}
        self.assertTrue(answers["explain"]["collectives"])
        self.assertEqual(len(answers["search --processors 8 --most 10"]), 10)
        for command, answer in answers.items():
            asked = f":{command} --json {STATEMENT}"
            printed = by_the_prompt(PROGRAM + asked)
            self.expect_all(answer.json, {"prompt": printed[printed.index("{\n  \"schema\""):],
                                          "notebook": in_a_notebook(PROGRAM, asked)})

    def test_the_ten_best_of_a_search_have_the_two_best_at_the_head(self):
        with mtf.Session() as s:
            s.run(PROGRAM)
            two, ten = s.search(STATEMENT, 4), s.search(STATEMENT, 4, most=10)
            self.assertEqual(ten[:2], two)
            self.assertEqual([each["seconds"] for each in ten], sorted({each["seconds"] for each in ten}))
        found = json.loads(run(MTF, "search", FILE, "--processors", 4, "--most", 3, "--json"))["found"]
        self.assertEqual(len(found), 3)
        self.assertLess(found[0]["seconds"], found[2]["seconds"])


if __name__ == "__main__":
    unittest.main(verbosity=1)
