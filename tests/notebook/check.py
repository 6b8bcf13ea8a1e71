#!/usr/bin/env python3
"""check.py KERNEL: mtf-kernel, by Jupyter's own tests of kernels and by its client. Exits 77 without Jupyter."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

try:
    import jupyter_kernel_test
    from jupyter_client.manager import start_new_kernel
except ImportError:
    sys.exit(77)

PREFIX = tempfile.TemporaryDirectory()
subprocess.run([sys.argv.pop(1), "--install", PREFIX.name], check=True, stdout=subprocess.DEVNULL)
os.environ["JUPYTER_PATH"] = str(pathlib.Path(PREFIX.name) / "share" / "jupyter")


class Protocol(jupyter_kernel_test.KernelTests):
    kernel_name = "mtf"
    language_name = "mtf"
    file_extension = ".mtf"
    code_hello_world = 'print("hello, world")'
    code_execute_result = [{"code": "6 * 7", "result": "42"}]
    code_display_data = [{"code": "dim d = 2\nlet p = ones([d])", "mime": "text/html"}]
    code_generate_error = "let x = unknown"
    code_inspect_sample = "einsum"
    completion_samples = [{"text": "prin", "matches": {"print"}}, {"text": "random.nor", "matches": {"random.normal"}}]
    complete_code_samples = ["let x = 1", "fn f(x) {\n  return x\n}", "%plan sum(x)", "?einsum"]
    incomplete_code_samples = ["fn f(x) {", "let x = ("]
    invalid_code_samples = ["let = 1", "let x = )"]
    code_page_something = "?einsum"
    code_clear_output = "%clear"
    code_stderr = "mesh m = [p: 2]\nuse m\nuse {n -> q}"
    code_history_pattern = "6 * ?"
    supported_history_operations = ("search",)  # for others xeus 2.4 writes four fields, not three


class Cells(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.manager, cls.client = start_new_kernel(kernel_name="mtf")

    @classmethod
    def tearDownClass(cls):
        cls.client.stop_channels()
        cls.manager.shutdown_kernel(now=True)

    def run_cell(self, code):
        found = []
        reply = self.client.execute_interactive(code, timeout=30, stop_on_error=False, output_hook=lambda message: found.append(
            (message["msg_type"], message["content"])))
        return reply["content"], [each for each in found if each[0] not in ("status", "execute_input")]

    def test_a_report_is_an_answer_with_a_table(self):
        self.run_cell("mesh m = [p: 2]\nlayout l = {n -> p}\nuse m\nuse l\ndim n = 4, k = 2\nlet x = ones([n, k])")
        _, found = self.run_cell("sum(x, over: n)")
        kind, content = found[-1]
        self.assertEqual(kind, "execute_result")
        self.assertIn("all_reduce over p", content["data"]["text/plain"])
        self.assertIn("<caption>f32[k=2]</caption>", content["data"]["text/html"])
        self.assertIn("all_reduce over p", content["data"]["text/html"])

    def test_commands_are_magics_too(self):
        self.run_cell("dim a = 3\nlet y = ones([a])")
        for command in ("%plan sum(y)", ":plan sum(y)"):
            _, found = self.run_cell(command)
            self.assertIn("flops", found[-1][1]["data"]["text/plain"])
        _, found = self.run_cell("%draw y")
        self.assertIn("<svg", found[-1][1]["data"]["image/svg+xml"])
        reply, _ = self.run_cell("%nothing")
        self.assertEqual(reply["ename"], "unknown_command")

    def test_plans_explanations_and_searches_are_tables(self):
        self.run_cell("mesh tm = [p: 2]\nlayout tl = {rows -> p}\nuse tm\nuse tl\ndim rows = 4\nlet z = ones([rows])")
        for command, table in (("%plan sum(z)", "values"), ("%explain sum(z)", "collectives"),
                               ("%search --processors 4 sum(z)", "found")):
            _, found = self.run_cell(command)
            data = found[-1][1]["data"]
            self.assertIn(f"<caption>{table}</caption>", data["text/html"])
            self.assertTrue(data["text/plain"].strip())
        self.assertIn("<td>all_reduce</td>", self.run_cell("%plan sum(z)")[1][-1][1]["data"]["text/html"])

    def test_a_cell_runs_on_ranks(self):
        program = ("mesh m = [p: 2]\nlayout l = {n -> p}\ndim n = 4\n"
                   "let c = counters { print(sum(ones([n]))) }\nprint(c.all_reduce.over(\"p\").count)")
        reply, found = self.run_cell("%%ranks 2\n" + program)
        self.assertEqual(reply["status"], "ok", found)
        self.assertEqual("".join(content.get("text", "") for _, content in found), "4\n1\n")
        reply, _ = self.run_cell("%%ranks none\nprint(1)")
        self.assertEqual(reply["ename"], "bad_option_value")
        reply, found = self.run_cell("%%ranks 2\nprint(unknown)")
        self.assertEqual(reply["status"], "error")
        self.assertIn("unknown_name", "".join(content.get("text", "") for _, content in found))

    def test_an_interrupt_ends_a_cell_on_ranks(self):
        number = self.client.execute("%%ranks 2\ndim n = 4\nlet t = ones([n])\nwhile true { t := t + 1.0 }", stop_on_error=False)
        time.sleep(1.5)
        self.manager.interrupt_kernel()
        begun = time.perf_counter()
        while (reply := self.client.get_shell_msg(timeout=20))["parent_header"].get("msg_id") != number:
            pass
        self.assertLess(time.perf_counter() - begun, 10)
        self.assertEqual(reply["content"]["ename"], "interrupted")

    def test_an_error_has_its_kind_and_place(self):
        reply, found = self.run_cell("dim batch = 2\nlet q = ones([bach])")
        self.assertEqual((reply["status"], reply["ename"]), ("error", "unknown_name"))
        self.assertIn("did you mean `batch`?", "\n".join(found[-1][1]["traceback"]))

    def test_an_interrupt_keeps_ended_iterations_and_the_kernel(self):
        self.run_cell("dim m2 = 4\nlet t = zeros([m2])")
        self.manager.interrupt_kernel()  # while idle
        time.sleep(0.2)
        number = self.client.execute("while true { t := t + 1.0 }", stop_on_error=False)
        time.sleep(0.5)
        begun = time.perf_counter()
        self.manager.interrupt_kernel()
        while self.client.get_shell_msg(timeout=20)["parent_header"].get("msg_id") != number:
            pass
        self.assertLess(time.perf_counter() - begun, 2)
        reply, found = self.run_cell("float(sum(t)) > 0.0")
        self.assertEqual(found[-1][1]["data"]["text/plain"], "true")


class Example(unittest.TestCase):
    def test_the_notebook_runs(self):
        import nbformat
        from nbconvert.preprocessors import ExecutePreprocessor

        path = pathlib.Path(__file__).resolve().parents[2] / "examples" / "megatron.ipynb"
        notebook = nbformat.read(path, as_version=4)
        ExecutePreprocessor(timeout=60, kernel_name="mtf").preprocess(notebook)
        answers = ["".join(output.get("text", "") + output.get("data", {}).get("text/plain", "")
                           for output in cell.outputs) for cell in notebook.cells if cell.cell_type == "code"]
        self.assertNotIn("all_reduce", answers[1])
        self.assertEqual(answers[3].count("all_reduce over model:"), 2, answers[3])
        self.assertTrue(all(answers[1:9]), answers)


if __name__ == "__main__":
    unittest.main(verbosity=1)
