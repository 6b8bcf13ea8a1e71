#include "support/diagnostics.h"

#include <gtest/gtest.h>

#include <set>

namespace mtf {
namespace {

Span find(const SourceFile& file, std::string_view text) {
  const auto begin = static_cast<std::uint32_t>(file.text().find(text));
  return {&file, begin, begin + static_cast<std::uint32_t>(text.size())};
}

TEST(Diagnostic, RendersAsInTheReference) {
  std::string text = "mesh grid = [all: 4]\nlayout both = {batch -> all, hidden -> all}\n";
  for (int line = 3; line < 12; ++line) text += "\n";
  text += "    let h = relu(einsum(x, w -> [batch, hidden]) + bias)\n";
  const auto file = SourceFile::create("two_layer.mtf", text);
  const Diagnostic diagnostic =
      Diagnostic(Kind::axis_used_twice, find(*file, "einsum(x, w -> [batch, hidden])"), "f32[batch=64, hidden=128]")
          .related(find(*file, "batch -> all"), "")
          .related(find(*file, "hidden -> all"), "both map to all")
          .help("map one of them to another axis, or leave one out to replicate it");
  EXPECT_EQ(diagnostic.render(),
            R"(error: two dimensions of this tensor are split over one mesh axis [axis_used_twice]
  --> two_layer.mtf:12:18
   |
12 |     let h = relu(einsum(x, w -> [batch, hidden]) + bias)
   |                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ f32[batch=64, hidden=128]
   |
 2 | layout both = {batch -> all, hidden -> all}
   |                ^^^^^^^^^^^^  ^^^^^^^^^^^^^ both map to all
   = help: map one of them to another axis, or leave one out to replicate it
)");
}

TEST(Diagnostic, NamesAnotherFile) {
  const auto here = SourceFile::create("a.mtf", "f(x)");
  const auto there = SourceFile::create("b.mtf", "fn f() = 1");
  const std::string text = Diagnostic(Kind::wrong_arity, find(*here, "x"), "expected 0 arguments, found 1")
                               .related(find(*there, "f()"), "declared here")
                               .render();
  EXPECT_NE(text.find(" ::: b.mtf:1:4\n"), std::string::npos) << text;
}

TEST(Diagnostic, WithoutAPlaceTheLabelIsANote) {
  EXPECT_EQ(Diagnostic(Kind::file_not_found, {}, "x.mtf").render(),
            "error: there is no such file [file_not_found]\n  = note: x.mtf\n");
}

TEST(Diagnostic, ColumnsAreCodePointsAndTabsAreOneWide) {
  const auto file = SourceFile::create("a.mtf", "\tprint(\"é\", x)");
  EXPECT_EQ(to_text(find(*file, "x")), "a.mtf:1:13");
  const std::string text = Diagnostic(Kind::unknown_name, find(*file, "x"), "here").render();
  EXPECT_NE(text.find("1 |  print(\"é\", x)\n  |             ^ here\n"), std::string::npos) << text;
}

TEST(Diagnostic, AVeryLongLineIsCut) {
  const auto file = SourceFile::create("a.mtf", std::string(100000, 'a') + " x " + std::string(100000, 'b'));
  EXPECT_LT(Diagnostic(Kind::unknown_name, find(*file, "x"), "here").render().size(), 1000u);
}

TEST(Diagnostic, KeepsItsFileAlive) {
  auto file = SourceFile::create("a.mtf", "x");
  const Diagnostic diagnostic(Kind::unknown_name, find(*file, "x"));
  file.reset();
  EXPECT_NE(diagnostic.render().find("a.mtf:1:1"), std::string::npos);
}

TEST(Diagnostics, KeepsEachOnce) {
  const auto file = SourceFile::create("a.mtf", "x y");
  Diagnostics all;
  EXPECT_TRUE(all.attempt([] {}));
  EXPECT_FALSE(all.attempt([&] { fail(Kind::unknown_name, find(*file, "x"), "no {}", "x"); }));
  EXPECT_FALSE(all.attempt([&] { fail(Kind::unknown_name, find(*file, "x"), "no {}", "x"); }));
  all.add(Diagnostic(Kind::limit_exceeded, find(*file, "y")));
  EXPECT_EQ(all.error_count(), 2u);
  EXPECT_EQ(all.exit_code(), ExitCode::kProgram);
  EXPECT_THROW(all.throw_first(), UserError);
}

TEST(Diagnostics, AWarningIsNoError) {
  Diagnostics all;
  all.add(Diagnostic(Kind::layout_dim_unused, {}));
  EXPECT_FALSE(all.has_errors());
  EXPECT_EQ(all.exit_code(), ExitCode::kSuccess);
}

TEST(Kinds, AreNamedOnceAndHaveAHeadline) {
  std::set<std::string_view> names;
  for (const KindRecord& kind : all_kinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_FALSE(kind.headline.empty()) << kind.name;
    EXPECT_EQ(&record(kind.kind), &kind);
  }
}

TEST(Check, ThrowsOurOwnBug) {
  const int size = -1;
  try {
    MTF_CHECK(size >= 0, "size is {}", size);
    FAIL();
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find("size >= 0 does not hold: size is -1"), std::string::npos);
  }
}

TEST(SourceFile, KnowsItsLines) {
  const auto file = SourceFile::create("a.mtf", "ab\r\ncd\n");
  EXPECT_EQ(file->line(1), "ab");
  EXPECT_EQ(file->line(2), "cd");
  EXPECT_EQ(file->line(3), "");
  EXPECT_EQ(file->line(4), "");
  EXPECT_EQ(file->position(5), (Position{2, 2}));
  EXPECT_EQ(file->position(1000), (Position{3, 1}));
}

TEST(SourceFile, RefusesWhatIsNoScript) {
  EXPECT_THROW(SourceFile::read("/nonexistent.mtf"), UserError);
  EXPECT_THROW(SourceFile::read("/"), UserError);
  EXPECT_THROW(SourceFile::read("/dev/zero"), UserError);
}

}  // namespace
}  // namespace mtf
