// The operations that only programs on floats have, and their gradients.
#include "generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mtf::properties {

bool Generator::real_function() {
  const Variable* x = real();
  if (!x || integers_) return false;
  const std::string& v = x->name;
  const double most = x->facts.magnitude();
  auto function = [&](const std::string& text, double low, double high, double slope) {
    return add(text, smooth(low, high, slope, *x), {x});
  };
  switch (dice_.below(14)) {
    case 0: return function("tanh(" + v + ")", -1, 1, 1);
    case 1: return function("sigmoid(" + v + ")", 0, 1, 1);
    case 2: return function("sin(" + v + ")", -1, 1, 1);
    case 3: return function("cos(" + v + ")", -1, 1, 1);
    case 4: return function("gelu(" + v + ")", -0.2, most, 1.2);
    case 5: return function("swish(" + v + ")", -0.3, most, 1.2);
    case 6: return function("softplus(" + v + ")", 0, most + 1, 1);
    case 7: return function("exp(-square(" + v + "))", 0, 1, 1);
    case 8: return function("sqrt(1 + square(" + v + "))", 1, 1 + most, 1);
    case 9: return function("rsqrt(1 + square(" + v + "))", 0, 1, 1);
    case 10: return function("log(1 + square(" + v + "))", 0, 2 * std::log(1 + most), 1);
    case 11: return function("reciprocal(1 + square(" + v + "))", 0, 1, 1);
    case 12: return function("dropout(" + v + ", rate: 0.5)", -2 * most, 2 * most, 2);
    default: return function("elu(" + v + ")", -1, most, 1);
  }
}

bool Generator::normalising() {
  const Variable* x = any([&](const Variable& v) { return v.element == real_ && !v.dims.empty(); });
  if (!x || integers_) return false;
  Dims over = some_dims(x->dims, 50);
  if (over.empty()) over = {dim_of(*x)};
  const double n = static_cast<double>(size_of(over)), most = x->facts.magnitude(), error = x->facts.error;
  const std::string call = "(" + x->name + ", over: " + text_of(over);
  switch (dice_.below(5)) {
    case 0: return add("softmax" + call + ")", {0, 1, 2 * error + 8 + n, true}, {x});
    case 1:
      return add("log_softmax" + call + ")",
                 {-2 * most - std::log(n), 0, 2 * error + 8 * (2 * most + std::log(n)) + n, true}, {x});
    case 2:
      return add("logsumexp" + call + ")", {-most, most + std::log(n), error + 8 * (most + std::log(n)) + n, true},
                 {x});
    case 3: {
      const double root = std::sqrt(n);
      return add("layer_norm" + call + ", epsilon: 0.1)",
                 {-root, root, 3.2 * (2 + root) * (error + 4 * most) + 8 * root, true}, {x});
    }
    default: {
      const Dim classes = over[0];
      const Variable* ids = any([&](const Variable& v) {
        return v.element == ElementType::kI32 && v.facts.low >= 0 && v.facts.high < static_cast<double>(classes.size) &&
               is_subset(v.dims, without(x->dims, {classes}));
      });
      if (!ids) return false;
      const double high = 2 * most + std::log(static_cast<double>(classes.size));
      return add(fmt::format("cross_entropy({}, {}, over: {})", x->name, ids->name, classes.name.str()),
                 {0, high, 2 * error + 8 * high + static_cast<double>(classes.size), true}, {x, ids});
    }
  }
}

bool Generator::averaging() {
  const Variable* x = any([&](const Variable& v) { return v.element == real_ && !v.dims.empty(); });
  if (!x || integers_) return false;
  const Dims over = some_dims(x->dims, 50);
  Facts facts = x->facts;
  facts.summed = true;
  facts.error = facts.error + 2 * facts.magnitude() + 4;
  return add(over.empty() ? "mean(" + x->name + ")" : fmt::format("mean({}, over: {})", x->name, text_of(over)), facts,
             {x});
}

/// The gradient of a number computed from the last tensors, with respect to inputs.
void Generator::add_gradient() {
  std::string loss, of;
  std::vector<std::string> read;
  for (size_t i = variables_.size(); i-- > 0 && read.size() < 3;)
    if (variables_[i].element == real_ && i >= program_.inputs.size()) {
      loss += fmt::format("{}mean(square({}))", loss.empty() ? "" : " + ", variables_[i].name);
      read.push_back(variables_[i].name);
    }
  std::vector<std::string> inputs;
  for (size_t i = 0; i < program_.inputs.size(); ++i)
    if (variables_[i].element == real_) {
      of += (of.empty() ? "" : ", ") + variables_[i].name;
      inputs.push_back(variables_[i].name);
    }
  if (loss.empty() || of.empty()) return;
  Line line;
  line.text = fmt::format("let loss = {}\nlet slopes = grad(loss, [{}])\n", loss, of);
  for (size_t i = 0; i < inputs.size(); ++i) {
    line.text += fmt::format("let d_{} = slopes[{}]\n", inputs[i], i);
    line.binds.push_back("d_" + inputs[i]);
  }
  line.reads = read;
  line.reads.insert(line.reads.end(), inputs.begin(), inputs.end());
  try {
    evaluation_.run(line.text);
  } catch (const UserError&) { return; }
  program_.lines.push_back(line);
}

}  // namespace mtf::properties
