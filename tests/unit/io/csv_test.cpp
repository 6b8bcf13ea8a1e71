#include "io/csv.h"

#include "data_file_test.h"

namespace mtf::io {
namespace {

TEST(CsvTable, CellsInQuotesHaveLineEndsQuotesAndSeparators) {
  const CsvTable table(
      "\xef\xbb\xbf"
      "a,b\r\n\"x, y\",\"two\nlines\"\r\n\r\n\"say \"\"so\"\"\" , 3 ",
      "file", ',');
  EXPECT_EQ(table.columns(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(table.rows(), 2);
  EXPECT_EQ(table.cell(0, 0), "x, y");
  EXPECT_EQ(table.cell(0, 1), "two\nlines");
  EXPECT_EQ(table.cell(1, 0), "say \"so\"");
  EXPECT_EQ(table.cell(1, 1), "3");
  EXPECT_EQ(table.line(1), 5);
}

TEST(CsvTable, AnotherSeparatorAndEmptyCells) {
  const CsvTable table("a;b\n;1,5\n\"\";\n", "file", ';');
  EXPECT_EQ(table.rows(), 2);
  EXPECT_EQ(table.cell(0, 1), "1,5");
  EXPECT_EQ(table.cell(1, 0) + table.cell(1, 1), "");
  EXPECT_EQ(CsvTable("one\n\"\"\n", "file", ',').rows(), 1);
}

TEST(CsvTable, DamageIsNamedWithItsLine) {
  const auto wrong = [](const std::string& text) { return message_of([&] { CsvTable(text, "file", ','); }); };
  EXPECT_EQ(wrong(""), "expected a line with the names of columns, found no line");
  EXPECT_EQ(wrong("a,b,a\n"), "line 1: two columns are named `a`");
  EXPECT_EQ(wrong("a,,b\n"), "line 1: column 2 has no name");
  EXPECT_EQ(wrong("a,b\n1,2\n\n3\n"), "line 4: expected 2 cells, as many as the columns, found 1");
  EXPECT_EQ(wrong("a,b\n1,\"2\n3,4\n"), "line 2: expected `\"` at the end of a cell, found none");
  EXPECT_EQ(wrong("a,b\n\"1\"2,3\n"), "line 2: expected `,` or the line's end after a cell in quotes, found `2`");
  EXPECT_MENTIONS(wrong("a\n\xff\n"), "expected UTF-8 text");
}

}  // namespace
}  // namespace mtf::io
