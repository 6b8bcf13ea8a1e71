#pragma once
// `mtf` at a pseudo-terminal, for tests that type to it.
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "../pseudo_terminal.h"
#include "command.h"

namespace mtf::tool {

class Prompt : public CommandTest {
 protected:
  /// Starts `mtf` in the test's folder with a history of its own, and waits for the prompt.
  class Session : public PseudoTerminal {
   public:
    Session(const Prompt& test, std::size_t rows, std::size_t columns,
            const std::vector<std::pair<const char*, const char*>>& variables = {})
        : PseudoTerminal(rows, columns, [&] {
            setenv("MTF_HISTORY", test.path("history").c_str(), 1);
            for (const auto& [name, value] : variables) setenv(name, value, 1);
            if (chdir(test.path("").c_str()) != 0) return 126;
            execl(kMtf.c_str(), "mtf", nullptr);
            return 127;
          }) {
      EXPECT_TRUE(mentions("<1> mtf>"));
    }
    /// Types an entry and waits for the output `shown`.
    void enter(const std::string& entry, const std::string& shown) {
      type(entry + "\r");
      EXPECT_TRUE(mentions(shown)) << entry;
      EXPECT_TRUE(wait_until([&] { return !screen().rows().empty() && screen().rows().back().ends_with("mtf>"); }))
          << screen().text();
    }
  };
};

}  // namespace mtf::tool
