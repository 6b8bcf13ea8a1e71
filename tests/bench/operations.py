"""Single operations beside PyTorch's, on one core. `python3 tests/bench/operations.py [PATTERN]` measures those whose names match;
tests/bench/run has them all."""
import json
import re
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from against_torch import THEIRS
from measure import HERE, PYTHON, Report, calibrated, check_once, our_step, peers_speed

TURNS = 3
SECONDS = 0.3        # of a run
IN_CACHE = 1 << 20   # bytes that lie in a cache while an operation is repeated


@dataclass
class Operation:
    """One operation: our dims, values and expression, PyTorch's values and expression, and the least that it touches and computes."""
    name: str
    dims: str
    values: str
    ours: str
    their_values: str
    theirs: str
    bytes: float = 0
    flops: float = 0
    element: str = "f32"


def normal(*dims):
    return f"random.normal([{', '.join(dims)}])"


def matrix(a, b, ours, theirs, name, bytes=None):
    """An operation on a matrix x with the dims a and b."""
    return Operation(f"{name} of {a:,} x {b:,}", f"a = {a}, b = {b}", f"let x = {normal('a', 'b')}", ours, f"x = torch.randn({a}, {b})", theirs,
                     4 * a * b if bytes is None else bytes)


def of_numbers(name, ours, theirs, values="random.uniform([a])", their_values="torch.rand(4194304)", bytes=2 * 4 * (1 << 22)):
    return Operation(f"{name} of 4M", "a = 4194304", f"let x = {values}", ours, f"x = {their_values}", theirs, bytes)


def product(name, dims, shape_w, shape_x, result, theirs, bytes, flops, element="f32"):
    sizes = dict(pair.split(" = ") for pair in dims.split(", "))
    tensor = lambda shape: f"torch.randn({', '.join(sizes[d] for d in shape)})" + (".bfloat16()" if element == "bf16" else "")
    value = lambda shape: f"cast({normal(*shape)}, {element})" if element != "f32" else normal(*shape)
    return Operation(name, dims, f"let w = {value(shape_w)}\nlet x = {value(shape_x)}", f"einsum(w, x -> [{', '.join(result)}])",
                     f"w = {tensor(shape_w)}; x = {tensor(shape_x)}", theirs, bytes, flops, element)


def small_products(size):
    return product(f"1,000 products of {size}³", f"z = 1000, a = {size}, b = {size}, c = {size}", "zab", "zbc", "zac", "torch.bmm(w, x)",
                   3 * 4000 * size**2, 2000 * size**3)


