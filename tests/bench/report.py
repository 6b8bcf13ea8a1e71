"""The report that tests/bench/run prints."""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import BUILD, HERE, MTF, OURS, PYTHON, Report, calibrated, check_once, events_of, finished, is_collective, mpirun, options, our_collectives, our_step, peers_speed, seconds_a_turn, start

TURNS = int(os.environ.get("TURNS", "5"))


def in_turns(*runs):
    """The medians of functions that take turns."""
    times = [[] for _ in runs]
    for _ in range(TURNS):
        for run, mine in zip(runs, times):
            mine.append(run())
    return [statistics.median(mine) for mine in times]


def their_seconds(words, **environment):
    """What a peer in tests/bench/torch says of itself, on one core."""
    return json.loads(finished(start([PYTHON, *words], dict(os.environ, OPENBLAS_NUM_THREADS="1", **environment), core=0))[0])["wall"]


def google_benchmarks(report, name):
    """What a benchmark in C++ says of itself."""
    told = json.loads(finished(start([BUILD / "tests" / name, "--benchmark_format=json"], OURS, core=0))[0])
    unit = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
    for figure in told["benchmarks"]:
        which = figure["name"].removesuffix("/manual_time").replace("/min_time:", " of ")
        if figure.get("error_occurred"):
            report.fail(f"{which}: {figure['error_message']}")
            continue
        seconds = figure["real_time"] * unit[figure["time_unit"]]
        rates = {rate: figure[rate] for rate in ("ratio", "GFLOP/s", "GB/s", "us_per_operation", "items_per_second") if rate in figure}
        median = 1e9 * max(rates.get("GFLOP/s", 0), 0), 1e9 * max(rates.get("GB/s", 0), 0)
        report.say(f"{which:66} {1e3 * seconds:10.4f} ms" + "".join(f"  {rate} {value:.4g}" for rate, value in rates.items()))
        report.add(which, seconds, flops=median[0] * seconds, bytes=median[1] * seconds, **rates)
        if any(not value > 0 for value in rates.values()):
            report.fail(f"{which}: {rates}")


def products_against_psgemm(report, folder):
    size = 2048
    peer = folder / "psgemm"
    built = subprocess.run(["mpicxx", "-O2", "-o", peer, HERE / "psgemm" / "psgemm.cpp", "-lscalapack-openmpi"], capture_output=True)
    if built.returncode != 0:
        return report.say("left out: psgemm, which libscalapack-openmpi-dev has")
    for split in "mkn":
        words, script = ["--threads", "1", "--layout", f"{split}:all"], HERE / "product.mtf"
        check_once(script, words, {"steps": 2, "split": split}, ranks=2)
        ours, theirs = in_turns(lambda: our_step(script, 16, words, {"split": split}, ranks=2)[0],
                                lambda: float(finished(start(mpirun(2) + [peer, str(size)], OURS))[0]))
        report.say(f"split over {split}: {1e3 * ours:.1f} ms, psgemm {1e3 * theirs:.1f} ms: {theirs / ours:.2f} times its speed")
        report.add(f"product split over {split}", ours, flops=2 * size**3, cores=2, psgemm=theirs)
        report.add(f"psgemm beside {split}", theirs, flops=2 * size**3, cores=2)


