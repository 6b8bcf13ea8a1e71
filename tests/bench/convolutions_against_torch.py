#!/usr/bin/env python3
"""tests/bench/convolutions_against_torch.py [--settings 500] [--seed 0] [--only NUMBER]: random convolutions and their gradients
beside PyTorch's (Debian's python3-torch).

A setting is one to three dims with their sizes, windows, strides, dilations, base dilations and padding (which may leave elements
out), groups or none, transposed or not, and the dim that is split. Each runs whole, on 15 processors that one process hosts, and on
2, 3 and 4 ranks. A run that differs, fails or hangs is named, with the script that shows it. Exit status 1 if there was one."""
import argparse
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
import torch.nn.functional as F

from measure import MTF, OURS

RUNS = {"whole": (1, 1), "15 processors": (1, 15), "2 ranks": (2, 2), "3 ranks": (3, 3), "4 ranks": (4, 4)}
BATCH = 50     # settings of one script
SECONDS = 120  # that a script may take


def places(along, transposed):
    """How many places the result has along a dim."""
    reach = (along["taps"] - 1) * along["dilation"] + 1
    spread, step = (along["stride"], along["base"]) if transposed else (along["base"], along["stride"])
    full = (along["size"] - 1) * spread + (reach - along["low"] - along["high"] if transposed else along["low"] + along["high"] + 1)
    if transposed:
        return 0 if full < 1 else (full + step - 2) // step + 1
    return 0 if full < reach else (full - reach) // step + 1


def random_setting(number, dice):
    order = dice.choice([1, 1, 2, 2, 3])
    most = [24, 10, 6][order - 1]
    transposed = dice.random() < 0.35
    while True:
        space = [dict(size=dice.randint(1, most), taps=dice.randint(1, [7, 4, 3][order - 1]), stride=dice.choice([1, 1, 2, 3]),
                      dilation=dice.choice([1, 1, 2, 3]), base=dice.choice([1, 1, 1, 2, 3]), low=dice.randint(-1, 4),
                      high=dice.randint(-1, 4)) for _ in range(order)]
        if all(1 <= places(along, transposed) <= 60 for along in space):
            break
    sizes = dict(n=dice.randint(1, 4), g=dice.choice([1, 1, 2, 3]), i=dice.randint(1, 5), o=dice.randint(1, 5))
    split = dice.choice(["n", "g", "i", "o"] + 2 * [f"s{d}" for d in range(order)])
    return dict(number=number, transposed=transposed, space=space, sizes=sizes, split=split, element=dice.choice(["f32", "f64"]))


def function_of(setting):
    space = setting["space"]
    s, k = [f"s{d}" for d in range(len(space))], [f"k{d}" for d in range(len(space))]
    dims = {**setting["sizes"], **{s[d]: a["size"] for d, a in enumerate(space)}, **{k[d]: a["taps"] for d, a in enumerate(space)}}
    each = lambda key: "[" + ", ".join(str(along[key]) for along in space) + "]"
    tensor = lambda names: f"random.uniform([{', '.join(names)}], low: -1, high: 1, {setting['element']})"
    return f"""fn setting{setting['number']}() {{
  dim {', '.join(f'{name} = {size}' for name, size in dims.items())}
  layout split = {{{setting['split']} -> p}}
  let x = {tensor(['n', 'g', 'i'] + s)}
  let w = {tensor(['g', 'o', 'i'] + k)}
  let y = conv(x, w, {', '.join(map('{}: {}'.format, s, k))}, stride: {each('stride')}, dilation: {each('dilation')},
    base_dilation: {each('base')}, pad: [{', '.join(f"({a['low']}, {a['high']})" for a in space)}], transposed: {str(setting['transposed']).lower()}
    -> [n, g, o, {', '.join(s)}])
  let d = grad(sum(y * (y + 1)), [x, w])
  checkpoint.write("{{folder}}/{setting['number']}", ["x", "w", "y", "d_x", "d_w"], [x, w, y, d[0], d[1]])
  print("{setting['number']}")
}}
"""


def script_of(settings):
    return ("import checkpoint\noption folder = \".\"\nmesh line = [p: 1]\n" + "".join(map(function_of, settings)) +
            "".join(f"setting{setting['number']}()\n" for setting in settings))


