// Tensors in, training steps, tensors out; the cost and the cost under another layout, as records.
#include <mtf/interpreter.h>

#include <cstdio>

int main() try {
  mtf::Interpreter interpreter(
      {.mesh = "rows:2;cols:2", .layout = "batch:rows;hidden:cols"});  // four processors, hosted here
  interpreter.run(R"(
import nn, optim
dim batch = 64, io = 32, hidden = 128
model TwoLayer {
  let inner = nn.Dense(io, hidden)
  let outer = nn.Dense(hidden, io)
  fn call(x) = outer(relu(inner(x)))
}
let net = TwoLayer()
let adam = optim.Adam(net.params, lr: 0.01)
fn step(x) {
  let loss = mean(square(net(x) - x))
  adam.step(grad(loss, net.params))
  return loss
})");
  std::vector<float> numbers(64 * 32);
  double first = 0, last = 0;
  for (int step = 0; step < 50; ++step) {
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>((i + step) % 7) / 7;
    interpreter.set("x", {{{"batch", 64}, {"io", 32}}, numbers});
    last = interpreter.number("step(x)");
    if (step == 0) first = last;
  }
  const mtf::TensorData y = interpreter.tensor("net(x)");
  const mtf::CountersRecord counters = interpreter.counters();
  const mtf::PlanRecord plan = interpreter.plan("step(x)", {.mesh = "all:4", .layout = "batch:all"});
  std::printf("loss %.4f, then %.4f; %s: %zu elements, the first %.4f for %.4f\n", first, last, y.dims[0].name.c_str(),
              y.size(), y.as<float>()[0], numbers[0]);
  for (const mtf::CollectiveCounts& each : counters.collectives) {
    std::printf("%s: %lld bytes over", each.kind.c_str(), static_cast<long long>(each.bytes));
    for (const std::string& axis : each.axes) std::printf(" %s", axis.c_str());
    std::printf("\n");
  }
  for (const mtf::CollectiveCounts& each : plan.totals.collectives)
    std::printf("a step on all:4 would send %lld bytes by %s\n", static_cast<long long>(each.wire_bytes),
                each.kind.c_str());
  return last < first / 2 && y.size() == numbers.size() && !plan.is_estimate() ? 0 : 1;
} catch (const mtf::ScriptError& error) {
  std::fprintf(stderr, "%s", error.what());
  return 1;
}
