#include "support/diagnostics.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
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

TEST(Diagnostic, WhatATerminalObeysIsEscaped) {
  const auto file = SourceFile::create("a\x1b[2Jb.mtf", "x \xc2\x9b y");
  const std::string text = Diagnostic(Kind::unknown_name, find(*file, "x"), "found \x1b]0;t\x07")
                               .help("\x9b\nsecond")
                               .note("\xe2\x80\xae")
                               .render();
  for (const char letter : text) EXPECT_TRUE(letter == '\n' || static_cast<unsigned char>(letter) >= 0x20) << text;
  for (const std::string part :
       {"a\\x1b[2Jb.mtf:1:1", "found \\x1b]0;t\\x07", "x ? y", "help: \\x9b\nsecond", "\\xe2\\x80\\xae"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(Diagnostic, AnEndlessWordIsCut) {
  std::string word;
  for (int i = 0; i < 100000; ++i) word += "é";
  const std::string text = Diagnostic(Kind::unknown_name, {}, "no `" + word + "` here").help(word).render();
  EXPECT_LT(text.size(), 10000u);
  EXPECT_NE(text.find("é … é"), std::string::npos);
  EXPECT_NE(text.find("é` here\n"), std::string::npos);
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

std::string refusal_of(const std::string& path) {
  try {
    SourceFile::read(path);
  } catch (const UserError& error) { return error.what(); }
  return "";
}

TEST(SourceFile, APipeIsRefusedAtOnce) {
  std::string folder = "/tmp/mtf_test_XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string pipe = folder + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(refusal_of(pipe).find("expected a regular file"), std::string::npos);
  EXPECT_NE(refusal_of(pipe).find("standard input, `-`"), std::string::npos);
  unlink(pipe.c_str());
  rmdir(folder.c_str());
}

TEST(SourceFile, ANameEndsAtNoNul) {
  EXPECT_NE(
      refusal_of(std::string("/etc/passwd\0.mtf", 16)).find("/etc/passwd\\x00.mtf: no file's name has the character 0"),
      std::string::npos);
}

TEST(SourceFile, RefusesWhatIsNoScript) {
  EXPECT_THROW(SourceFile::read("/nonexistent.mtf"), UserError);
  EXPECT_THROW(SourceFile::read("/"), UserError);
  EXPECT_THROW(SourceFile::read("/dev/zero"), UserError);
}

}  // namespace
}  // namespace mtf
