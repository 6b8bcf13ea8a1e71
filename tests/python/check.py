#!/usr/bin/env python3
"""check.py LIBRARY: the package mtf for Python. Exits 77 without NumPy."""
import gc
import importlib.util
import inspect
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import typing
import unittest

try:
    import numpy as np
except ImportError:
    sys.exit(77)

if len(sys.argv) > 1:  # otherwise that which is installed
    os.environ["MTF_LIBRARY"] = sys.argv.pop(1)
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "../../src/python"))
import mtf


class Values(unittest.TestCase):
    def test_every_kind_goes_in_and_comes_out(self):
        with mtf.Session() as s:
            everything = [1, -2.5, None, True, "ä\0b", (9007199254740993, [])]
            s["all"] = everything
            self.assertEqual(s["all"], everything)
            s.run("model M { let k = 1 }\nlet m = M()")
            self.assertEqual(s["m"], "an instance of M")
            self.assertEqual(s.names()["m"], "an instance of M")

    def test_what_does_not_fit_is_refused(self):
        with mtf.Session() as s:
            for wrong in (1 << 63, object(), {1: 2}):
                with self.assertRaises(mtf.Error):
                    s["x"] = wrong
            with self.assertRaises(mtf.Error):
                mtf.tensor(np.ones((2, 2)), "a")
            with self.assertRaises(mtf.Error):
                mtf.tensor(np.array([1 << 40]), "a")
            with self.assertRaises(mtf.Error):
                s["unknown"] = np.ones(2)


class Tensors(unittest.TestCase):
    def test_each_element_type(self):
        with mtf.Session() as s:
            for array, element in ((np.array([True, False]), "bool"), (np.array([1, 2]), "i32"),
                                   (np.array([1, 2], np.float32), "f32"), (np.array([1.0, 2]), "f64")):
                s["x"] = mtf.tensor(array, "n")
                self.assertEqual(s["x"].element, element)
                np.testing.assert_array_equal(s["x"].numpy(), array)
            s["y"] = mtf.tensor([1.0, 1.00390625, np.nan, -np.inf], "m", element="bf16")
            np.testing.assert_array_equal(s["y"].numpy(), [1.0, 1.0, np.nan, -np.inf])
            self.assertEqual(mtf.tensor([1.5], "n").element, "f32")

    def test_a_name_keeps_its_dims_and_type(self):
        with mtf.Session("p:2", "n:p") as s:
            s.run("dim n = 4\nmodel M { param w: [n] = 1 }\nlet net = M()")
            s["net.w"] = np.arange(4)
            self.assertEqual(s["net.w"].dims, {"n": 4})
            self.assertEqual(s["net.w"].element, "f32")
            self.assertEqual(s["float(sum(net.w))"], 6.0)

    def test_a_large_one_is_not_copied_and_outlives_the_session(self):
        s = mtf.Session()
        s.run("dim n = 16777216\nlet x = ones([n])\nlet total = float(sum(x))")
        taken = []
        for _ in range(5):
            begun = time.thread_time()
            x = s["x"].numpy()
            taken.append(time.thread_time() - begun)
        self.assertLess(min(taken), 0.001)  # 64 MiB; a copy takes more than ten times as long
        self.assertFalse(x.flags.writeable)
        shared = np.from_dlpack(s["x"])
        self.assertEqual(shared.ctypes.data, x.ctypes.data)
        s.run("let x = x + 1.0\nlet again = float(sum(x))")
        del s
        gc.collect()
        self.assertEqual((x[7], shared[-1]), (1.0, 1.0))

    def test_records_of_tensors_let_go(self):
        with mtf.Session() as s:
            s.run("dim n = 1048576\nlet x = ones([n])")
            for _ in range(200):
                s["x + 1.0"]
            self.assertLess(s.counters()["peak_bytes"], 64 << 20)

    def test_a_table_is_shown(self):
        with mtf.Session() as s:
            s.run("dim a = 30, b = 2\nlet x = ones([a, b])")
            self.assertIn("<caption>f32[a=30, b=2]</caption>", s["x"]._repr_html_())
            self.assertIn("a=30", repr(s["x"]))
            self.assertIn("<td>1</td>", s["sum(x) / sum(x)"]._repr_html_())


