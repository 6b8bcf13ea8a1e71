// `mtf plan --symbolic`: the values of its formulas are the plan's numbers, and the paper's Table 1.
#include <cmath>
#include <filesystem>
#include <map>
#include <ostream>
#include <sstream>

#include "../../execution_on.h"
#include "../../places.h"
#include "command.h"
#include "library/library.h"
#include "plan/program_record.h"
#include "session/session.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include "tool/present/plan_text.h"
#include "tool/present/symbolic_plan.h"
#include "tool/shell/program_options.h"

namespace mtf::tool {
namespace {

/// Evaluates sums of terms such as `2·batch·io / (rows·cols)`: each is a product over a product.
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
    for (size_t at; (at = text.find(between, begin)) != std::string::npos; begin = at + between.size())
      found.push_back(text.substr(begin, at - begin));
    found.push_back(text.substr(begin));
    return found;
  }

 private:
  double product(std::string text) const {
    if (text.starts_with("(")) text = text.substr(1, text.size() - 2);
    // The size of a block, ⌈a/(b·c)⌉, is one factor.
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
    if (const size_t at = line.find_first_not_of(' ');
        at != std::string::npos && line.compare(at, name.size(), name) == 0)
      return std::string(trim(line.substr(at + name.size())));
  return "no " + name;
}

/// The formulas of a statement, or of the totals, by their names, without their values.
using Formulas = std::map<std::string, std::string>;

struct Symbolic {
  std::map<std::string, Formulas> of;  ///< by `place  text`; `in all`
  std::map<std::string, double> sizes;
  std::string notes;  ///< of all
};

Symbolic read_symbolic(const std::string& text) {
  Symbolic read;
  std::istringstream lines(text);
  std::string head;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("where ")) {
      for (const std::string& each : Evaluator::parts(line.substr(6), ", ")) {
        const size_t at = each.rfind(" = ");
        read.sizes[each.substr(0, at)] = std::stod(each.substr(at + 3));
      }
    } else if (line.starts_with("an estimate")) {
      head = read.notes = line;
    } else if (line.starts_with("    (")) {
      continue;  // of one statement
    } else if (line.starts_with("    ")) {
      const std::string found(trim(line));
      const size_t gap = found.find("  "), value = found.rfind(" = ");
      if (value != std::string::npos)
        read.of[head][found.substr(0, gap)] = std::string(trim(found.substr(gap, value - gap)));
    } else {
      head = line;
    }
  }
  return read;
}

/// Returns the plan's numbers under the same names.
std::map<std::string, double> figures_of(const plan::Counters& counters) {
  std::map<std::string, double> figures;
  figures["computation"] = static_cast<double>(counters.flops);
  for (int kind = 0; kind < spmd::kCollectiveKinds; ++kind)
    for (const auto& [axes, count] : counters.collectives[kind])
      if (count.count > 0)
        figures[fmt::format("{} over {}", name(static_cast<spmd::CollectiveKind>(kind)), axes_text(axes))] =
            static_cast<double>(count.values);
  return figures;
}

/// Expects that the formulas have these values.
void expect_values(const Formulas& formulas, const std::map<std::string, double>& figures,
                   const std::map<std::string, double>& sizes) {
  const Evaluator evaluator(sizes);
  for (const auto& [what, figure] : figures) {
    const auto formula = formulas.find(what);
    if (figure == 0 && formula == formulas.end()) continue;
    ASSERT_TRUE(formula != formulas.end()) << what << ": " << figure;
    EXPECT_NEAR(evaluator.sum(formula->second), figure, 1e-9 * figure) << what << " = " << formula->second;
  }
  for (const auto& [what, formula] : formulas) EXPECT_TRUE(figures.contains(what)) << what << " = " << formula;
}

