#!/usr/bin/env python3
"""tests/bench/against_torch.py [TURNS]: the steps of a character GPT and of GPT-2, and attention, beside PyTorch's (Debian's python3-torch).

Both take turns, so that what else the machine does falls on both. Of a step: milliseconds of the clock, the median of a
run's steps after the first ones, and of the turns; the ratio of the medians; the peak memory of a process. PyTorch has its
fastest settings: AVX-512 where the processor has it (ATEN_CPU_CAPABILITY), OpenBLAS with the kernels that it chooses itself
and, as it knows no processor younger than itself, with those for AVX-512, whichever is faster; bf16 by autocast and with
the whole model in bf16. Where step_products_bench is built (`ninja bench`), a step on one rank is also divided by the time
of its matrix products alone. NICE gives runs another priority.

A run's first steps are left out, as they touch memory for the first time, which may take as long as several steps; the
difference of a long and a short run is no measure of a step for the same reason."""
import json
import os
import re
import statistics
import sys
import tempfile
from pathlib import Path

from measure import BUILD, HERE, OURS, PYTHON, Report, calibrated, check_once, finished, our_step, peers_speed, start

PRODUCTS = BUILD / "tests" / "bench_step_products_bench"
STEPS = 15
AVX512 = "avx512f" in Path("/proc/cpuinfo").read_text()
THEIRS = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MASTER_ADDR="127.0.0.1", GLOO_SOCKET_IFNAME="lo",
              **({"ATEN_CPU_CAPABILITY": "avx512"} if AVX512 else {}))
# The kernels of OpenBLAS that may be the fastest.
KERNELS = {"OpenBLAS's own choice": THEIRS} | ({"OpenBLAS for AVX-512": dict(THEIRS, OPENBLAS_CORETYPE="SkylakeX")} if AVX512 else {})


def layout_for(ranks):
    return ["--threads", "1", *(["--mesh", f"all:{ranks}", "--layout", "batch:all"] if ranks > 1 else [])]


def their_step(script, arguments, ranks, environment):
    """Seconds a step, and the MiB of the largest process."""
    port = str(20000 + os.getpid() % 20000)
    started = [start([PYTHON, HERE / "torch" / script] + arguments,
                     dict(environment, WORLD_SIZE=str(ranks), RANK=str(rank), MASTER_PORT=port), core=rank) for rank in range(ranks)]
    told = [finished(process) for process in started]
    return json.loads(told[0][0])["wall"], max(memory for _, _, memory in told)


def mixed(script, folder):
    """A copy of a script that begins with `precision mixed`, behind its description."""
    copy = folder / script.name
    copy.write_text(re.sub(r"(?m)\A((?:##.*\n)*)", r"\1precision mixed\n", script.read_text(), count=1))
    return copy