def tensors_of(file):
    data = file.read_bytes()
    begin = 8 + int.from_bytes(data[:8], "little")
    entries = {name: entry for name, entry in json.loads(data[8:begin]).items() if name != "__metadata__"}
    types = {"F32": torch.float32, "F64": torch.float64}
    return {name: torch.frombuffer(bytearray(data[begin + entry["data_offsets"][0]:begin + entry["data_offsets"][1]]),
                                   dtype=types[entry["dtype"]]).reshape(entry["shape"]) for name, entry in entries.items()}


def spread(x, base):
    """x with zeros between its elements along each dim of space."""
    sizes = [(size - 1) * step + 1 for size, step in zip(x.shape[2:], base)]
    wide = torch.zeros(*x.shape[:2], *sizes, dtype=x.dtype)
    wide[(..., *(slice(None, None, step) for step in base))] = x
    return wide


def torchs(setting, given):
    """What PyTorch computes of x and w: y, and its gradients."""
    space, groups = setting["space"], setting["sizes"]["g"]
    order = len(space)
    each = lambda key: [along[key] for along in space]
    pads = lambda low, high: [n for pair in reversed(list(zip(low, high))) for n in pair]
    x, w = given["x"].double().requires_grad_(), given["w"].double().requires_grad_()
    flat, weight = x.flatten(1, 2), w.flatten(0, 1)
    if setting["transposed"]:
        size = [places(along, True) for along in space]
        weight = w.transpose(1, 2).flatten(0, 1)
        full = [F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d][order - 1](
            flat, weight, stride=each("stride"), dilation=each("dilation"), groups=groups)
        last = [(n - 1) * along["base"] + 1 for n, along in zip(size, space)]
        high = [need - have + low for need, have, low in zip(last, full.shape[2:], each("low"))]
        y = F.pad(full, pads([-low for low in each("low")], high))[(..., *(slice(None, None, step) for step in each("base")))]
    else:
        padded = F.pad(spread(flat, each("base")), pads(each("low"), each("high")))
        y = [F.conv1d, F.conv2d, F.conv3d][order - 1](padded, weight, stride=each("stride"), dilation=each("dilation"), groups=groups)
    y = y.unflatten(1, (groups, setting["sizes"]["o"]))
    d_x, d_w = torch.autograd.grad((y * (y + 1)).sum(), [x, w])
    return {"y": y.detach(), "d_x": d_x, "d_w": d_w}


def difference(setting, found):
    """What is wrong, or nothing."""
    tolerance = 1e-10 if setting["element"] == "f64" else 2e-5
    for name, expected in torchs(setting, found).items():
        if found[name].shape != expected.shape:
            return f"{name} has the sizes {list(found[name].shape)} and not {list(expected.shape)}"
        worst = float((found[name].double() - expected).abs().max() / max(1, float(expected.abs().max())))
        if not worst <= tolerance:
            return f"{name} differs by {worst:.1e} of its largest element"
    return None


def failures(settings, run, folder):
    """(setting, what is wrong) of those that go wrong in a run; each is in a script with others, which goes on behind one that fails."""
    ranks, processors = RUNS[run]
    while settings:
        now = settings[:BATCH]
        script = folder / "settings.mtf"
        script.write_text(script_of(now))
        for file in folder.glob("[0-9]*"):
            file.unlink()
        words = [*(["mpirun", "-q", "-n", ranks] if ranks > 1 else []), MTF, "run", script, "--mesh", f"p:{processors}", "--set", f"folder={folder}"]
        with subprocess.Popen(list(map(str, words)), env=OURS, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            try:
                out, why = process.communicate(timeout=SECONDS)[0], None
            except subprocess.TimeoutExpired:
                process.terminate()
                out, why = process.communicate()[0], "hangs"
        done = [setting for setting in now if setting["number"] in map(int, filter(str.isdigit, out.split("\n")))]
        for setting in done:
            if wrong := difference(setting, tensors_of(folder / str(setting["number"]))):
                yield setting, wrong
        if len(done) < len(now):
            yield now[len(done)], why or "fails: " + out.strip().replace("\n", "\n    ")
            done.append(now[len(done)])
        settings = settings[len(done):]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--settings", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="the number of the only setting to try")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    dice = random.Random(asked.seed)
    settings = [random_setting(number, dice) for number in range(asked.settings)]
    if asked.only is not None:
        settings = [settings[asked.only]]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for run in RUNS:
            count = 0
            for setting, what in failures(settings, run, Path(folder)):
                print(f"setting {setting['number']}, {run}: {what}\n{script_of([setting])}", flush=True)
                count += 1
            print(f"{run}: {len(settings) - count} of {len(settings)} settings agree", flush=True)
            wrong += count
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
