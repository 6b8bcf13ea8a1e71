"""How fast PyTorch multiplies two matrices of 1024 × 1024 on one thread: what a processor can do, for element types whose
instructions it uses and `mtf calibrate` does not. Prints the floating-point operations a second of each as JSON."""
import json
import statistics
import sys
import time

import torch

SIZE, TURNS = 1024, 40
torch.set_num_threads(1)
torch.manual_seed(0)
whole = torch.randint(-2, 3, (SIZE, SIZE)).double(), torch.randint(-2, 3, (SIZE, SIZE)).double()
expected = whole[0] @ whole[1]
speeds = {}
for name, element in (("f32", torch.float32), ("bf16", torch.bfloat16)):
    x, y = (matrix.to(element) for matrix in whole)
    times = []
    for _ in range(TURNS):
        start = time.perf_counter()
        z = x @ y
        times.append(time.perf_counter() - start)
    if not torch.allclose(z.double(), expected, rtol=1e-2, atol=1):
        # Of bf16, where the processor has no instructions for it: sums of bf16 are then rounded to bf16 term after term.
        print(f"left out: PyTorch's product of {name}, which is not one to 1%", file=sys.stderr)
        continue
    speeds[name] = 2 * SIZE**3 / statistics.median(times[5:])
print(json.dumps(speeds))