def transformers_against_torch(report, turns):
    def compare(name, script, flops, element, ranks, theirs, settings={}, small={}, steps=STEPS, turns=turns):
        """`theirs`: a function for each setting that runs a turn, of which the fastest counts. `settings`: the model's sizes;
        `small`: those that are smaller where it is compared with its reference evaluation."""
        check_once(script, layout_for(ranks), {**settings, **small, "steps": 2}, ranks=ranks)
        mine, others = [], {setting: [] for setting in theirs}
        for _ in range(turns):
            mine.append(our_step(script, steps, layout_for(ranks), settings, ranks))
            for setting, run in theirs.items():
                others[setting].append(run())
        middle = lambda runs: statistics.median(seconds for seconds, _ in runs)
        best = min(others, key=lambda setting: middle(others[setting]))
        report.say(f"{name:34} {1e3 * middle(mine):8.1f} ms {max(m for _, m in mine):5.0f} MiB   PyTorch {1e3 * middle(others[best]):8.1f} ms "
                   f"{max(m for _, m in others[best]):5.0f} MiB ({best})   {middle(others[best]) / middle(mine):.2f} times as fast")
        for setting, runs in others.items():
            if setting != best:
                report.say(f"{'':34} {'':24}         {1e3 * middle(runs):8.1f} ms {max(m for _, m in runs):5.0f} MiB ({setting})")
        memory = lambda runs: max(peak for _, peak in runs)
        report.add(name, middle(mine), flops=flops, cores=ranks, element=element, mebibytes=memory(mine))
        report.add(name + ", PyTorch", middle(others[best]), flops=flops, cores=ranks, element=element, mebibytes=memory(others[best]))

    def compare_with_products(element, script):
        """Our step against its matrix products alone."""
        if not PRODUCTS.exists():
            return
        def products():
            out = finished(start([PRODUCTS, f"--benchmark_filter={element}", "--benchmark_format=json"], OURS, core=0))[0]
            return json.loads(out)["benchmarks"][0]["cpu_time"] / 1e3
        steps, alone = zip(*((our_step(script, STEPS, layout_for(1))[0], products()) for _ in range(turns)))
        report.say(f"its matrix products alone, {element:7} {1e3 * statistics.median(alone):8.1f} ms: the step takes "
                   f"{statistics.median(steps) / statistics.median(alone):.2f} times as long")
        report.add(f"products of the GPT's step, {element}", statistics.median(alone), flops=GPT_FLOPS, element=element)

    # A lower bound of what a step computes: the products of the layers' weights, forward and twice backward.
    GPT_FLOPS = 6 * 2048 * 4 * (4 * 256 * 256 + 2 * 256 * 1024)
    GPT2_FLOPS = 6 * 256 * (12 * (4 * 768 * 768 + 2 * 768 * 3072) + 768 * 50257)
    ATTENTION_FLOPS = 7 * 2 * 8 * 64 * 2048 * 2048 / 2  # of the scores that are seen
    gpt, attention = HERE / "gpt.mtf", HERE / "attention.mtf"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for ranks in (1, 2):  # gloo does not reduce bf16: on two ranks by autocast alone
            on = f", {ranks} rank{'s' if ranks > 1 else ''}"
            compare("GPT of 3.2 million, f32" + on, gpt, GPT_FLOPS, "f32", ranks,
                    {of: lambda e=e: their_step("gpt.py", [], ranks, e) for of, e in KERNELS.items()})
            compare("GPT of 3.2 million, mixed" + on, mixed(gpt, folder), GPT_FLOPS, "bf16", ranks,
                    {f"{how}, {of}": lambda e=e, how=how: their_step("gpt.py", ["--bf16", how], ranks, e)
                     for how in ("autocast", "model")[:3 - ranks] for of, e in KERNELS.items()})
        compare_with_products("f32", gpt)
        compare_with_products("bf16", mixed(gpt, folder))
        for precision, element, script, words in (("f32", "f32", gpt, []), ("mixed", "bf16", mixed(gpt, folder), ["--bf16", "autocast"])):
            compare(f"GPT-2 of 124 million, {precision}", script, GPT2_FLOPS, element, 1,
                    {of: lambda e=e, words=words: their_step("gpt.py", [*words, "--steps", "5", "--sizes", "12,768,12,256,1,50257"], 1, e)
                     for of, e in KERNELS.items()},
                    {"layers": 12, "batch": 1, "length": 256, "d_model": 768, "heads": 12, "d_ff": 3072, "vocab": 50257},
                    {"layers": 1, "length": 16, "vocab": 65}, steps=8, turns=min(turns, 3))
        for precision, element, script, arguments in (("f32", "f32", attention, []), ("mixed", "bf16", mixed(attention, folder), ["--bf16"])):
            compare(f"attention of 2,048, {precision}", script, ATTENTION_FLOPS, element, 1,
                    {of: lambda e=e: their_step("attention.py", arguments, 1, e) for of, e in KERNELS.items()})


if __name__ == "__main__":
    report = Report(calibrated(), peers_speed())
    transformers_against_torch(report, int(sys.argv[1]) if len(sys.argv) > 1 else 5)
    sys.exit(report.finish())