SQUARE, VOCABULARY = 4 * 4096**2, 50257
ROWS = "w = torch.randn({0}); i = torch.randint(0, {1}, ({2},))"
OPERATIONS = [
    product("W·x, rows", "a = 4096, b = 4096", "ab", "b", "a", "torch.mv(w, x)", SQUARE, SQUARE / 2),
    product("W·x, columns", "a = 4096, b = 4096", "ba", "b", "a", "torch.mv(w.t(), x)", SQUARE, SQUARE / 2),
    product("W·x of 768 x 3,072", "a = 3072, b = 768", "ba", "b", "a", "torch.mv(w.t(), x)", 4 * 768 * 3072, 2 * 768 * 3072),
    product("W·x, bf16, rows", "a = 4096, b = 4096", "ab", "b", "a", "torch.mv(w, x)", SQUARE / 2, SQUARE / 2, "bf16"),
    product("4 rows · W", "m = 4, a = 4096, b = 4096", "mb", "ba", "ma", "w @ x", SQUARE, 2 * SQUARE),
    product("outer product", "a = 4096, b = 4096", "a", "b", "ab", "torch.outer(w, x)", SQUARE, SQUARE / 4),
    *map(small_products, (4, 8, 16)),
    product("product of 1024³", "a = 1024, b = 1024, c = 1024", "ab", "bc", "ac", "w @ x", 3 * 4 * 1024**2, 2 * 1024**3),
    product("logits", f"a = 256, b = 768, c = {VOCABULARY}", "ab", "cb", "ac", "w @ x.t()", 4 * 256 * VOCABULARY, 2 * 256 * 768 * VOCABULARY),
    *(Operation(f"transpose of {n:,}²", f"a = {n}, b = {n}, ab = {n * n}", f"let x = {normal('a', 'b')}", "reshape(broadcast(x -> [b, a]) -> [ab])",
                f"x = torch.randn({n}, {n})", "x.t().reshape(-1)", 8 * n * n) for n in (1000, 2048)),
    matrix(1000000, 10, "sum(x, over: b)", "x.sum(1)", "sum over columns"),
    *(matrix(n, n, f"sum(x, over: {d})", f"x.sum({axis})", f"sum over {what}") for n in (2048, 256) for d, axis, what in (("a", 0, "rows"), ("b", 1, "columns"))),
    matrix(64, VOCABULARY, "argmax(x, over: b)", "x.argmax(1)", "argmax"),
    Operation("gather of 1,024 rows", f"v = {VOCABULARY}, d = 768, n = 1024", f"let w = {normal('v', 'd')}\nlet i = random.integers([n], 0, {VOCABULARY})",
              "gather(w, i, over: v)", ROWS.format(f"{VOCABULARY}, 768", VOCABULARY, 1024), "w[i]", 2 * 4 * 1024 * 768),
    Operation("gather of 1M numbers", "v = 1000000, n = 1000000", f"let w = {normal('v')}\nlet i = random.integers([n], 0, 1000000)",
              "gather(w, i, over: v)", ROWS.format(1000000, 1000000, 1000000), "w[i]", 12e6),
    Operation("scatter_add of 1M numbers", "v = 1000000, n = 1000000", f"let w = {normal('n')}\nlet i = random.integers([n], 0, 1000000)",
              "scatter_add(w, i, into: v)", ROWS.format(1000000, 1000000, 1000000), "torch.zeros(1000000).index_add_(0, i, w)", 16e6),
    Operation("scatter_add of 1,024 rows", f"v = {VOCABULARY}, d = 768, n = 1024", f"let w = {normal('n', 'd')}\nlet i = random.integers([n], 0, {VOCABULARY})",
              "scatter_add(w, i, into: v)", ROWS.format("1024, 768", VOCABULARY, 1024), f"torch.zeros({VOCABULARY}, 768).index_add_(0, i, w)", 4 * VOCABULARY * 768),
    matrix(1000, 1000, "cumsum(x, over: b)", "x.cumsum(1)", "cumsum along the fast dim", 8e6),
    matrix(1000, 1000, "cumsum(x, over: a)", "x.cumsum(0)", "cumsum across the fast dim", 8e6),
    Operation("sort of 1M", "a = 1000000", f"let x = {normal('a')}", "sort(x)", "x = torch.randn(1000000)", "x.sort()[0]", 8e6),
    Operation("40 largest of 16 x 50,257", f"a = 16, b = {VOCABULARY}, k = 40", f"let x = {normal('a', 'b')}", "top_k(x, k, over: b)[0]",
              f"x = torch.randn(16, {VOCABULARY})", "x.topk(40)[0]", 4 * 16 * VOCABULARY),
    of_numbers("x^2.5", "x^2.5", "x**2.5"),
    of_numbers("log", "log(x)", "x.log()"),
    of_numbers("exp", "exp(x)", "x.exp()"),
    of_numbers("random.uniform", "random.uniform([a])", "torch.rand(4194304)", bytes=4 * (1 << 22)),
    of_numbers("random.normal", "random.normal([a])", "torch.randn(4194304)", bytes=4 * (1 << 22)),
    matrix(256, VOCABULARY, "softmax(x, over: b)", "x.softmax(1)", "softmax", 8 * 256 * VOCABULARY),
    Operation("cross-entropy and its gradient", f"a = 256, b = {VOCABULARY}", f"let x = {normal('a', 'b')}\nlet i = random.integers([a], 0, {VOCABULARY})",
              "grad(mean(cross_entropy(x, i, over: b)), [x])[0]", f"x = torch.randn(256, {VOCABULARY}).requires_grad_(); i = torch.randint(0, {VOCABULARY}, (256,))",
              "torch.autograd.grad(F.cross_entropy(x, i), x)[0]", 8 * 256 * VOCABULARY),
    matrix(1024, 768, "layer_norm(x, over: b)", "F.layer_norm(x, (768,))", "layer_norm", 8 * 1024 * 768),
    matrix(1024, 3072, "dropout(x, rate: 0.1)", "F.dropout(x, 0.1)", "dropout", 8 * 1024 * 3072),
    matrix(1024, 3072, "gelu(x)", "F.gelu(x, approximate='tanh')", "gelu", 8 * 1024 * 3072),
]


def script_of(operation):
    """Keeps each step's result, and prints what is left in the end. (That it is computed in each step the timeline shows.)"""
    return f"""option steps = 8
dim {operation.dims}
{operation.values}
model Kept(first) {{
  state y: like first = 0
}}
let kept = Kept({operation.ours})
for step in 0..steps {{
  kept.y := {operation.ours}
}}
print(mean(square(cast(kept.y, f64))))
"""


class Peer:
    """torch/operations.py, which computes what it is told."""
    def __init__(self):
        self.process = subprocess.Popen(["taskset", "-c", "0", PYTHON, HERE / "torch" / "operations.py"],
                                        env=THEIRS, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def seconds(self, operation):
        print(json.dumps([operation.their_values, operation.theirs, SECONDS]), file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"PyTorch could not compute {operation.theirs}")
        return json.loads(answer)


def operations_against_torch(report, folder, pattern=""):
    """Medians of turns beside PyTorch's, and beside the time that the memory or the processor needs at the least."""
    peer = Peer()
    for operation in OPERATIONS:
        if not re.search(pattern, operation.name):
            continue
        script = Path(folder) / "operation.mtf"
        script.write_text(script_of(operation))
        check_once(script, ["--threads", "1"], {"steps": 3})
        first = our_step(script, 10, ["--threads", "1"])[0]
        steps = max(10, min(2000, int(SECONDS / first)))
        mine, theirs = [], []
        for _ in range(TURNS):
            mine.append(our_step(script, steps, ["--threads", "1"])[0])
            theirs.append(peer.seconds(operation))
        ours, other = statistics.median(mine), statistics.median(theirs)
        bandwidth = report.cache if operation.bytes <= IN_CACHE else report.memory
        limit = max(operation.bytes / bandwidth, operation.flops / report.peak[operation.element])
        allowed = 1.1 * max(other, 2 * limit)
        report.say(f"{operation.name:34} {1e3 * ours:9.3f} ms, PyTorch {1e3 * other:9.3f}, limit {1e3 * limit:8.3f}: {ours / other:5.2f} of its time"
                   + ("" if ours <= allowed else f", {ours / allowed:.2f} of what is allowed"))
        report.add(operation.name, ours, flops=operation.flops, bytes=operation.bytes, element=operation.element, torch=other, limit=limit)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        found = Report(calibrated(), peers_speed())
        operations_against_torch(found, place, sys.argv[1] if len(sys.argv) > 1 else "")
        sys.exit(found.finish())
