#!/usr/bin/env python3
"""What the benchmarks of whole programs share: running them, a step's time, whether they computed what they should, and whether
a time can be.

    measure.py same A B     exit status 1 unless the numbers in the two files are the same but for rounding
"""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent.parent / "build"
MTF = Path(os.environ.get("MTF", BUILD / "mtf"))
PYTHON = "/usr/bin/python3"
OURS = dict(os.environ, OMPI_MCA_btl_vader_single_copy_mechanism="none", OMPI_MCA_rmaps_base_oversubscribe="1",
            OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def options(settings):
    """--set NAME=VALUE for each."""
    return [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]


def mpirun(ranks):
    bound = "core" if ranks <= (os.cpu_count() or 1) else "none"
    return ["mpirun", "-q", "--bind-to", bound, "-n", str(ranks)] if ranks > 1 else []


def start(words, environment, core=None):
    if core is not None:
        words = ["taskset", "-c", str(core)] + words
    words = ["nice", "-n", os.environ.get("NICE", "0")] + words
    return subprocess.Popen([str(word) for word in words], env=environment, stdout=subprocess.PIPE, text=True)


def finished(process):
    """Of a process and those that it waited for: output, seconds of the processor, MiB of the largest."""
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status != 0:
        sys.exit(f"{process.args} failed")
    return out, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def numbers(text):
    return [float(word) for word in re.findall(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\bnan\b|\binf\b)", text)]


def same(computed, expected, tolerance=1e-2):
    """Whether two texts hold the same numbers, at least one, each to this part of its size or of one thousandth."""
    a, b = numbers(computed), numbers(expected)
    return len(a) == len(b) > 0 and all(abs(x - y) <= tolerance * max(abs(y), 1e-3) for x, y in zip(a, b))


def check_once(script, words=(), settings={}, ranks=1):
    """Runs a script shortly, and its reference evaluation, and ends the program where they print other numbers."""
    common = [MTF, "run", script, *options(settings)]
    ours = finished(start(mpirun(ranks) + common + list(words), OURS))[0]
    reference = finished(start(common + ["--reference"], OURS))[0]
    if not same(ours, reference):
        sys.exit(f"{script} printed\n{ours}and its reference evaluation\n{reference}")


def events_of(file, rank=0):
    """What a rank did, of a timeline of ranks that host one processor each."""
    return [event for event in json.loads(Path(file).read_text())["traceEvents"] if event["ph"] == "X" and event["pid"] == rank]


def is_collective(event):
    """Collectives stand on a track of their own, the second of each processor."""
    return event["tid"] == 1


def steps_of_timeline(file, steps, operation=None, last=None):
    """The median seconds from one step to the next, of all but the first three, which touch memory for the first time: from what
    happens most often to its next time. Where several steps are one program, `operation` happens once in each step. Then it is the
    mean of the `last` ones, because the host's time stands between programs, and most steps begin inside one."""
    begins = {}
    for event in events_of(file):
        name = event["name"] if operation is None else event["name"].split(":")[0]
        if operation in (None, name):
            begins.setdefault(name, []).append(event["ts"])
    counts = [len(times) for times in begins.values() if steps - 2 <= len(times) <= steps + 1]
    if not counts:
        sys.exit(f"{file}: nothing happens once in each of {steps} steps")
    times = next(sorted(times) for times in begins.values() if len(times) == max(counts))
    if last:
        return (times[-1] - times[-last - 1]) / last / 1e6
    return statistics.median(b - a for a, b in zip(times[3:], times[4:])) / 1e6


def our_step(script, steps, words=(), settings={}, ranks=1, cores=1, operation=None, last=None):
    """Seconds a step, and the MiB of the largest process."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        command = mpirun(ranks) + [MTF, "run", script, *options({"steps": steps, **settings}), "--timeline", file.name, *words]
        memory = finished(start(command, OURS, core=0 if ranks == cores == 1 else None))[2]
        return steps_of_timeline(file.name, steps, operation, last), memory


def our_collectives(script, steps, words, settings, ranks):
    """Seconds of the collective of each step, on rank 0, but for the first three."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        finished(start(mpirun(ranks) + [MTF, "run", script, *options({"steps": steps, **settings}), "--timeline", file.name, *words], OURS))
        took = [event["dur"] / 1e6 for event in events_of(file.name) if is_collective(event) and event["name"].startswith(settings["kind"])]
    if not steps <= len(took) <= steps + 2:
        sys.exit(f"{script}: {len(took)} of {settings['kind']} in {steps} steps")
    return took[3:]


def elapsed(words):
    begin = time.perf_counter()
    finished(start(words, OURS, core=0))
    return time.perf_counter() - begin


def seconds_a_turn(words, option, low, high):
    """From two runs of different length, of what leaves no steps in a timeline."""
    return (elapsed([*words, "--set", f"{option}={high}"]) - elapsed([*words, "--set", f"{option}={low}"])) / (high - low)


def calibrated():
    """What `mtf calibrate` measures of one core."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "machine.json"
        finished(start([MTF, "calibrate", file], OURS, core=0))
        return json.loads(file.read_text())


def peers_speed():
    """How fast PyTorch multiplies matrices of each element type on one core; nothing without it."""
    if subprocess.run([PYTHON, "-c", "import torch"], capture_output=True).returncode != 0:
        return {}
    return json.loads(finished(start([PYTHON, HERE / "torch" / "product.py"], OURS, core=0))[0])


class Report:
    """Prints figures and keeps them; a time that cannot be is a failure. `machine` is what calibrated() gives, `peer` what
    another program was seen to do (peers_speed()): the machine can do whichever is more."""

    def __init__(self, machine, peer={}):
        self.figures, self.wrong = {}, []
        self.peak = {element: max(speed, peer.get(element, 0)) for element, speed in machine["flops"].items()}
        self.cache, self.memory = machine["cache_bandwidth"], machine["memory_bandwidth"]
        products = ", ".join(f"{self.peak[element] / 1e9:.0f} GFLOP/s of {element}" for element in ("f32", "bf16"))
        self.say(f"one core: {products}, {self.memory / 1e9:.0f} GB/s from memory, {self.cache / 1e9:.0f} GB/s from its cache")

    @staticmethod
    def say(text):
        print(text, flush=True)

    def add(self, name, seconds, flops=0, bytes=0, cores=1, element="f32", **more):
        """A figure; `flops` and `bytes` are what it computes and touches at the least, so that its speed can be told."""
        self.figures[name] = dict(seconds=seconds, **more)
        reason = None
        if not seconds > 0:
            reason = f"{seconds} s is no time"
        elif flops / seconds > 1.5 * cores * self.peak[element]:
            reason = f"{flops / seconds / 1e9:.0f} GFLOP/s, and {cores} core{'s have' if cores > 1 else ' has'} {cores * self.peak[element] / 1e9:.0f}"
        elif bytes / seconds > 1.5 * cores * self.cache:
            reason = f"{bytes / seconds / 1e9:.0f} GB/s, and {cores} core{'s have' if cores > 1 else ' has'} {cores * self.cache / 1e9:.0f}"
        if reason:
            self.fail(f"{name}: {reason}")
        return seconds

    def fail(self, text):
        self.wrong.append(text)
        self.say("IMPOSSIBLE: " + text)

    def finish(self, file=None):
        if file:
            Path(file).write_text(json.dumps(self.figures, indent=1) + "\n")
        self.say(f"{len(self.figures)} figures, {len(self.wrong)} impossible")
        return 1 if self.wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] != "same":
        sys.exit(__doc__)
    sys.exit(0 if same(Path(sys.argv[2]).read_text(), Path(sys.argv[3]).read_text()) else 1)
