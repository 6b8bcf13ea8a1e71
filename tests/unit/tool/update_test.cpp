// `mtf test --update` at a terminal: it shows the changes, and asks.
#include <unistd.h>

#include "../pseudo_terminal.h"
#include "command.h"

namespace mtf::tool {
namespace {

class Update : public CommandTest {
 protected:
  class Terminal : public PseudoTerminal {
   public:
    explicit Terminal(const Update& test)
        : PseudoTerminal(40, 100, [&] {
            if (chdir(test.path("").c_str()) != 0) return 126;
            execl(kMtf.c_str(), "mtf", "test", "--update", ".", nullptr);
            return 127;
          }) {}
  };
};

TEST_F(Update, WritesWhatIsAccepted) {
  write("a.mtf", "print(1)\n#> 0\n");
  write("b.mtf", "print(2)\n#> 0\n");
  write("c.mtf", "print(3)\n#> 0\n");
  Terminal terminal(*this);
  EXPECT_TRUE(terminal.mentions("    - #> 0\n    + #> 1\nwrite this? [y]es, [n]o, [a]ll, [q]uit:"));
  terminal.type("n\n");
  EXPECT_TRUE(terminal.mentions("    + #> 2\nwrite this?"));
  terminal.type("a\n");
  EXPECT_EQ(terminal.wait(), 1);
  EXPECT_NE(terminal.screen().text().find("updated c.mtf\n2 passed, 1 failed"), std::string::npos)
      << terminal.screen().text();
  EXPECT_EQ(read("a.mtf") + read("b.mtf") + read("c.mtf"), "print(1)\n#> 0\nprint(2)\n#> 2\nprint(3)\n#> 3\n");
}

TEST_F(Update, AsksWhetherAnErrorIsExpected) {
  write("a.mtf", "print(x)\n");
  Terminal terminal(*this);
  EXPECT_TRUE(terminal.mentions("it does not expect this error:"));
  EXPECT_TRUE(terminal.mentions("expect this error? [y]es, [n]o:"));
  terminal.type("y\n");
  EXPECT_EQ(terminal.wait(), 0);
  EXPECT_EQ(read("a.mtf").substr(0, 26), "print(x)\n#! unknown_name: ");
}

}  // namespace
}  // namespace mtf::tool