def collectives_against_open_mpi(report, folder):
    """Medians on two ranks, means where there are more ranks than cores, as who waits for a core waits long."""
    script, peer = HERE / "collectives.mtf", folder / "collective"
    subprocess.run(["mpicxx", "-O2", "-o", peer, HERE / "openmpi" / "collective.cpp"], check=True)
    for ranks, sizes in ((2, (1 << 10, 32 << 10, 64 << 10, 1 << 20, 8 << 20, 32 << 20)), (4, (1 << 10, 32 << 10, 1 << 20)), (8, (1 << 10, 32 << 10, 1 << 20))):
        words = ["--threads", "1", "--mesh", f"all:{ranks}"]
        typical, which = (statistics.median, 0) if ranks == 2 else (statistics.mean, 1)
        for kind in ("all_reduce", "all_gather", "reduce_scatter", "all_to_all"):
            check_once(script, words, {"steps": 2, "kind": kind, "ranks": ranks}, ranks=ranks)
            for size in sizes:
                settings, steps = {"kind": kind, "ranks": ranks, "numbers": size // 4}, 500 if size <= 64 << 10 else 100 if size <= 1 << 20 else 20
                ours, theirs = in_turns(lambda: typical(our_collectives(script, steps, words, settings, ranks)),
                                        lambda: float(finished(start(mpirun(ranks) + [peer, kind, str(size), str(steps)], OURS))[0].split()[which]))
                name = f"{kind} of {size >> 10} KiB on {ranks} ranks"
                report.say(f"{name}: {1e6 * ours:.2f} us, Open MPI {1e6 * theirs:.2f} us: {ours / theirs:.2f} of its time")
                report.add(name, ours, openmpi=theirs)


def two_ranks_against_one(report):
    script, settings = HERE / "mlp.mtf", {"batch": 1024, "hidden": 4096}
    flops = 6 * 1024 * 784 * 4096  # the larger layer's three products, of which the gradient of x is not needed
    words = ["--threads", "1", "--layout", "hidden:all"]
    check_once(script, words, {"steps": 2, **settings}, ranks=2)
    one, two = in_turns(lambda: our_step(script, 10, ["--threads", "1"], settings)[0], lambda: our_step(script, 10, words, settings, ranks=2)[0])
    report.say(f"one rank {1e3 * one:.1f} ms, two ranks {1e3 * two:.1f} ms: {one / two:.2f} times as fast")
    report.add("MLP of 4096 on one rank", one, flops=flops * 2 // 3)
    report.add("MLP of 4096 on two ranks", two, flops=flops * 2 // 3, cores=2)


def host_language_against_python(report):
    """What a turn, a call, an element, a word takes, from the processor's seconds of two runs of different length."""
    low, high = 10_000, 1_010_000
    for script in sorted((HERE / "host").glob("*.mtf")):
        ours = lambda count: [MTF, "run", script, "--threads", "1", "--set", f"n={count}"]
        theirs = lambda count: [PYTHON, script.with_suffix(".py"), count]
        printed = [finished(start(words(low), OURS, core=0))[0] for words in (ours, theirs)]
        if printed[0] != printed[1]:
            sys.exit(f"{script} printed\n{printed[0]}and CPython\n{printed[1]}")
        def each(words):
            return (finished(start(words(high), OURS, core=0))[1] - finished(start(words(low), OURS, core=0))[1]) / (high - low)
        mine, other = in_turns(lambda: each(ours), lambda: each(theirs))
        report.say(f"{script.stem}: {1e9 * mine:.0f} ns each, CPython {1e9 * other:.0f} ns: {mine / other:.2f} of its time")
        report.add(f"host language, {script.stem}", mine, python=other)


def reading(report, folder):
    for settings in ({"batch": 16, "length": 32, "words": 128, "d_model": 64, "layers": 2},
                     {"batch": 16, "length": 64, "words": 2048, "d_model": 128, "layers": 4}):
        script, settings = HERE / "reader.mtf", {"ids": folder / "ids", **settings}
        check_once(script, ["--threads", "1"], {"steps": 3, "trains": "true", **settings})
        check_once(script, ["--threads", "1"], {"steps": 20, **settings})
        words = [MTF, "run", script, "--threads", "1", *options(settings)]
        read, step = in_turns(lambda: seconds_a_turn(words, "steps", 200, 10200),
                              lambda: our_step(script, 20, ["--threads", "1"], {"trains": "true", **settings})[0])
        name = f"batch of {settings['batch']} x {settings['length']}"
        report.say(f"{name}: {1e6 * read:.1f} us of a step of {1e3 * step:.2f} ms")
        report.add(f"{name}, read", read, bytes=8 * settings["batch"] * settings["length"])
        report.add(f"{name}, trained on", step)


def a_mixture_against_its_experts(report):
    script, ways = HERE / "experts.mtf", ("alone", "places", "products")
    for way in ways:
        check_once(script, ["--threads", "1"], {"steps": 2, "way": way, "length": 64})
    alone, places, products = in_turns(*(lambda way=way: our_step(script, 10, ["--threads", "1"], {"way": way})[0] for way in ways))
    report.say(f"experts alone {1e3 * alone:.1f} ms, the layer by places {1e3 * places:.1f} ms, by products {1e3 * products:.1f} ms: "
               f"{places / alone:.2f} and {products / alone:.2f} of their time")
    for way, seconds in zip(ways, (alone, places, products)):
        report.add(f"64 experts, {way}", seconds, flops=12 * 2 * 4 * 512 * 512 * 1024)


def idle_share(file, operation, micro, layers):
    """Of a pipeline of two stages: the share of a pass in which a rank waits, and a pass's seconds, medians but for the first two. What
    happens once in a layer tells how long a layer takes, within a micro-batch, and when the first rank begins and the last ends."""
    turns, shares, passes = micro * layers, [], []
    begins = [sorted(e["ts"] for e in events_of(file, rank) if e["name"].split(":")[0] == operation) for rank in (0, 1)]
    for end in range(3 * turns, len(begins[0]) + 1, turns):
        first, last = sorted(times[end - turns:end] for times in begins)
        layer = statistics.mean(b - a for times in (first, last) for k, (a, b) in enumerate(zip(times, times[1:])) if k % layers != layers - 1)
        passes.append(last[-1] + layer - first[0])
        shares.append(1 - turns * layer / passes[-1])
    return statistics.median(shares), statistics.median(passes) / 1e6


def a_pipeline_waits(report, folder):
    script, micro, layers = HERE.parent.parent / "examples" / "pipeline.mtf", 4, 4
    file = folder / "pipeline.json"
    finished(start(mpirun(2) + [MTF, "run", script, "--threads", "1", "--mesh", "stage:2", "--timeline", file,
                                *options({"micro": micro, "layers": 2 * layers, "d_model": 256, "length": 128, "steps": 16})], OURS))
    for name, operation in (("forward", "attention"), ("backward", "attention_gradient")):
        share, seconds = idle_share(file, operation, micro, layers)
        report.say(f"{name}: a rank waits {share:.3f} of the time, and 1 of {micro + 1} turns is {1 / (micro + 1):.3f}")
        report.add(f"a pass of a pipeline, {name}", seconds, idle=share)


def a_loop_of_permutes(report):
    """A product whose operand is gathered, and the same in a loop: seconds, and what of the time a rank does not compute."""
    script, turns = HERE / "stored_in_parts.mtf", 8
    def seconds_and_waits(*words):
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            finished(start(mpirun(2) + [MTF, "run", script, "--threads", "1", "--timeline", file.name, *options({"steps": turns}), *words], OURS))
            events = [event for event in events_of(file.name) if not is_collective(event)]
        first = min(event["ts"] for event in events if event["name"].startswith("einsum"))
        events = [event for event in events if event["ts"] >= first]
        wall = max(event["ts"] + event["dur"] for event in events) - first
        return wall / turns / 1e6, 1 - sum(event["dur"] for event in events) / wall
    check_once(script, ["--threads", "1", "--memory", "1MiB"], {"steps": 1, "n": 512}, ranks=2)
    figures = {"gathered": [], "in a loop of permutes": []}
    for _ in range(TURNS):
        for (name, found), words in zip(figures.items(), ((), ("--memory", "64MiB"))):
            found.append(seconds_and_waits(*words))
    for name, found in figures.items():
        seconds, waits = (statistics.median(each) for each in zip(*found))
        report.say(f"{name}: {1e3 * seconds:.0f} ms, of which a rank waits {waits:.3f}")
        report.add(f"a product with an operand in parts, {name}", seconds, waits=waits)


def mnist_against_torch(report):
    script, peer = HERE / "mlp.mtf", HERE / "torch" / "mlp.py"
    check_once(script, ["--threads", "2"], {"steps": 3})
    def torch(**environment):
        return their_seconds([peer], **environment)
    one, two, theirs, avx2 = in_turns(lambda: our_step(script, 60, ["--threads", "1"])[0], lambda: our_step(script, 60, ["--threads", "2"], cores=2)[0], torch,
                                      lambda: torch(OPENBLAS_CORETYPE="Haswell"))
    best = min(theirs, avx2)
    report.say(f"one thread {1e3 * one:.2f} ms, two threads {1e3 * two:.2f} ms, PyTorch {1e3 * theirs:.2f} ms, with OpenBLAS's AVX2 kernels "
               f"{1e3 * avx2:.2f} ms: {one / best:.2f} and {two / best:.2f} of its time")
    flops = 4 * 256 * 784 * 1024
    report.add("MNIST step, one thread", one, flops=flops)
    report.add("MNIST step, two threads", two, flops=flops, cores=2)
    report.add("MNIST step, PyTorch", best, flops=flops)


def tiny_transformers_against_torch(report):
    """What the host does for each operation: dims of 4 to 64, of which nearly nothing is computed."""
    script, peer = HERE / "tiny.mtf", HERE / "torch" / "gpt.py"
    for layers in (12, 48):
        ways = {"stacked": "true", "a list": "false"}
        for stacked in ways.values():
            check_once(script, ["--threads", "1"], {"steps": 2, "layers": layers, "stacked": stacked})
        theirs = lambda: their_seconds([peer, "--sizes", f"{layers},16,1,4,1,32", "--steps", "30"])
        *mine, other = in_turns(*(lambda stacked=stacked: our_step(script, 40, ["--threads", "1"], {"layers": layers, "stacked": stacked})[0] for stacked in ways.values()),
                                theirs)
        for way, seconds in zip(ways, mine):
            report.say(f"{layers} tiny layers, {way}: {1e3 * seconds:.2f} ms, PyTorch {1e3 * other:.2f} ms: {seconds / other:.2f} of its time")
            report.add(f"{layers} tiny layers, {way}", seconds, torch=other)


def decoding_against_torch(report, folder):
    """A token of GPT-2, for which each weight is read once: beside PyTorch's, and beside the time in which the weights come from memory."""
    script, peer, weights = HERE / "decode.mtf", HERE / "torch" / "decode.py", 12 * 12 * 768**2 + 50257 * 768
    check_once(script, ["--threads", "1"], {"steps": 4, "layers": 2, "vocab": 64})
    for precision, words, size in (("f32", [], 4), ("bf16", ["--bf16"], 2), ("mixed", ["--bf16"], 2)):
        copy = folder / f"decode_{precision}.mtf"
        copy.write_text(script.read_text().replace("import decode", f"precision {precision}\nimport decode", 1))
        def mine(steps):
            return our_step(copy, steps, ["--threads", "1"], operation="argmax", last=32)[0]
        # The memory of a shared machine is faster at one time than at another.
        short, long, other, bandwidth = in_turns(lambda: mine(64), lambda: mine(512), lambda: their_seconds([peer, "--length", 65, *words]),
                                                 lambda: calibrated()["memory_bandwidth"])
        limit = size * weights / bandwidth
        report.say(f"a token of GPT-2, {precision}: {1e3 * short:.1f} ms, PyTorch {1e3 * other:.1f} ms: {short / other:.2f} of its time, {short / limit:.2f} of its "
                   f"weights' from memory; after 500 others {long / short:.2f} times that after 50")
        report.add(f"a token of GPT-2, {precision}", short, torch=other, after_500=long, limit=limit)


def convolutions_against_torch(report):
    """Of each layer's output and gradients, our time over PyTorch's."""
    bench, peer = BUILD / "tests" / "bench_convolution_bench", HERE / "torch" / "conv.py"
    names = finished(start([bench, "--benchmark_list_tests"], OURS))[0].split()
    ours, theirs = ({name: [] for name in names} for _ in range(2))
    for _ in range(TURNS):
        told = json.loads(finished(start([bench, "--benchmark_format=json", "--benchmark_min_time=0.1"], OURS, core=0))[0])
        for figure in told["benchmarks"]:
            ours[figure["name"]].append(figure["real_time"] * 1e-9)
        for name, seconds in json.loads(finished(start([PYTHON, peer, *names], OURS, core=0))[0]).items():
            theirs[name].append(seconds)
    for name in names:
        mine, other = statistics.median(ours[name]), statistics.median(theirs[name])
        which = name.removesuffix("/manual_time")
        report.say(f"{which}: {1e3 * mine:.2f} ms, PyTorch {1e3 * other:.2f} ms: {mine / other:.2f} of its time")
        report.add(f"{which} beside PyTorch", mine, torch=other)


def main():
    parser = argparse.ArgumentParser(prog="tests/bench/run")
    parser.add_argument("--json", metavar="FILE", help="also write the figures, by name, to compare two commits")
    asked = parser.parse_args()
    report = Report(calibrated(), peers_speed())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for bench in ("kernels_bench", "convolution_bench", "programs_bench", "planning_bench"):
            report.say(f"== {bench}")
            google_benchmarks(report, f"bench_{bench}")
        report.say("== a product of two 2048×2048 matrices on two ranks, against psgemm")
        products_against_psgemm(report, folder)
        report.say("== collectives against Open MPI's")
        collectives_against_open_mpi(report, folder)
        report.say("== two ranks against one: batch 1024, hidden 4096")
        two_ranks_against_one(report)
        report.say("== a pipeline of two stages and four micro-batches on two ranks")
        a_pipeline_waits(report, folder)
        report.say("== a product with an operand that two ranks store in parts")
        a_loop_of_permutes(report)
        report.say("== the language of the host against CPython, on one core")
        host_language_against_python(report)
        report.say("== what a batch takes to be read, beside the step that it is for")
        reading(report, folder)
        report.say("== a mixture of 64 experts, forward and backward, against its experts' products alone")
        a_mixture_against_its_experts(report)
        if subprocess.run([PYTHON, "-c", "import torch"], capture_output=True).returncode == 0:
            from against_torch import transformers_against_torch
            from operations import operations_against_torch
            report.say("== single operations against PyTorch's on one core")
            operations_against_torch(report, folder)
            report.say("== the MNIST step (batch 256, hidden 1024) against PyTorch on one core")
            mnist_against_torch(report)
            report.say("== Transformers of tiny dims with AdamW against PyTorch on one core")
            tiny_transformers_against_torch(report)
            report.say("== GPT-2 of 124 million parameters writes, against PyTorch on one core")
            decoding_against_torch(report, folder)
            report.say("== convolutions on one core: output, and gradients of input and window")
            convolutions_against_torch(report)
            report.say("== the steps of a character GPT and of GPT-2, and causal attention of 8 heads of 64 and length 2,048, forward and backward")
            transformers_against_torch(report, TURNS)
        else:
            report.say("left out: PyTorch, which python3-torch has")
    return report.finish(asked.json)


sys.exit(main())
