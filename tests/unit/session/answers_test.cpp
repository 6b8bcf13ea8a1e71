// The answers of a session, as records: completions, topics of help, and explanations of communication.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "../../execution_on.h"
#include "eval/modules.h"
#include "session/completion.h"
#include "session/explanation.h"
#include "session/help.h"
#include "session/search.h"
#include "session/session.h"

namespace mtf::session {
namespace {

class Answers : public testing::Test {
 protected:
  Answers() {
    session.execute(
        "mesh m = [rows: 2, cols: 2]\nlayout l = {batch -> rows, hidden -> cols}\n"
        "dim batch = 64, hidden = 128, io = 32\nfn scaled(x, rate: float = 0.1) = x * rate\n"
        "let x = random.uniform([batch, io]); let w = random.uniform([io, hidden])\n"
        "let v = random.uniform([hidden, io]); let h = relu(einsum(x, w -> [batch, hidden]))");
  }
  /// Returns the completions of one kind at the end of a text.
  std::vector<std::string> could(const std::string& text, CouldStand::Kind kind) {
    std::vector<std::string> found;
    for (const CouldStand& each : complete(session, text, text.size()).could)
      if (each.kind == kind) found.push_back(each.text);
    return found;
  }

  ExecutionOn<run::DryRuntime> execution;
  std::ostringstream out;
  Session session{{}, &execution, out};
};

TEST_F(Answers, WhatCouldStandFollowsFromThePlace) {
  using Kind = CouldStand::Kind;
  EXPECT_EQ(could("let y = scaled(h, ra", Kind::kLabel), std::vector<std::string>{"rate: "});
  EXPECT_EQ(could("h @ {batch -> ", Kind::kAxis), (std::vector<std::string>{"rows", "cols"}));
  EXPECT_EQ(could("ones([ba", Kind::kName), std::vector<std::string>{"batch"});
  EXPECT_EQ(could("wh", Kind::kWord), std::vector<std::string>{"while"});
  EXPECT_EQ(could("import opt", Kind::kModule), std::vector<std::string>{"optim"});
  EXPECT_TRUE(complete(session, "# wh", 4).could.empty());
  EXPECT_EQ(complete(session, "let y = scal + 1", 12).begin, 8u);
  const Completion completion = complete(session, "scal", 4);
  ASSERT_EQ(completion.could.size(), 1u);
  EXPECT_EQ(completion.could[0].name.signature.parameters.size(), 2u);
}

TEST_F(Answers, HelpIsOnWhatIsCalledSo) {
  const std::string folder = session.settings().stdlib;
  const std::vector<HelpTopic> softmax = help_on("softmax", folder);
  ASSERT_EQ(softmax.size(), 1u);
  EXPECT_EQ(softmax[0].kind, HelpTopic::Kind::kOperation);
  EXPECT_FALSE(softmax[0].example.empty());
  EXPECT_EQ(help_on("optim", folder).at(0).kind, HelpTopic::Kind::kModule);
  EXPECT_EQ(help_on("axis_used_twice", folder).at(0).kind, HelpTopic::Kind::kDiagnostic);
  EXPECT_TRUE(help_on("Adam", folder).empty());
  EXPECT_EQ(help_elsewhere("Adam", folder).at(0).name, "Adam");
}

TEST_F(Answers, AnExplanationNamesRulesAndBetterLayouts) {
  const Explanation explanation = explain_statement(session, "einsum(h, v -> [batch, io])", "<why>", {}, 2);
  ASSERT_EQ(explanation.collectives.size(), 1u);
  EXPECT_EQ(explanation.collectives[0].cost.collective, spmd::CollectiveKind::kAllReduce);
  EXPECT_EQ(explanation.collectives[0].rules.size(), 2u);
  ASSERT_EQ(explanation.better.size(), 2u);
  EXPECT_LT(explanation.better[0].total.wire_bytes, explanation.now.wire_bytes);
  EXPECT_TRUE(explain_statement(session, "h + 1", "<why>", {}, 2).collectives.empty());
}

TEST_F(Answers, ASearchAnswersWithItsCandidates) {
  SearchRequest request;
  request.question.processors = 4;
  const SearchAnswer answer =
      search_layouts(WhatIf::statement(session, "einsum(h, v -> [batch, io])", "<search>"), std::move(request));
  ASSERT_TRUE(answer.result.best());
  EXPECT_EQ(answer.result.best()->mesh->size(), 4);
  EXPECT_EQ(answer.costs.record().doubts().size(), 0u);
}

}  // namespace
}  // namespace mtf::session
