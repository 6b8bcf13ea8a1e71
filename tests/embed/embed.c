/* As embed.cpp, in C. */
#include <mtf/mtf.h>
#include <stdio.h>

static const char program[] =
    "import nn, optim\n"
    "dim batch = 64, io = 32, hidden = 128\n"
    "model TwoLayer {\n"
    "  let inner = nn.Dense(io, hidden)\n"
    "  let outer = nn.Dense(hidden, io)\n"
    "  fn call(x) = outer(relu(inner(x)))\n"
    "}\n"
    "let net = TwoLayer()\n"
    "let adam = optim.Adam(net.params, lr: 0.01)\n"
    "fn step(x) {\n"
    "  let loss = mean(square(net(x) - x))\n"
    "  adam.step(grad(loss, net.params))\n"
    "  return loss\n"
    "}\n";

int main(void) {
  static float numbers[64 * 32];
  const mtf_options options = {.mesh = "rows:2;cols:2", .layout = "batch:rows;hidden:cols"};
  const mtf_dim dims[] = {{"batch", 64}, {"io", 32}};
  const mtf_tensor x = {MTF_F32, 2, dims, sizeof numbers, numbers};
  const mtf_tensor* y = NULL;
  const mtf_counters* counters = NULL;
  const mtf_plan* plan = NULL;
  mtf_interpreter* mtf = NULL;
  double first = 0, last = 0;
  mtf_code code = mtf_open(&options, &mtf);
  if (code == MTF_OK) code = mtf_run(mtf, program);
  for (int step = 0; step < 50 && code == MTF_OK; ++step) {
    for (int i = 0; i < 64 * 32; ++i) numbers[i] = (float)((i + step) % 7) / 7;
    code = mtf_set_tensor(mtf, "x", &x);
    if (code == MTF_OK) code = mtf_get_number(mtf, "step(x)", &last);
    if (step == 0) first = last;
  }
  if (code == MTF_OK) code = mtf_get_tensor(mtf, "net(x)", &y);
  if (code == MTF_OK) code = mtf_get_counters(mtf, &counters);
  if (code == MTF_OK) code = mtf_get_plan(mtf, "step(x)", "all:4", "batch:all", &plan);
  if (code == MTF_OK) {
    printf("loss %.4f, then %.4f; %s: %zu bytes, the first %.4f for %.4f\n", first, last, y->dims[0].name, y->bytes, ((const float*)y->data)[0], numbers[0]);
    for (size_t i = 0; i < counters->collective_count; ++i) {
      const mtf_collective* each = &counters->collectives[i];
      printf("%s: %lld bytes over", each->kind, (long long)each->bytes);
      for (size_t axis = 0; axis < each->axis_count; ++axis) printf(" %s", each->axes[axis]);
      printf("\n");
    }
    printf("a step on all:4 would take %lld flops of each processor, on %zu lines\n", (long long)plan->totals.flops, plan->line_count);
    if (last >= first / 2 || y->bytes != sizeof numbers || plan->doubt_count > 0) code = MTF_BUG;
  } else if (mtf != NULL && mtf_last_error(mtf) != NULL) {
    fputs(mtf_last_error(mtf)->text, stderr);
  }
  mtf_free_plan(plan);
  mtf_free_counters(counters);
  mtf_free_tensor(y);
  mtf_close(mtf);
  return (int)code;
}
