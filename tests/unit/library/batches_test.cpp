// Batches of files: the same numbers however they are read, and errors at the right iteration.
#include <sstream>

#include "../../execution_on.h"
#include "../../places.h"
#include "../file_test.h"
#include "library/library.h"
#include "session/session.h"

namespace mtf::library {
namespace {

class Batches : public FileTest {
 protected:
  Batches() { settings_.library = &host_library(); }
  std::string run(const std::string& text) {
    ExecutionOn<run::MpiRuntime> execution;
    std::ostringstream out;
    session::Session session(settings_, &execution, out);
    try {
      session.run_text("test.mtf", "import data\n" + text);
    } catch (const UserError& error) { out << error.diagnostic().render(); }
    return out.str();
  }
  /// Writes a file of `count` ids of 16 bits, repeatedly from 0 to 199.
  std::string ids(int count, int wrong = -1) {
    std::string bytes;
    for (int i = 0; i < count; ++i) bytes += {static_cast<char>(i == wrong ? 250 : i % 200), '\0'};
    return write("ids", bytes);
  }

  eval::Settings settings_;
};

TEST_F(Batches, OfATextAreTheSameEveryTime) {
  EXPECT_EQ(run("dim batch = 2, length = 4\nlet t = data.text(\"" + source_folder() +
                "/tests/unit/library/letters.txt\")\n"
                "print(t.vocab, len(t))\n"
                "for (x, y) in t.batches(batch, length) { print(t.decode(x[batch: 0]), t.decode(y[batch: 0])) }\n"),
            "8 18\nabcd bcde\nabcd bcde\n");
}

TEST_F(Batches, OfMissingFilesAreLeftToTheRun) {
  const std::string text =
      "import data\ndim a = 2, b = 3\nlet s = data.idx(\"no.gz\", \"no2.gz\", [a])\n"
      "for (x, y) in s.batches(b) { print(sum(x), sum(y)) }\nlet z = data.npy(\"no.npy\", [a])\nprint(z + 1)\n";
  EXPECT_EQ(session::Session::check_text("test.mtf", text, settings_).render(), "");
}

TEST_F(Batches, OfTokensInAFileAreThoseOfTheTextInMemory) {
  const std::string text =
      write("text", "a text of a few words, and of a few more words than that, which are read in places");
  EXPECT_EQ(
      run("let a = data.text(\"" + text + "\")\na.save(\"" + path("saved") + "\")\nlet b = data.token_file(\"" +
          path("saved") +
          "\", a.vocab)\n"
          "print(len(a) == len(b), a.vocab == b.vocab)\n"
          "dim batch = 3, length = 5\n"
          "for (part, other) in [(a, b), (a[7..50], b[7..50])] {\n"
          "  for ((x, y), (z, w)) in zip([p for p in part.batches(batch, length, shuffle: 4, rest: true)], "
          "[p for p in other.batches(batch, length, shuffle: 4, rest: true)]) { assert all(x == z) and all(y == w) }\n"
          "  for ((x, y, c), (z, w, d)) in zip([p for p in part.windows(batch, length, stride: 2)], "
          "[p for p in other.windows(batch, length, stride: 2)]) {\n"
          "    assert all(x == z) and all(y == w) and all(c == d)\n"
          "  }\n"
          "}\n"),
      "true true\n");
}

TEST_F(Batches, AreDecodedToAsManyTextsAsTheyHaveRowsBeforeTheNumbersAreKnown) {
  const std::string script = write(
      "a.mtf",
      "import data\nlet t = data.text(\"" + write("text", "a text of a few words") +
          "\")\ndim batch = 3, length = 5\n"
          "for (x, y) in t.batches(batch, length) { print([\"one\", \"two\", \"three\"][0..len(t.decode(x))]) }\n");
  EXPECT_FALSE(session::Session::check_file(script, settings_).has_errors());
}

// Large enough that each batch is prepared while the one before is used.
const std::string kLargeBatches = "dim batch = 64, length = 4096\nlet t = data.token_file(\"";

TEST_F(Batches, ThatAreReadAheadHaveTheSameNumbers) {
  // The last batch has 30 rows.
  const std::string walk = kLargeBatches + ids(64 * 4096 * 5 + 30 * 4096 + 1) +
                           "\", 200)\n"
                           "let turn = 0\n"
                           "for (x, y) in t.batches(batch, length, rest: true) {\n"
                           "  let rows = x.shape[0]\n"
                           "  let first = (turn * 64 * 4096 + 4096 * broadcast(range(rows) -> x.shape) + "
                           "broadcast(range(length) -> x.shape)) % 200\n"
                           "  assert all(x == first) and all(y == (first + 1) % 200)\n"
                           "  turn := turn + 1\n"
                           "}\n"
                           "print(turn)\n";
  EXPECT_EQ(run(walk), "6\n");
}

TEST_F(Batches, ThatALoopLeavesAreWaitedForOnce) {
  EXPECT_EQ(run(kLargeBatches + ids(64 * 4096 * 5 + 1) +
                "\", 200)\n"
                "for i in 0..20 {\n"
                "  for (x, y) in t.batches(batch, length, shuffle: i) { if i % 2 == 0 { break } else { "
                "print(x[batch: 0][length: 0] >= 0); break } }\n"
                "}\n"
                "print(\"left\")\n"),
            "true\ntrue\ntrue\ntrue\ntrue\ntrue\ntrue\ntrue\ntrue\ntrue\nleft\n");
}

TEST_F(Batches, FailWhereTheLoopComesToThem) {
  const std::string walk =
      kLargeBatches + ids(64 * 4096 * 5 + 1, 64 * 4096 * 3 + 100) +
      "\", 200)\nlet turn = 0\nfor (x, y) in t.batches(batch, length) {\n  print(turn)\n  turn := turn + 1\n}\n";
  const std::string out = run(walk);
  EXPECT_EQ(out.substr(0, 6), "0\n1\n2\n") << out;
  EXPECT_MENTIONS(out, "token 786532 is 250: expected ids from 0 to 199");
  EXPECT_MENTIONS(out, "[bad_file_format]\n --> test.mtf:5:");
}

TEST_F(Batches, TokensOfANumberOfIdsHaveNoText) {
  EXPECT_MENTIONS(run("let t = data.token_file(\"" + ids(10) + "\", 200)\nprint(t.decode([1]))\n"),
                  "[unknown_attribute]");
  EXPECT_EQ(run("let t = data.token_file(\"" + ids(10) + "\", 200, bits: 32)\nprint(len(t))\n"), "5\n");
  EXPECT_MENTIONS(run("let t = data.token_file(\"" + ids(10) + "\", 200, bits: 8)\n"),
                  "expected numbers of 16 or 32 bits, found 8");
  EXPECT_MENTIONS(run("let t = data.token_file(\"" + path("none") + "\", 200)\nprint(len(t))\n"), "[file_not_found]");
}

}  // namespace
}  // namespace mtf::library