void expect_the_values_of_the_plan(const std::string& path, const eval::Settings& settings) {
  const auto record = std::make_shared<plan::ProgramRecord>();
  ExecutionOn<run::DryRuntime> execution(plan::ExecutionOptions{.record = record});
  std::ostream nowhere(nullptr);
  session::Session session(settings, &execution, nowhere);
  SymbolicPlan symbolic(*record);
  std::map<std::string, plan::Counters> planned;
  bool is_estimate = false;
  session.on_statement([&](const eval::StatementReport& report) {
    symbolic.add(report);
    is_estimate = is_estimate || !report.doubts.empty();
    if (report.costs.empty()) return;
    for (const std::string& head : {place_of(report.span) + "  " + report.text, std::string("in all")})
      add_times(planned[head], report.counters, std::max<int64_t>(report.iterations, 1));
  });
  session.run_file(path);
  const Symbolic read = read_symbolic(symbolic.text());
  for (const auto& [head, counters] : planned) {
    SCOPED_TRACE(head);
    const auto found = read.of.find(head);
    expect_values(found == read.of.end() ? Formulas() : found->second, figures_of(counters), read.sizes);
  }
  EXPECT_EQ(is_estimate, !read.notes.empty()) << read.notes;
}

TEST(SymbolicPlan, HasTheValuesOfThePlanOfEveryScript) {
  eval::Settings settings;
  settings.stdlib = standard_library();
  settings.library = &library::host_library();
  int compared = 0;
  for (const char* folder : {"tests/scripts", "examples"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(source_folder()) / folder)) {
      const std::string path = entry.path().string();
      if (entry.path().extension() != ".mtf" || session::Session::check_file(path, settings).has_errors()) continue;
      SCOPED_TRACE(path);
      try {
        expect_the_values_of_the_plan(path, settings);
        ++compared;
      } catch (const UserError&) {  // a plan of the script ends with an error
      }
    }
  }
  EXPECT_GT(compared, 200);
}

/// Table 1 of the Mesh-TensorFlow paper, up to constants. The table has times; here they are flops of three passes and
/// values of both directions. The table's n is `all`.
TEST_F(CommandTest, SymbolicPlanPrintsTheTableOfThePapersLayouts) {
  const ProcessResult found = mtf({"plan", source_folder() + "/examples/section8.mtf", "--symbolic"});
  ASSERT_EQ(found.status, 0) << found.err;
  const auto line = [&](const std::string& statement, const std::string& name) {
    return line_behind(found.out, statement, name + " ");
  };
  EXPECT_EQ(line(":37  ", "communication"), "0");
  const std::string ratio = "communication / computation";
  EXPECT_EQ(line(":40  ", ratio), "all / (6·batch)");
  EXPECT_EQ(line(":45  ", ratio), "all / (6·hidden)");
  EXPECT_EQ(line(":51  ", ratio), "rows / (6·batch) + cols / (6·hidden)");
  EXPECT_EQ(line(":58  ", ratio), "rows / (6·batch) + cols / (6·hidden) + planes / (6·io)");
  EXPECT_TRUE(line(":37  ", "computation").starts_with("12·batch·hidden·io + "));
  EXPECT_TRUE(line(":40  ", "computation").starts_with("12·batch·hidden·io / all + "));
  EXPECT_TRUE(line(":45  ", "computation").starts_with("12·batch·hidden·io / all + "));
  EXPECT_TRUE(line(":51  ", "computation").starts_with("12·batch·hidden·io / (rows·cols) + "));
  EXPECT_TRUE(line(":58  ", "computation").starts_with("12·batch·hidden·io / (rows·cols·planes) + "));
  EXPECT_EQ(line(":40  ", "all_reduce over all"), "2·hidden·io + hidden = 8,320");
  EXPECT_EQ(line(":45  ", "all_reduce over all"), "2·batch·io = 4,096");
  EXPECT_EQ(line(":51  ", "elements"), "6·batch·hidden / (rows·cols) + 9·batch·io / rows + 8·hidden·io / cols");
}

}  // namespace
}  // namespace mtf::tool
