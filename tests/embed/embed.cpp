// Trains two layers for a few steps on four processors that this process hosts, and reads the loss.
#include <mtf/interpreter.h>

#include <cstdio>

int main() {
  mtf::InterpreterOptions options;
  options.mesh = "rows:2;cols:2";
  options.layout = "batch:rows;hidden:cols";
  mtf::Interpreter interpreter(options);
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
fn step() {
  let x = random.uniform([batch, io])
  let loss = mean(square(net(x) - x))
  adam.step(grad(loss, net.params))
  return loss
})");
  double first = 0, last = 0;
  for (int step = 0; step < 50; ++step) {
    last = interpreter.number("step()");
    if (step == 0) first = last;
  }
  std::printf("loss %.4f, then %.4f\n", first, last);
  return last < first / 2 ? 0 : 1;
}
