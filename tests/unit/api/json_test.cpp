// Answers as JSON: what is written and what is documented are the same.
#include "api/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "api/records.h"
#include "mtf/interpreter.h"
#include "mtf/mtf.h"
#include "session/combinations.h"

namespace mtf {
namespace {

using Json = nlohmann::ordered_json;

/// Compares objects with their documentation, and remembers which objects it has seen.
class Documented {
 public:
  void compare(const Json& json, std::string_view type, const std::string& where) {
    constexpr std::string_view kList = "list of ";
    if (type.starts_with(kList)) {
      ASSERT_TRUE(json.is_array()) << where;
      for (const Json& each : json) compare(each, type.substr(kList.size()), where);
    } else if (type == "text") {
      EXPECT_TRUE(json.is_string()) << where;
    } else if (type == "integer") {
      EXPECT_TRUE(json.is_number_integer()) << where;
    } else if (type == "number") {
      EXPECT_TRUE(json.is_number()) << where;
    } else if (type == "bool") {
      EXPECT_TRUE(json.is_boolean()) << where;
    } else if (type == "numbers by name") {
      for (const auto& [name, number] : json.items()) EXPECT_TRUE(number.is_number()) << where << "." << name;
    } else if (type == "texts by name") {
      for (const auto& [name, text] : json.items()) EXPECT_TRUE(text.is_string()) << where << "." << name;
    } else {
      compare_object(json, type, where);
    }
  }
  void compare(const std::string& text) {
    const Json json = Json::parse(text);
    const auto record = json.at("record").get<std::string>();
    compare(json, record, record);
  }
  const std::set<std::string_view>& seen() const { return seen_; }

 private:
  void compare_object(const Json& json, std::string_view type, const std::string& where) {
    for (const JsonObject& object : json_objects()) {
      if (object.name != type) continue;
      seen_.insert(object.name);
      std::vector<std::string> written, documented;
      for (const auto& [name, field] : json.items()) written.push_back(name);
      for (const JsonField& field : object.fields) documented.emplace_back(field.name);
      EXPECT_EQ(written, documented) << where;
      for (const JsonField& field : object.fields)
        if (json.contains(field.name)) compare(json.at(field.name), field.type, where + "." + std::string(field.name));
      return;
    }
    ADD_FAILURE() << "no documentation of " << type << ", at " << where;
  }

  std::set<std::string_view> seen_;
};

TEST(AnswersAsJson, EachWrittenFieldIsDocumentedAndEachDocumentedFieldIsWritten) {
  Interpreter interpreter({.mesh = "rows:2;cols:2", .layout = "batch:rows"});
  interpreter.run("dim batch = 8, io = 4\nlet x = random.uniform([batch, io])\nfn f(y) = sum(square(y))");
  Documented documented;
  PlanRecord plan = interpreter.plan("while f(x) < 9 { x := x + 1 }");
  EXPECT_TRUE(plan.is_estimate());
  plan.stored = {1, 4, 1, 4};
  plan.not_read = {{{"a.mtf", 1, 1, 1, 4}, "let y = x", "y"}};
  plan.warnings = {"a sentence"};
  plan.seconds = {{"in all", 0.5}};
  documented.compare(to_json(plan));
  documented.compare(to_json(interpreter.explain_costs("f(x)")));
  documented.compare(to_json(interpreter.search("f(x)", {.processors = 4})));
  session::OptionSets options;
  options.best = options.front = {session::OptionSet()};
  options.refused = {{"a reason", 1}};
  documented.compare(to_json(options));
  for (const DiagnosticRecord& each :
       interpreter.check("let batch = 1\nlet y = bach + 1\nlet batch = 2\ndim batch = 1"))
    documented.compare(to_json(each));
  for (const JsonObject& object : json_objects()) EXPECT_TRUE(documented.seen().count(object.name)) << object.name;
}

TEST(AnswersAsJson, TheFiguresOfAPlanAreThoseOfItsRecord) {
  Interpreter interpreter({.mesh = "rows:2;cols:2", .layout = "batch:rows"});
  interpreter.run("dim batch = 8, io = 4\nlet x = random.uniform([batch, io])");
  const PlanRecord plan = interpreter.plan("for i in 0..3 {\n  print(sum(x * i))\n}");
  const Json json = Json::parse(to_json(plan));
  EXPECT_EQ(json["totals"]["flops"], plan.totals.flops);
  EXPECT_EQ(json["totals"]["collectives"][0]["wire_bytes"], plan.totals.collectives.at(0).wire_bytes);
  EXPECT_EQ(json["parts"][0]["flops"], plan.totals.flops);
  EXPECT_EQ(json["lines"][0]["line"], 2);
  EXPECT_EQ(json["is_estimate"], false);
}

TEST(AnswersAsJson, AreTheSameInC) {
  mtf_interpreter* mtf = nullptr;
  ASSERT_EQ(mtf_open(nullptr, &mtf), MTF_OK);
  ASSERT_EQ(mtf_run(mtf, "dim a = 8\nlet x = random.uniform([a])"), MTF_OK);
  const mtf_plan* plan = nullptr;
  ASSERT_EQ(mtf_get_plan(mtf, "sum(x)", "rows:2", "a:rows", &plan), MTF_OK);
  const char* const text = mtf_plan_json(plan);
  EXPECT_EQ(Json::parse(text)["totals"]["flops"], plan->totals.flops);
  EXPECT_EQ(mtf_plan_json(plan), text);
  mtf_search_rules rules{};
  rules.struct_size = sizeof rules;
  rules.processors = 4;
  rules.most = 3;
  const mtf_answer* answer = nullptr;
  ASSERT_EQ(mtf_search(mtf, "sum(square(x))", &rules, &answer), MTF_OK);
  EXPECT_EQ(answer->count, 3);
  EXPECT_EQ(Json::parse(mtf_answer_json(answer))["found"].size(), 3);
  const mtf_diagnostics* found = nullptr;
  ASSERT_EQ(mtf_check(mtf, "let y = unknown", &found), MTF_OK);
  EXPECT_EQ(Json::parse(mtf_diagnostics_json(found))["kind"], "unknown_name");
  mtf_free_diagnostics(found);
  mtf_free_answer(answer);
  mtf_free_plan(plan);
  mtf_close(mtf);
  EXPECT_EQ(mtf_plan_json(nullptr), nullptr);
  EXPECT_EQ(mtf_explanation_json(nullptr), nullptr);
}

TEST(Searches, AreEndedByAnInterrupt) {
  Interpreter interpreter;
  interpreter.run("dim a = 64, b = 64, c = 64\nlet x = random.uniform([a, b, c])");
  int told = 0;
  SearchRules rules{.processors = 64, .axes = 4};
  rules.progress = [&](std::int64_t, double) {
    if (++told == 5) interpreter.interrupt();
  };
  try {
    interpreter.search("sum(square(x))", rules);
    ADD_FAILURE() << "the search was not ended";
  } catch (const ScriptError& error) { EXPECT_EQ(error.kind(), "interrupted"); }
  EXPECT_EQ(told, 5);
  rules.progress = nullptr;
  EXPECT_EQ(interpreter.search("sum(square(x))", rules).size(), 2);
}

}  // namespace
}  // namespace mtf
