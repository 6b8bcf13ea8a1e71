// `mtf plan --symbolic`: formulas whose values are the plan's numbers, and the paper's Table 1.
#include <cmath>
#include <map>
#include <sstream>

#include "command.h"
#include "support/text.h"

namespace mtf::tool {
namespace {

/// Sums of `2·batch·io / (rows·cols)`, each a product over a product.
class Evaluator {
 public:
  explicit Evaluator(std::map<std::string, double> sizes) : sizes_(std::move(sizes)) {}

  double sum(const std::string& text) const {
    double sum = 0;
    for (const std::string& term : parts(text, " + ")) {
      const std::vector<std::string> sides = parts(term, " / ");
      sum += product(sides[0]) / (sides.size() > 1 ? product(sides[1]) : 1);
    }
    return sum;
  }

  static std::vector<std::string> parts(const std::string& text, const std::string& between) {
    std::vector<std::string> found;
    size_t begin = 0;
    for (size_t at; (at = text.find(between, begin)) != std::string::npos; begin = at + between.size()) found.push_back(text.substr(begin, at - begin));
    found.push_back(text.substr(begin));
    return found;
  }

 private:
  double product(std::string text) const {
    if (text.starts_with("(")) text = text.substr(1, text.size() - 2);
    // A block's size, ⌈a/(b·c)⌉, is one factor.
    std::string joined;
    bool inside = false;
    for (const std::string& part : parts(text, "·")) {
      joined += joined.empty() ? "" : inside ? "·" : "\n";
      joined += part;
      if (part.find("⌈") != std::string::npos) inside = true;
      if (part.find("⌉") != std::string::npos) inside = false;
    }
    double product = 1;
    for (std::string factor : parts(joined, "\n")) {
      int power = 1;
      if (const size_t hat = factor.find('^'); hat != std::string::npos) {
        power = std::stoi(factor.substr(hat + 1));
        factor.resize(hat);
      }
      const auto at = sizes_.find(factor);
      const double value = at != sizes_.end() ? at->second : std::stod(factor);
      for (int i = 0; i < power; ++i) product *= value;
    }
    return product;
  }

  std::map<std::string, double> sizes_;
};

std::string line_behind(const std::string& text, const std::string& head, const std::string& name) {
  std::istringstream lines(text.substr(text.find(head)));
  for (std::string line; std::getline(lines, line);)
    if (const size_t at = line.find_first_not_of(' '); at != std::string::npos && line.compare(at, name.size(), name) == 0) return std::string(trim(line.substr(at + name.size())));
  return "no " + name;
}

double number_in(const std::string& text) {
  std::string digits;
  for (char letter : text)
    if (std::isdigit(static_cast<unsigned char>(letter))) digits += letter;
    else if (letter != ',' && !digits.empty()) break;
  return std::stod(digits);
}

class SymbolicPlanOf : public CommandTest, public testing::WithParamInterface<const char*> {};

TEST_P(SymbolicPlanOf, HasTheValuesOfThePlan) {
  const std::string file = std::string(MTF_SOURCE_DIR "/examples/") + GetParam();
  const ProcessResult symbolic = mtf({"plan", file, "--symbolic"}), plain = mtf({"plan", file});
  ASSERT_EQ(symbolic.status, 0) << symbolic.err;
  std::map<std::string, double> sizes;
  for (const std::string& each : Evaluator::parts(line_behind(symbolic.out, "\nin all", "where "), ", ")) {
    const std::vector<std::string> sides = Evaluator::parts(each, " = ");
    sizes[sides[0]] = std::stod(sides[1]);
  }
  const std::string formula = line_behind(symbolic.out, "\nin all", "computation ");
  const double expected = number_in(line_behind(plain.out, "total for each", "flops "));
  EXPECT_NEAR(Evaluator(sizes).sum(Evaluator::parts(formula, " = ")[0]) / expected, 1, 1e-9) << formula;
}
INSTANTIATE_TEST_SUITE_P(Examples, SymbolicPlanOf, testing::Values("two_layer.mtf", "section8.mtf", "megatron.mtf", "counters.mtf"),
                         [](const auto& info) { return std::string(info.param, std::string_view(info.param).find('.')); });

/// Table 1 of the Mesh-TensorFlow paper, up to constants: there time is counted, here flops of three passes and values of
/// both directions; what the table calls n is `all`.
TEST_F(CommandTest, SymbolicPlanPrintsTheTableOfThePapersLayouts) {
  const ProcessResult found = mtf({"plan", MTF_SOURCE_DIR "/examples/section8.mtf", "--symbolic"});
  ASSERT_EQ(found.status, 0) << found.err;
  const auto line = [&](const std::string& statement, const std::string& name) { return line_behind(found.out, statement, name + " "); };
  EXPECT_EQ(line(":37  ", "communication"), "0");
  const std::string ratio = "communication / computation";
  EXPECT_EQ(line(":40  ", ratio), "all / (6·batch)");
  EXPECT_EQ(line(":45  ", ratio), "all / (6·hidden)");
  EXPECT_EQ(line(":51  ", ratio), "rows / (6·batch) + cols / (6·hidden)");
  EXPECT_EQ(line(":58  ", ratio), "rows / (6·batch) + cols / (6·hidden) + planes / (6·io)");
  EXPECT_TRUE(line(":37  ", "computation").starts_with("12·batch·hidden·io + "));
  EXPECT_TRUE(line(":40  ", "computation").starts_with("12·batch·hidden·io / all + "));
  EXPECT_TRUE(line(":45  ", "computation").starts_with("12·batch·hidden·io / all + "));
  EXPECT_TRUE(line(":51  ", "computation").starts_with("12·batch·io·hidden / (rows·cols) + "));
  EXPECT_TRUE(line(":58  ", "computation").starts_with("12·batch·io·hidden / (rows·planes·cols) + "));
  EXPECT_EQ(line(":40  ", "all_reduce over all"), "2·hidden·io + hidden = 8,320");
  EXPECT_EQ(line(":45  ", "all_reduce over all"), "2·batch·io = 4,096");
  EXPECT_EQ(line(":51  ", "elements"), "6·batch·hidden / (rows·cols) + 9·batch·io / rows + 8·io·hidden / cols");
}

}  // namespace
}  // namespace mtf::tool
