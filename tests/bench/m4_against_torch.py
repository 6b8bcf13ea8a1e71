#!/usr/bin/env python3
"""tests/bench/m4_against_torch.py CORPUS [--prefix multi30k-] [--seeds 1 2 3] [--steps 600] [--json FILE]: examples/m4.mtf, with
a mixture of experts and dense, beside the same models in PyTorch (torch/m4.py): BLEU of the three languages, and the seconds of
processor time of a whole run. CORPUS has train.en.gz, val.en.gz and so on. Each trains on one thread, with each seed, some ten
minutes a run."""
import argparse
import json
import re
import sys
import tempfile
from pathlib import Path

from measure import HERE, MTF, OURS, PYTHON, finished, options, start

LANGUAGES = ("cs", "de", "fr")


def bleu(text):
    found = dict(re.findall(r"^(\w+): BLEU ([\d.]+)", text, re.MULTILINE))
    if sorted(found) != sorted(LANGUAGES):
        sys.exit(f"no BLEU of each language in:\n{text}")
    return [float(found[language]) for language in LANGUAGES]


def ours(corpus, experts, seed, steps):
    script = HERE.parent.parent / "examples" / "m4.mtf"
    out, seconds, _ = finished(start([MTF, "run", script, "--threads", 1] +
                                     options({**corpus, "n_experts": experts, "draw": seed, "steps": steps}), OURS))
    return bleu(out), seconds


def theirs(corpus, ids, found, experts, seed, steps):
    _, seconds, _ = finished(start([PYTHON, HERE / "torch" / "m4.py", ids, found, "--experts", experts, "--seed", seed, "--steps", steps], OURS))
    out, _, _ = finished(start([MTF, "run", HERE / "m4_bleu.mtf"] + options({**corpus, "file": found}), OURS))
    return bleu(out), seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("--prefix", default="")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    corpus = {"corpus": given.corpus, "prefix": given.prefix}
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        ids, found = Path(folder) / "ids.txt", Path(folder) / "found.txt"
        ids.write_text(finished(start([MTF, "run", HERE / "m4_ids.mtf"] + options(corpus), OURS))[0])
        for seed in given.seeds:
            for experts in (8, 0):
                for name in ("mtf", "PyTorch"):
                    scores, seconds = (ours(corpus, experts, seed, given.steps) if name == "mtf" else
                                       theirs(corpus, ids, found, experts, seed, given.steps))
                    model = "mixture" if experts else "dense"
                    figures.append({"seed": seed, "model": model, "by": name, "bleu": dict(zip(LANGUAGES, scores)), "seconds": seconds})
                    print(f"seed {seed}  {model:8} {name:8}" + "".join(f"  {language} {score:4.1f}" for language, score in zip(LANGUAGES, scores)) +
                          f"  {seconds:5.0f} s", flush=True)
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1) + "\n")


main()
