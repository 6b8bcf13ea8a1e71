// The time to plan large programs, each as one plan: milliseconds by layers, parameters or operations. A recursive
// function makes one graph of the program's full depth, with few active calls at a time.
#include "bench.h"
#include "cost/layout_costs.h"

namespace mtf {
namespace {

const std::string kThrough =
    "fn through(x, lo: int, hi: int) {\n"
    "  if hi - lo == 1 { return layer(x, lo) }\n"
    "  let mid = (lo + hi) // 2\n"
    "  return through(through(x, lo, mid), mid, hi)\n"
    "}\n";

// A step of Adam, or of gradient descent, for parameters `ps`.
const std::string kStep =
    "model Moment(p) { state value: like p = 0 }\n"
    "let ps = net.params\n"
    "let first = [Moment(p) for p in ps]\n"
    "let second = [Moment(p) for p in ps]\n"
    "fn optimize(i: int, g) {\n"
    "  let p = ps[i]\n"
    "  let m = first[i]\n"
    "  let v = second[i]\n"
    "  if adam {\n"
    "    m.value := 0.9 * m.value + 0.1 * g\n"
    "    v.value := 0.999 * v.value + 0.001 * square(g)\n"
    "    p := p - 0.01 * m.value / (sqrt(v.value) + 0.00000001)\n"
    "  } else { p := p - 0.1 * g }\n"
    "}\n"
    "fn update(gs, lo: int, hi: int) {\n"
    "  if hi - lo == 1 { optimize(lo, gs[lo]) } else { let mid = (lo + hi) // 2; update(gs, lo, mid); update(gs, mid, "
    "hi) }\n"
    "  return 0\n"
    "}\n"
    "fn step(loss) { update(grad(loss, ps), 0, len(ps)); return loss }\n";

void plan(benchmark::State& state, const std::string& text) {
  for (auto _ : state) {
    Bench bench(std::make_shared<ExecutionOn<run::DryRuntime>>(), "rows:16;cols:32",
                "batch:rows;heads:cols;d_ff:cols;vocab:cols");
    bench.session.run_text("plan.mtf", "let count = " + std::to_string(state.range(0)) + "\n" + text);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

const std::string kTransformer =
    "import nn, transformer\n"
    "let adam = true\n"
    "dim batch = 256, length = 256, d_model = 1024, heads = 32, d_head = 32, d_ff = 4096, vocab = 8192\n"
    "model Gpt {\n"
    "  let embedding = nn.Embedding(vocab, d_model)\n"
    "  let blocks = [transformer.Layer(d_model, length, heads, d_head, d_ff, bias: false) for i in 0..count]\n"
    "  fn layer(x, i: int) = blocks[i](x)\n" +
    kThrough +
    "  fn call(ids) = embedding.logits(through(embedding(ids), 0, count))\n"
    "}\n"
    "let net = Gpt()\n" +
    kStep +
    "let x = random.integers([batch, length], 0, 65)\n"
    "print(step(mean(cross_entropy(net(x), x, over: vocab))))\n";

// Two steps in the style of the examples: layers in a list, an optimizer of the library, and histories that end at its
// assignments.
const std::string kSteps =
    "import optim, transformer\n"
    "dim batch = 16, length = 4, d_model = 16, heads = 1, d_head = 16, d_ff = 16, vocab = 32\n"
    "let net = transformer.LanguageModel(vocab, length, d_model, heads, d_head, d_ff, layers: count)\n"
    "let opt = optim.AdamW(net.params, lr: 0.001)\n"
    "let x = random.integers([batch, length], 0, 32)\n"
    "for step in 0..2 { opt.minimize(mean(cross_entropy(net(x), x, over: vocab))) }\n";

std::string parameters(bool adam) {
  return std::string("let adam = ") + (adam ? "true\n" : "false\n") +
         "dim batch = 16, n = 8\n"
         "model Leaf { param w: [n] = 1 }\n"
         "model Net { let leaves = [Leaf() for i in 0..count] }\n"
         "let net = Net()\n" +
         kStep + "fn layer(x, i: int) = tanh(x * ps[i])\n" + kThrough +
         "print(step(mean(square(through(random.normal([batch, n]), 0, count)))))\n";
}

const std::string kX = "dim batch = 1024\nlet x = random.normal([batch])\n";

// Costs another layout of a captured program, against planning the script anew under this layout with a check before
// it, as `mtf plan` does: `ratio`.
void other_layout(benchmark::State& state) {
  const std::string mesh = "rows:16;cols:32", rules = "batch:rows;d_model:cols";
  const std::string text = "let count = " + std::to_string(state.range(0)) + "\n" + kTransformer;
  const auto record = std::make_shared<plan::ProgramRecord>();
  Bench once(std::make_shared<ExecutionOn<run::DryRuntime>>(plan::ExecutionOptions{.record = record}), mesh,
             "batch:rows;heads:cols;d_ff:cols;vocab:cols");
  once.session.run_text("plan.mtf", text);
  const cost::LayoutCosts costs(record);
  const auto there = std::make_shared<const Mesh>(Name("mesh"), parse_axes(mesh));
  const auto other = std::make_shared<const Layout>(parse_layout(rules));
  compare(
      state, [&] { benchmark::DoNotOptimize(costs.in(there, other)); },
      [&] {
        benchmark::DoNotOptimize(session::Session::check_text("plan.mtf", text, Bench::settings(mesh, rules, 1)));
        Bench anew(std::make_shared<ExecutionOn<run::DryRuntime>>(), mesh, rules);
        anew.session.run_text("plan.mtf", text);
      });
}
BENCHMARK(other_layout)->Arg(12)->Arg(24)->Arg(72)->UseManualTime()->Unit(benchmark::kMillisecond);

#define PLAN(name, text) BENCHMARK_CAPTURE(plan, name, text)->Unit(benchmark::kMillisecond)
PLAN(transformer_layers_with_adam, kTransformer)->Arg(12)->Arg(24)->Arg(48)->Arg(72)->Arg(96);
PLAN(steps_of_a_list_of_layers, kSteps)->Arg(96)->Arg(192)->Arg(384)->Arg(768);
PLAN(parameters_with_adam, parameters(true))->Arg(500)->Arg(2000);
PLAN(parameters_with_gradient_descent, parameters(false))->Arg(500)->Arg(2000);
PLAN(operations_of_a_gradient,
     kX + "fn layer(y, i: int) = tanh(y)\n" + kThrough + "print(sum(grad(sum(through(x, 0, count)), x)))\n")
    ->Arg(4000)
    ->Arg(16000);
PLAN(terms_of_a_sum, kX + "fn layer(y, i: int) = y + x\n" + kThrough + "print(sum(through(x, 0, count)))\n")
    ->Arg(25000)
    ->Arg(100000);

}  // namespace
}  // namespace mtf

BENCHMARK_MAIN();
