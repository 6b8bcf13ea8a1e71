#include "samples.h"
#include "graph/op.h"
#include "ops/call.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "ops/registry.h"

namespace mtf::properties {
namespace {

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

int64_t points(const Script& script) {
  Evaluation evaluation(dry_execution(), {});
  evaluation.run(script.inputs);
  int64_t product = 1;
  for (const eval::Binding& binding : evaluation.evaluator.top()->bindings)
    if (const Dim* dim = binding.value.as<Dim>()) product *= dim->size;
  return product;
}

Sample parse(const graph::Op& op, const std::string& line) {
  Sample sample;
  sample.op = &op;
  sample.line = line;
  const size_t arrow = line.find("=>");
  MTF_CHECK(arrow != std::string::npos, "a sample of {} has no `=>`: {}", op.name, line);
  std::string head = line.substr(0, arrow);
  sample.expression = trimmed(line.substr(arrow + 2));
  if (const size_t end = head.find(';'); end != std::string::npos) {
    sample.declarations = trimmed(head.substr(0, end)) + "\n";
    head = head.substr(end + 1);
  }
  static const std::regex input(R"((\w+): (\w*)(\[[^\]]*\])(?: in (-?[\d.]+?)\.\.(-?[\d.]+))?)");
  std::string rest = head;
  for (auto at = std::sregex_iterator(head.begin(), head.end(), input); at != std::sregex_iterator(); ++at) {
    const std::smatch& found = *at;
    SampleInput made{found[1], ElementType::kF32, found[3], found[4].matched ? found[4].str() : "-2",
                     found[5].matched ? found[5].str() : "2"};
    if (found[2].length() > 0) made.element = parse_element_type(found[2].str()).value();
    sample.inputs.push_back(made);
    rest.replace(rest.find(found.str()), found.str().size(), "");
  }
  MTF_CHECK(trimmed(rest).find_first_not_of(", ") == std::string::npos, "cannot read the inputs of the sample {}",
            line);
  static const std::regex dim(R"(\b[a-d]\b)");
  for (auto at = std::sregex_iterator(line.begin(), line.end(), dim); at != std::sregex_iterator(); ++at) {
    const std::string name = at->str();
    const bool is_input =
        std::any_of(sample.inputs.begin(), sample.inputs.end(), [&](const SampleInput& i) { return i.name == name; });
    if (!is_input && std::find(sample.dims.begin(), sample.dims.end(), name) == sample.dims.end())
      sample.dims.push_back(name);
  }
  std::sort(sample.dims.begin(), sample.dims.end());
  return sample;
}

}  // namespace

Script Sample::script(const Sizes& sizes, ElementType real) const {
  Script script;
  const std::map<std::string, int64_t> size_of_dim = {{"a", sizes.a}, {"b", sizes.b}, {"c", sizes.c}, {"d", sizes.d}};
  for (const std::string& dim : dims) script.inputs += fmt::format("dim {} = {}\n", dim, size_of_dim.at(dim));
  script.inputs += declarations + "seed 7\n";
  for (const SampleInput& input : inputs) {
    const ElementType element = input.element == ElementType::kF32 ? real : input.element;
    if (element == ElementType::kBool) {
      script.inputs += fmt::format("let {} = random.uniform({}) < 0.5\n", input.name, input.dims);
    } else if (element == ElementType::kI32) {
      script.inputs +=
          fmt::format("let {} = random.integers({}, {}, {})\n", input.name, input.dims, input.low, input.high);
    } else {
      script.inputs += fmt::format("let {} = random.uniform({}, low: {}, high: {}, {})\n", input.name, input.dims,
                                   input.low, input.high, name(element));
    }
  }
  script.body = "let result = " + expression + "\n";
  script.results = {"result"};
  return script;
}

std::vector<std::string> Sample::real_inputs() const {
  std::vector<std::string> names;
  for (const SampleInput& input : inputs)
    if (is_float(input.element)) names.push_back(input.name);
  return names;
}

std::vector<Sample> samples_of(const graph::Op& op) {
  std::vector<Sample> samples;
  std::istringstream lines{std::string(op.samples)};
  for (std::string line; std::getline(lines, line);)
    if (!trimmed(line).empty()) samples.push_back(parse(op, line));
  return samples;
}

bool add_gradient(Script& script, const Sample& sample) {
  const std::vector<std::string> of = sample.real_inputs();
  if (of.empty()) return false;
  Evaluation evaluation(dry_execution(), {});
  evaluation.run(script.inputs + script.body);
  const graph::Value result = evaluation.value("result");
  if (!is_float(result.element())) return false;
  std::string gradient = "let loss = sum(result * (result + 1))\nlet slopes = grad(loss, [";
  for (size_t i = 0; i < of.size(); ++i) gradient += (i ? ", " : "") + of[i];
  gradient += "])\n";
  for (size_t i = 0; i < of.size(); ++i) gradient += fmt::format("let d_{} = slopes[{}]\n", of[i], i);
  try {
    evaluation.run(gradient);
  } catch (const UserError& error) {
    EXPECT_EQ(error.diagnostic().kind(), Kind::no_gradient) << error.what();
    EXPECT_FALSE(sample.op->no_gradient.empty()) << sample.line << "\n" << error.what();
    return false;
  }
  script.body += gradient;
  for (const std::string& name : of) script.results.push_back("d_" + name);
  return true;
}

std::vector<Tolerance> tolerances_of(const Script& script) {
  std::vector<Tolerance> tolerances;
  Evaluation evaluation(dry_execution(), {});
  evaluation.run(script.inputs);
  evaluation.compute_all();
  evaluation.run(script.body);
  for (const std::string& name : script.results)
    tolerances.push_back(expected_of({evaluation.value(name)}, points(script)));
  return tolerances;
}

std::string test_name(const graph::Op& op) {
  std::string name(op.name);
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

std::vector<const graph::Op*> sampled_ops() {
  std::vector<const graph::Op*> ops;
  for (const graph::Op* op : ops::all_ops())
    if (!op->samples.empty()) ops.push_back(op);
  return ops;
}

std::vector<std::string> dims_of(const Script& script) {
  Evaluation evaluation(dry_execution(), {});
  evaluation.run(script.inputs);
  std::vector<std::string> names;
  for (const eval::Binding& binding : evaluation.evaluator.top()->bindings)
    if (binding.value.is<Dim>()) names.push_back(binding.name.str());
  return names;
}

std::vector<std::string> layouts_of(const std::vector<std::string>& dims, const std::string& mesh) {
  std::vector<std::string> targets;
  const std::vector<Axis> axes = parse_axes(mesh);
  for (const Axis& axis : axes) targets.push_back(axis.name.str());
  for (const Axis& first : axes)
    for (const Axis& second : axes)
      if (!(first == second)) targets.push_back(first.name.str() + "+" + second.name.str());
  std::vector<std::string> layouts = {""};
  for (const std::string& dim : dims) {
    const size_t before = layouts.size();
    for (const std::string& target : targets)
      for (size_t i = 0; i < before; ++i)
        layouts.push_back(layouts[i] + (layouts[i].empty() ? "" : ";") + dim + ":" + target);
  }
  return layouts;
}

}  // namespace mtf::properties
