#!/usr/bin/python3
"""tests/curves/run.py [--large] [FILTER]: what recipes take as the size is turned up that should not matter.

Each script of recipes/ has an option `n`, and prints the bytes of its peak as its last line. The script runs at three sizes,
with its layers as a list and, where it has the option `stack`, as one stacked model. Its first lines say what may grow:

    #: steps of training that print their losses         what `n` counts
    #: sizes 4 8 16, large 64 256 1024, each             `each`: n of something are kept, and the peak is that of one
    #: peak 1.02, rss 1.25, time 1.5                     bounds, where they are not these
    #: stack peak 1.1                                    one of the stacked form alone (or: list)

A bound is on the largest size over the smallest: `peak` on the peak, `rss` on the memory that the process has resident without
what the peak grows by, `time` on the processor time for each of n. --large takes the larger sizes. It also runs the recipes of
torch_recipes.py in PyTorch, where Debian's python3-torch is installed. The last line is `N passed, M failed`; the exit status is non-zero if one failed."""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
MTF = os.environ.get("MTF", os.path.join(TOP, "build", "mtf"))
PYTHON = "/usr/bin/python3"
DEFAULTS = {"peak": 1.02, "rss": 1.25, "time": 1.5}


class Recipe:
    def __init__(self, path, large):
        self.path = path
        self.name = os.path.basename(path)[: -len(".mtf")]
        with open(path) as file:
            text = file.read()
        notes = re.findall(r"^#: (.*)$", text, re.M)
        self.what = notes[0]
        sizes = re.match(r"sizes ([\d ]+), large ([\d ]+)(, each)?$", notes[1])
        if not sizes:
            sys.exit(f"{path}: no line of sizes")
        self.sizes = [int(n) for n in sizes[2 if large else 1].split()]
        self.each = sizes[3] is not None
        self.forms = [False, True] if re.search(r"^option stack\b", text, re.M) else [False]
        self.folder = re.search(r"^option folder\b", text, re.M) is not None
        self.bounds = {False: dict(DEFAULTS), True: dict(DEFAULTS)}
        for note in notes[2:]:
            only = re.match(r"(list|stack) (.*)", note)
            bounds = re.findall(r"(peak|rss|time) ([\d.]+)", only[2] if only else note)
            for form in [False, True] if not only else [only[1] == "stack"]:
                self.bounds[form].update({what: float(bound) for what, bound in bounds})


def measured(command):
    """The last line that a command prints, the KiB it had resident, and the seconds of its processor time."""
    out = tempfile.TemporaryFile("w+")
    process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=HERE)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    out.seek(0)
    text = out.read()
    lines = text.strip().split("\n")
    if process.returncode != 0 or not re.fullmatch(r"-?\d+", lines[-1]):
        raise RuntimeError(f"{' '.join(command)}\n{text}")
    return int(lines[-1]), usage.ru_maxrss, usage.ru_utime + usage.ru_stime


def run(recipe, stack, n):
    command = [MTF, "run", recipe.path, "--threads", "1", "--set", f"n={n}"]
    if stack:
        command += ["--set", "stack=true"]
    if not recipe.folder:
        return measured(command)
    with tempfile.TemporaryDirectory() as folder:
        return measured(command + ["--set", f"folder={folder}"])


def grown(recipe, points):
    """The largest size over the smallest, for each of the bounds."""
    sizes = recipe.sizes
    first, last = points[0], points[-1]
    more = sizes[-1] / sizes[0]
    return {
        "peak": last[0] / first[0] / (more if recipe.each else 1),
        "rss": (last[1] - max(0, last[0] - first[0]) / 1024) / first[1],
        "time": last[2] / first[2] / more,
    }


def figures(points):
    peaks = " ".join(f"{peak / 1024:9.0f}" for peak, _, _ in points)
    resident = " ".join(f"{rss / 1024:5.0f}" for _, rss, _ in points)
    times = " ".join(f"{seconds:6.2f}" for _, _, seconds in points)
    return f"{peaks} |{resident} |{times}"


def has_torch():
    if not os.path.exists(PYTHON):
        return False
    return subprocess.run([PYTHON, "-c", "import torch"], capture_output=True).returncode == 0


def main():
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    large = "--large" in sys.argv
    folder = os.path.join(HERE, "recipes")
    names = sorted(name for name in os.listdir(folder) if name.endswith(".mtf"))
    recipes = [Recipe(os.path.join(folder, name), large) for name in names]
    if arguments:
        recipes = [recipe for recipe in recipes if re.search(arguments[0], recipe.path)]
    torch = large and has_torch()
    print(f"{'recipe':24} {'form':5} {'n':>14} | {'peak, KiB':>29} | {'RSS, MiB':>17} | {'processor s':>20} | "
          "grown: peak rss time")
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(1 if large else 2) as pool:
        jobs = [(recipe, stack, [pool.submit(run, recipe, stack, n) for n in recipe.sizes])
                for recipe in recipes for stack in recipe.forms]
        for recipe, stack, futures in jobs:
            form = "stack" if stack else "list"
            try:
                points = [future.result() for future in futures]
            except RuntimeError as error:
                print(f"FAILED {recipe.name} {form}: {error}")
                failed += 1
                continue
            by = grown(recipe, points)
            over = [f"{what} {by[what]:.2f}, at most {bound}"
                    for what, bound in recipe.bounds[stack].items() if by[what] > bound]
            sizes = " ".join(str(n) for n in recipe.sizes)
            ratios = " ".join(f"{by[what]:.2f}" for what in DEFAULTS)
            print(f"{recipe.name:24} {form:5} {sizes:>14} | {figures(points)} | {ratios}")
            if over:
                print(f"FAILED {recipe.name} {form} ({recipe.what}): {'; '.join(over)}")
            failed += bool(over)
            passed += not over
    if torch:
        beside_torch(recipes)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


def beside_torch(recipes):
    """PyTorch's resident memory and time of the same recipes: of the process, and above one that has only imported it."""
    script = os.path.join(HERE, "torch_recipes.py")
    names = subprocess.run([PYTHON, script], capture_output=True, text=True, check=True).stdout.split()
    _, base, started = measured([PYTHON, script, "nothing", "1"])
    print(f"{'beside PyTorch':24} {'':5} {'n':>14} | MiB resident: mtf, PyTorch; above an empty process | processor s: mtf, PyTorch")
    _, own_base, own_started = measured([MTF, "run", "-e", "print(0)"])
    for recipe in recipes:
        if recipe.name not in names:
            continue
        n = recipe.sizes[-1]
        _, own, own_time = run(recipe, False, n)
        _, other, other_time = measured([PYTHON, script, recipe.name, str(n)])
        print(f"{recipe.name:24} {'list':5} {n:>14} | {own / 1024:6.0f} {other / 1024:6.0f} {(own - own_base) / 1024:8.1f} "
              f"{(other - base) / 1024:6.1f} | {own_time - own_started:8.2f} {other_time - started:8.2f}")


if __name__ == "__main__":
    sys.exit(main())
