// Libraries of host functions: a session can call the functions that it is given, and no others.
#include <sstream>

#include "../../execution_on.h"
#include "../file_test.h"
#include "eval/host_library.h"
#include "session/session.h"

namespace mtf::eval {
namespace {

struct CountedCalls : LibraryState {
  int64_t count = 0;
};

HostValue twice(Caller&, const Bound& call) { return 2 * *call.integer(0); }

HostValue count(Caller& caller, const Bound&) { return ++caller.state<CountedCalls>().count; }

/// Makes a tensor of numbers of the host.
HostValue given(Caller& caller, const Bound& call) {
  return caller.constant({{ElementType::kF32, caller.convert.to_dims(call.value(0), call.span(0))}, {}}, call.span());
}

class OneLibrary : public FileTest {
 protected:
  OneLibrary() {
    settings_.library = &library_;
    settings_.stdlib = path("");
    settings_.stdlib.pop_back();
    write("counting.mtf", "fn next() = native.count()\n");
  }
  std::string run(const std::string& text) const {
    ExecutionOn<run::MpiRuntime> execution;
    std::ostringstream out;
    session::Session(settings_, &execution, out).run_text("test.mtf", text);
    return out.str();
  }
  std::string checked(const std::string& text) const {
    return session::Session::check_text("test.mtf", text, settings_).render();
  }

  HostLibrary library_{
      .functions = {{"twice(x: int) -> int", "Two of them.", Effects::kNone, twice},
                    {"given(dims: shape) -> tensor", "Numbers.", Effects::kReads, given}},
      .native = {{"count() -> int", "", Effects::kWrites, count}},
      .new_state = []() -> std::unique_ptr<LibraryState> { return std::make_unique<CountedCalls>(); },
  };
  Settings settings_;
};

TEST_F(OneLibrary, HasFunctionsThatEveryProgramSees) {
  EXPECT_EQ(run("print(twice(x: 4))\n"), "8\n");
  EXPECT_EQ(run("dim a = 2\nprint(given([a]) + 1)\n"), "[1, 1]\n");
  EXPECT_MENTIONS(checked("twice(4, 5)\n"), "`twice` takes 1 argument");
  EXPECT_MENTIONS(checked("print(twyce(4))\n"), "twice");
}

TEST_F(OneLibrary, HasFunctionsThatOnlyStandardModulesSee) {
  EXPECT_EQ(run("import counting\nprint(counting.next())\n"), "1\n");
  EXPECT_MENTIONS(checked("native.count()\n"), "[unknown_name]");
}

TEST_F(OneLibrary, RemembersWhatAnEvaluationHasCalled) {
  const std::string text = "import counting\nprint(counting.next(), counting.next())\n";
  EXPECT_EQ(run(text), "1 2\n");
  EXPECT_EQ(run(text), "1 2\n");
}

TEST_F(OneLibrary, SaysItsFunctionsToWhoAsks) {
  ExecutionOn<run::DryRuntime> execution;
  std::ostringstream out;
  const session::Session session(settings_, &execution, out);
  const std::vector<session::KnownName> known = session.known_names("twi");
  ASSERT_EQ(known.size(), 1U);
  EXPECT_EQ(known[0].signature.text, "twice(x: int) -> int");
  EXPECT_EQ(known[0].doc, "Two of them.");
}

TEST_F(OneLibrary, IsAllThatThereIs) {
  settings_.library = nullptr;
  EXPECT_MENTIONS(checked("twice(4)\n"), "[unknown_name]");
  EXPECT_MENTIONS(checked("print(split(\"a b\"))\n"), "[unknown_name]");
  EXPECT_MENTIONS(checked("import counting\nprint(counting.next())\n"), "[unknown_name]");
  EXPECT_EQ(run("print(int(\"3\") + len(\"four\"))\n"), "7\n");
}

}  // namespace
}  // namespace mtf::eval
