// Operations of the registry in whole programs, in the form of their records' samples.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "draw.h"
#include "graph/op.h"
#include "samples.h"

namespace mtf::properties {
namespace {

using Words = std::map<std::string, std::string>;

/// Returns the text with each whole word replaced that `words` has.
std::string with_words(const std::string& text, const Words& words) {
  std::string result;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) ++end;
    if (end == i) {
      result += text[i++];
      continue;
    }
    const std::string word = text.substr(i, end - i);
    const auto found = words.find(word);
    result += found == words.end() ? word : found->second;
    i = end;
  }
  return result;
}

/// `a` and `bc` of `[a, bc]`.
std::vector<std::string> words_of(const std::string& shape) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : shape) {
    if (std::isalnum(static_cast<unsigned char>(c))) word += c;
    else if (!word.empty()) words.push_back(word), word.clear();
  }
  return words;
}

/// The samples of each operation, without those that round sums to bf16.
const std::vector<std::vector<Sample>>& samples() {
  static const std::vector<std::vector<Sample>> all = [] {
    std::vector<std::vector<Sample>> found;
    for (const graph::Op* op : sampled_ops()) {
      found.emplace_back();
      for (const Sample& sample : samples_of(*op))
        if (op->lane || sample.line.find("bf16") == std::string::npos) found.back().push_back(sample);
      if (found.back().empty()) found.pop_back();
    }
    return found;
  }();
  return all;
}

/// True if a tiny difference in an operand can change the result, or a gradient, by much: then operands are drawn, not
/// computed.
bool jumps(const Sample& sample) {
  static const std::set<std::string> names = {"argmax", "argmin", "sign", "floor", "round",     "floordiv", "eq",
                                              "ne",     "lt",     "le",   "gt",    "ge",        "sort",     "argsort",
                                              "top_k",  "max",    "min",  "cast",  "cast_like", "max_pool"};
  return names.count(std::string(sample.op->name)) > 0 || sample.line.find("bf16") != std::string::npos;
}

}  // namespace

/// Makes an input of a sample from the program's values, if its range and its type allow.
Expression WholeProgramDrawer::sample_input(const Sample& sample, const SampleInput& input,
                                            const std::string& written_shape, const DimSet& dims, int64_t ids) {
  const std::string element(name(input.element == ElementType::kF32 && doubles_ ? ElementType::kF64 : input.element));
  const double low = std::stod(input.low), high = std::stod(input.high);
  if (!is_float(input.element)) {
    const Expression i =
        has(Feature::kIntegers)
            ? integer(dims, 1).expression
            : Expression{fmt::format("random.integers({}, 0, 9)", shape(dims)), {}, integer_type(dims)};
    if (input.element == ElementType::kBool)
      return {written_shape == shape(dims) ? "($0 % 2 == 0)" : "(broadcast($0 -> " + written_shape + ") % 2 == 0)",
              {i},
              ""};
    const int64_t range =
        low == 0 ? std::min<int64_t>(static_cast<int64_t>(high), ids) : static_cast<int64_t>(high - low);
    return {low == 0 ? fmt::format("($0 % {})", range) : fmt::format("($0 % {} + {})", range, input.low), {i}, ""};
  }
  if (jumps(sample) || element == "bf16")
    return {fmt::format("random.uniform({}, low: {}, high: {}, {})", written_shape, input.low, input.high, element),
            {},
            ""};
  const Expression x = fit(real(dims, 1), dims, 1);
  const std::string scaled =
      fmt::format("({} + {} * $0)", text_of_number((low + high) / 2), text_of_number(0.49 * (high - low)));
  const std::string ordered =
      written_shape != shape(dims) ? fmt::format("(zeros({}, {}) + {})", written_shape, element, scaled) : scaled;
  return {input.element == ElementType::kF64 && !doubles_ ? "cast(" + ordered + ", f64)" : ordered, {x}, ""};
}