class Errors(unittest.TestCase):
    def test_an_error_has_place_kind_and_fixes(self):
        with mtf.Session() as s:
            with self.assertRaises(mtf.Error) as caught:
                s.run("dim batch = 2\nlet x = ones([bach])")
            self.assertEqual(caught.exception.kind, "unknown_name")
            self.assertEqual(caught.exception.place[1:3], (2, 15))
            fix = caught.exception.fixes[0]
            self.assertEqual(fix.edits[0].text, "batch")
            self.assertIn("2 | let x = ones([bach])", str(caught.exception))

    def test_a_file_is_run_and_its_names_stay(self):
        with tempfile.TemporaryDirectory() as folder, mtf.Session() as s:
            path = pathlib.Path(folder) / "a.mtf"
            path.write_text("dim n = 2\nlet x = ones([n])\n")
            s.run_file(path)
            self.assertEqual(s["float(sum(x))"], 2.0)
            path.write_text("let y = unknown\n")
            with self.assertRaises(mtf.Error) as caught:
                s.run_file(str(path))
            self.assertEqual(caught.exception.place[:2], (str(path), 1))

    def test_check_returns_all(self):
        with mtf.Session() as s:
            self.assertEqual([each.place.line for each in s.check("print(a)\nprint(1)\nprint(b)")], [1, 3])

    def test_options_that_are_wrong(self):
        with self.assertRaises(mtf.Error) as caught:
            mtf.Session(mesh="rows")
        self.assertEqual(caught.exception.kind, "bad_option_value")

    def test_a_closed_session_is_said(self):
        s = mtf.Session()
        s.close()
        with self.assertRaises(mtf.Error):
            s.run("1")

    def test_warnings_progress_and_output_are_given(self):
        printed, warned, told, reports = [], [], [], []
        with mtf.Session(output=printed.append, warning=warned.append, progress=told.append, report=reports.append) as s:
            s.run("dim n = 2\nlet x = ones([n])\nfor i in 0..2 { x := x + 1.0\nprint(i) }\nsum(x)\nfn f() { 1 + 1 }\nf()")
        self.assertEqual("".join(printed), "0\n1\n")
        self.assertEqual([report["totals"]["flops"] for report in reports[1:4]], [0, 4, 2])
        self.assertEqual(told[0], [{"variable": "i", "done": 0, "count": 2, "seconds": told[0][0]["seconds"]}])

    def test_an_output_that_raises_ends_its_run_alone(self):
        printed = []

        def output(text):
            if not printed:
                printed.append("failed")
                raise OSError("full")
            printed.append(text)

        with mtf.Session(output=output) as s:
            with self.assertRaises(OSError):
                s.run("print(1)\nprint(2)")
            s.run("print(3)")
        self.assertEqual(printed[-1], "3\n")


class Functions(unittest.TestCase):
    def test_scripts_call_python(self):
        with mtf.Session("p:2", "n:p") as s:
            @s.function("noise(x: tensor, scale: float = 1) -> tensor")
            def noise(x, scale=1.0):
                return x.numpy() * np.float32(scale)

            @s.function
            def add(a: float, b: float = 2.0) -> float:
                return a + b

            s.run("dim n = 4\nlet y = noise(ones([n]), scale: 3.0) + noise(ones([n]))")
            np.testing.assert_array_equal(s["y"].numpy(), [4, 4, 4, 4])
            self.assertEqual((s["add(1.5)"], s["add(1.5, 4.0)"]), (3.5, 5.5))

    def test_an_exception_comes_through(self):
        with mtf.Session() as s:
            @s.function
            def fails():
                raise ValueError("no row")

            with self.assertRaisesRegex(ValueError, "no row"):
                s.run("let x = 1\nlet y = fails()")
            self.assertEqual(s["x"], 1)

    def test_streams(self):
        begun = []

        def batches():
            begun.append(1)
            for i in range(3):
                yield np.full((4, 2), i, np.float32), np.arange(4)

        with mtf.Session("p:2", "batch:p") as s:
            s.stream("train", batches, ("batch io", "batch"))
            s.run("let t = zeros([batch, io])\nfor e in 0..2 { for (x, y) in train() { t := t + x } }")
            np.testing.assert_array_equal(s["t"].numpy(), np.full((4, 2), 6))
            s.stream("one", [np.ones(3, np.float32)] * 2, "n")
            s.run("let count = 0\nfor x in one() { count := count + 1 }")
            self.assertEqual(s["count"], 2)

            def uneven():
                yield np.ones(3, np.float32)
                yield np.ones(2, np.float32)

            s.stream("uneven", uneven, "n")
            with self.assertRaisesRegex(mtf.Error, "the first had"):
                s.run("for x in uneven() { print(sum(x)) }")
            with self.assertRaises(mtf.Error):
                s.stream("none", [], "n")

    @unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch is not installed")
    def test_a_data_loader_of_pytorch_is_a_stream(self):
        import torch
        data = torch.utils.data.TensorDataset(torch.arange(24.0).reshape(12, 2), torch.arange(12))
        with mtf.Session("p:2", "batch:p") as s:
            s.stream("train", torch.utils.data.DataLoader(data, batch_size=4), ("batch io", "batch"))
            s.run("let t = zeros([])\nlet n = zeros([], i32)\nfor (x, y) in train() { t := t + sum(x)\nn := n + sum(y) }")
            self.assertEqual((s["t"].numpy(), s["n"].numpy()), (276, 66))

    def test_prepared_calls(self):
        with mtf.Session() as s:
            s.run("dim batch = 4, io = 2\nlet w = zeros([io])\nfn step(x) { w := w + mean(x, over: batch)\nreturn sum(w) }")
            step = s.prepare("step(x)", {"x": "batch io"})
            for i in range(3):
                self.assertEqual(float(step(np.full((4, 2), 1, np.float32))), 2.0 * (i + 1))
            with self.assertRaises(mtf.Error):
                step()
            with self.assertRaises(mtf.Error):
                s.prepare("step(", "x")


