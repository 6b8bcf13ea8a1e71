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
    "fn step(x, rate) {\n"
    "  let loss = mean(square(net(x) - x))\n"
    "  adam.step(grad(loss, net.params), lr: rate)\n"
    "  return loss\n"
    "}\n";

/* Called by the program: a rate that becomes smaller. */
static int rate(const mtf_value* arguments, size_t count, mtf_value* result, void* context) {
  (void)count;
  (void)context;
  result->kind = MTF_FLOAT;
  result->number = 0.01 / (1 + (double)arguments[0].integer / 50);
  return 0;
}

int main(void) {
  static float numbers[64 * 32];
  const mtf_options options = {
      .struct_size = sizeof options, .mesh = "rows:2;cols:2", .layout = "batch:rows;hidden:cols"};
  const mtf_dim dims[] = {{"batch", 64}, {"io", 32}};
  const mtf_tensor x = {MTF_F32, 2, dims, sizeof numbers, numbers};
  const mtf_tensor* y = NULL;
  const mtf_counters* counters = NULL;
  const mtf_plan* plan = NULL;
  mtf_interpreter* mtf = NULL;
  mtf_prepared* step_of = NULL;
  const char* inputs[] = {"x", "i"};
  double first = 0, last = 0;
  mtf_code code = mtf_open(&options, &mtf);
  if (code == MTF_OK) code = mtf_define(mtf, "rate(i: int) -> float", rate, NULL, NULL);
  if (code == MTF_OK) code = mtf_run(mtf, program);
  if (code == MTF_OK) code = mtf_prepare(mtf, "step(x, rate(i))", inputs, 2, &step_of);
  for (int step = 0; step < 50 && code == MTF_OK; ++step) {
    for (int i = 0; i < 64 * 32; ++i) numbers[i] = (float)((i + step) % 7) / 7;
    const mtf_value arguments[] = {{.kind = MTF_TENSOR, .tensor = &x}, {.kind = MTF_INT, .integer = step}};
    const mtf_value* loss = NULL;
    code = mtf_call(step_of, arguments, 2, &loss);
    if (code == MTF_OK) last = ((const float*)loss->tensor->data)[0];
    mtf_free_value(loss);
    if (step == 0) first = last;
  }
  if (code == MTF_OK) code = mtf_set_tensor(mtf, "x", &x);
  if (code == MTF_OK) code = mtf_get_tensor(mtf, "net(x)", &y);
  if (code == MTF_OK) code = mtf_get_counters(mtf, &counters);
  if (code == MTF_OK) code = mtf_get_plan(mtf, "step(x, 0.01)", "all:4", "batch:all", &plan);
  if (code == MTF_OK) {
    printf("loss %.4f, then %.4f; %s: %zu bytes, the first %.4f for %.4f\n", first, last, y->dims[0].name, y->bytes,
           ((const float*)y->data)[0], numbers[0]);
    for (size_t i = 0; i < counters->collective_count; ++i) {
      const mtf_collective* each = &counters->collectives[i];
      printf("%s: %lld bytes over", each->kind, (long long)each->bytes);
      for (size_t axis = 0; axis < each->axis_count; ++axis) printf(" %s", each->axes[axis]);
      printf("\n");
    }
    printf("a step on all:4 would take %lld flops of each processor, on %zu lines\n", (long long)plan->totals.flops,
           plan->line_count);
    if (last >= first / 2 || y->bytes != sizeof numbers || plan->doubt_count > 0) code = MTF_BUG;
  } else if (mtf != NULL && mtf_last_error(mtf) != NULL) {
    fputs(mtf_last_error(mtf)->text, stderr);
  }
  mtf_free_prepared(step_of);
  mtf_free_plan(plan);
  mtf_free_counters(counters);
  mtf_free_tensor(y);
  mtf_close(mtf);
  return (int)code;
}