/// `let y = …`, the expression of an operation's sample, sometimes with its gradient by an operand. The dims that the
/// sample declares are lines of their own.
std::optional<Statements> WholeProgramDrawer::sampled() {
  if (!has(Feature::kOperations)) return std::nullopt;
  const Sample sample = dice_.pick(dice_.pick(samples()));
  if (sample.dims.size() > dims_.size() ||
      (!has(Feature::kIntegers) && std::any_of(sample.inputs.begin(), sample.inputs.end(),
                                               [](const SampleInput& i) { return i.element == ElementType::kI32; })))
    return std::nullopt;
  // The sample's dims are mapped to some of the program's dims, in any order.
  std::vector<int> left;
  for (size_t d = 0; d < dims_.size(); ++d) left.push_back(static_cast<int>(d));
  std::map<std::string, int> place;
  Words words;
  Sizes sizes{1, 1, 1, 1};
  int64_t ids = 1000;
  for (const std::string& each : sample.dims) {
    const int d = dice_.pick(left);
    left.erase(std::find(left.begin(), left.end(), d));
    place[each] = d, words[each] = dim(d);
    (each == "a" ? sizes.a : each == "b" ? sizes.b : each == "c" ? sizes.c : sizes.d) = size(d);
    ids = std::min<int64_t>(ids, size(d));
  }
  const std::optional<TensorType> type = type_of(sample, sizes);
  if (!type || size_of(type->dims) > 2000) return std::nullopt;

  Words inside = words;
  Statements lines;
  for (size_t i = 0; i < sample.declarations.size();) {  // `dim bc = b * c, n = 2`
    const size_t end = std::min(sample.declarations.find_first_of(",\n", i), sample.declarations.size());
    std::string one = sample.declarations.substr(i, end - i);
    i = end + 1;
    if (one.starts_with("dim ")) one.erase(0, 4);
    one.erase(0, one.find_first_not_of(' '));
    const std::string declared = one.substr(0, one.find_first_of(" ="));
    if (declared.empty()) continue;
    inside[declared] = fresh("d");
    lines.push_back({"dim " + with_words(one, inside), {}, {}, {}});
  }
  const bool real = is_float(type->element);
  const bool has_slopes = real && has(Feature::kGradients) && affordable(40) && sample.op->no_gradient.empty() &&
                          !jumps(sample) && ((functions_ == 0 && loops_ == 0) || has(Feature::kGradientsInside)) &&
                          dice_.chance(50);
  std::vector<Expression> operands;
  std::vector<Named> targets;  // the operands by which there are gradients
  for (const SampleInput& input : sample.inputs) {
    DimSet dims;
    for (const std::string& word : words_of(input.dims)) {
      if (!place.count(word)) return std::nullopt;  // a dim that the sample declares
      dims.push_back(place.at(word));
    }
    // Dims go by name: in any order, an operand means the same.
    const std::string written_shape = dice_.chance(30) ? shape(shuffled(dims)) : with_words(input.dims, words);
    std::sort(dims.begin(), dims.end());
    const Expression made = sample_input(sample, input, written_shape, dims, ids);
    if (has_slopes && is_float(input.element)) {
      targets.push_back({fresh("x"), {.dims = dims}});
      lines.push_back({"let " + targets.back().name + " = $0", {made}, {}, {}});
      inside[input.name] = targets.back().name;
      continue;
    }
    operands.push_back(made);
    inside[input.name] = fmt::format("${}", operands.size() - 1);
  }
  Expression result{"(" + with_words(sample.expression, inside) + ")", operands, ""};
  // Averages over dims that the sample declared or whose size changed.
  DimSet dims;
  bool all_known = true;
  for (const Dim& each : type->dims) {
    const auto found = place.find(each.name.str());
    if (found == place.end() || size(found->second) != each.size) all_known = false;
    else dims.push_back(found->second);
  }
  std::sort(dims.begin(), dims.end());
  if (type->element == ElementType::kBool) result = {"cast($0, i32)", {result}, ""};
  if (!all_known) result = {fmt::format("{}($0 -> {})", real ? "mean" : "sum", shape(dims)), {result}, ""};
  const std::string name = fresh(real ? "x" : "j");
  cost_ += 5 * iterations_;
  program_.made_of.insert("operation " + std::string(sample.op->name));
  if (!real) {
    lines.push_back({"let " + name + " = ($0 % 7)", {result}, {}, {}});
    declare(name, {.kind = Type::Kind::kInteger, .dims = dims}, 6);
    return lines;
  }
  const ElementType wanted = doubles_ ? ElementType::kF64 : ElementType::kF32;
  const ElementType found =
      type->element == ElementType::kF32 && doubles_ && !sample.inputs.empty() ? ElementType::kBool : type->element;
  if (found != wanted) result = {fmt::format("cast($0, {})", mtf::name(wanted)), {result}, ""};
  const std::string y = fresh("y");
  lines.push_back({"let " + y + " = $0", {result}, {}, {}});
  lines.push_back(
      {fmt::format("let {} = {} * rsqrt(1 + 0.3 * square({}))", name, y, y), {}, {}, {}});  // within 2, and smooth
  declare(name, {.dims = dims});
  if (targets.empty()) return lines;
  cost_ += 40 * iterations_;
  const Named target = dice_.pick(targets);
  const std::string g = fresh("g");
  lines.push_back({fmt::format("let {} = grad(mean(sin({} + 0.5)), [{}])[0]", g, name, target.name), {}, {}, {}});
  lines.push_back({"print(\"f\", " + g + ")", {}, {}, {}});
  declare(g, target.type, 20);
  return lines;
}

std::optional<TensorType> WholeProgramDrawer::type_of(const Sample& sample, const Sizes& sizes) {
  static std::map<std::string, std::optional<TensorType>> known;
  const std::string key = fmt::format("{} {} {} {} {}", sample.line, sizes.a, sizes.b, sizes.c, sizes.d);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  std::optional<TensorType> type;
  try {
    const Script script = sample.script(sizes);
    Evaluation evaluation(dry_execution(), {});
    evaluation.run(script.inputs + script.body);
    type = evaluation.value("result").type();
  } catch (const UserError&) {
    // the sample needs more elements than there are
  }
  return known[key] = type;
}

}  // namespace mtf::properties