class Costs(unittest.TestCase):
    def test_plans_counters_explanations_and_searches_agree(self):
        with mtf.Session("rows:2;cols:2", "batch:rows") as s:
            s.run("dim batch = 8, io = 4\nlet x = ones([batch, io])")
            plan = s.plan("sum(x)")
            s.mark()
            s.run("sum(x)")
            counted = s.counters()
            self.assertEqual(counted["collectives"], plan["totals"]["collectives"])
            self.assertEqual(counted["flops"], plan["totals"]["flops"])
            self.assertEqual(plan["doubts"], [])
            explained = s.explain("sum(x)")
            self.assertEqual(explained["collectives"][0]["wire_bytes"], counted["collectives"][0]["wire_bytes"])
            self.assertIn("batch", explained["collectives"][0]["reason"])
            asked = []
            found = s.search("einsum(x, x -> [])", 4, axes=1, progress=lambda count, best: asked.append(count))
            self.assertEqual(found[0]["counters"]["processors"], 4)
            self.assertTrue(asked)
            for shown in (plan, explained, found):
                self.assertIn("<table>", shown._repr_html_())
            self.assertTrue(s.plan("while sum(x) < 9 { x := x + 1 }")["doubts"])


class Types(unittest.TestCase):
    def test_editors_know_the_types_of_every_argument_and_result(self):
        self.assertTrue((pathlib.Path(mtf.__file__).parent / "py.typed").exists())
        public = [getattr(mtf, name) for name in dir(mtf) if not name.startswith("_")]
        functions = [each for each in public if inspect.isfunction(each) and each.__module__ == "mtf"]
        for each in (each for each in public if inspect.isclass(each) and each.__module__ == "mtf"):
            functions += [method for name, method in vars(each).items()
                          if inspect.isfunction(method) and (name == "__init__" or not name.startswith("_"))]
        self.assertGreater(len(functions), 20)
        for each in functions:
            hints = typing.get_type_hints(each)
            for name in inspect.signature(each).parameters:
                self.assertTrue(name == "self" or name in hints, f"{each.__qualname__}: {name}")
            self.assertTrue("return" in hints or each.__name__ == "__init__", each.__qualname__)


README = pathlib.Path(__file__).resolve().parent / "../../src/python/README.md"


class Readme(unittest.TestCase):
    @unittest.skipUnless(README.exists(), "the sources are not here")
    def test_its_program_runs(self):
        program = README.read_text().split("```python\n")[1].split("```")[0]
        names = {"loader": [(np.zeros((64, 32), np.float32), np.zeros(64, np.int32))] * 2}
        exec(compile(program, str(README), "exec"), names)
        self.assertLess(names["loss"], 1)
        names["s"].run("let n = 0\nfor (x, y) in train() { n := n + 1 }")
        self.assertEqual(names["s"]["n"], 2)
        self.assertEqual(names["s"]["scaled(ones([io]), by: 3.0)"].numpy()[0], 3)


class Ranks(unittest.TestCase):
    PROGRAM = """
import mtf, numpy as np
with mtf.Session("p:2", "n:p", on_ranks=True) as s:
    s["x"] = mtf.tensor(np.arange(4, dtype=np.float32), "n")
    s.run("print(sum(x))")
    assert list(s["x * 2.0"].numpy()) == [0, 2, 4, 6]
    try:
        s.run("let y = unknown")
    except mtf.Error as error:
        assert error.kind == "unknown_name"
"""

    @unittest.skipUnless(shutil.which("mpirun"), "there is no mpirun")
    def test_two_host_a_mesh(self):
        paths = {"PYTHONPATH": os.pathsep.join(sys.path)}
        found = subprocess.run(["mpirun", "-q", "--oversubscribe", "--allow-run-as-root", "-n", "2", sys.executable, "-c",
                                self.PROGRAM], env=os.environ | paths, capture_output=True, text=True, timeout=100)
        self.assertEqual((found.stdout, found.returncode), ("6\n", 0), found.stderr)


class Threads(unittest.TestCase):
    def test_control_c_ends_a_run(self):
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may start a job that ignores it
        with mtf.Session() as s:
            threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            begun = time.perf_counter()
            with self.assertRaises(KeyboardInterrupt):
                s.run("dim n = 64\nlet x = ones([n])\nwhile true { x := x * 1.0 }")
            self.assertLess(time.perf_counter() - begun, 5)
            self.assertEqual(s["float(sum(x))"], 64.0)

    def test_several_sessions_on_several_threads(self):
        found = []

        def work(number):
            with mtf.Session() as s:
                s.run(f"dim n = {number}\nlet x = ones([n])")
                found.append(s["int(sum(x))"])

        threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 5)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.assertEqual(sorted(found), [1, 2, 3, 4])


if __name__ == "__main__":
    unittest.main(verbosity=1)
