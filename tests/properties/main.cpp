// Runs the properties.
//
//   test_properties --seed N            shows the random program N and what is wrong with it
//   test_properties --seeds FIRST LAST  looks for a wrong one among many, more than the tests run
//   test_properties --whole-program N   shows the whole program N and what is wrong with it
//   test_properties --whole-programs COUNT [--first SEED] [--features NAMES] [--plans] [--most-of-a-kind N] [--no-shrink]
//                                       looks for wrong ones among so many, and makes those small
//   test_properties --whole-script FILE [--mesh M] [--layout L]
//                                       says whether what must hold of whole programs holds of a script
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>

#include "random_program.h"
#include "script.h"
#include "whole_search.h"

namespace mtf::properties {
namespace {

/// What the command line asks for of whole programs.
std::optional<Search> whole_programs_of(int argc, char** argv) {
  if (argc < 3 || std::strncmp(argv[1], "--whole-program", 15) != 0) return std::nullopt;
  Search what;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : "0";
    if (word == "--whole-program") what.first = std::strtoull(value, nullptr, 10), what.count = 1;
    if (word == "--whole-programs") what.count = std::strtoull(value, nullptr, 10);
    if (word == "--first") what.first = std::strtoull(value, nullptr, 10);
    if (word == "--features") what.features = features_of(value);
    if (word == "--most-of-a-kind") what.most_of_a_kind = std::strtoull(value, nullptr, 10);
    if (word == "--no-shrink") what.shrink = false;
    if (word == "--plans") what.checks.plans = true;
  }
  return what;
}

int whole_script(int argc, char** argv) {
  WholeProgram program;
  std::ostringstream text;
  text << std::ifstream(argv[2]).rdbuf();
  program.statements.push_back({text.str(), {}, {}, {}});
  Trial trial{{""}, false};
  for (int i = 3; i + 1 < argc; i += 2) (std::string(argv[i]) == "--mesh" ? trial.where.mesh : trial.where.layout) = argv[i + 1];
  const std::optional<Failure> failure = failure_at(program, trial);
  std::cout << (failure ? failure->kind + "\n" + failure->what : "all holds\n");
  return failure ? 1 : 0;
}

int whole_programs(const Search& what, bool show) {
  if (show) std::cout << shown(what);
  const size_t failed = search(what, [](const std::string& report) { std::cout << report << std::flush; }).size();
  std::cout << what.count - failed << " of " << what.count << " whole programs do the same everywhere\n";
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace mtf::properties

int main(int argc, char** argv) {
  using namespace mtf::properties;
  if (const char* rank = std::getenv("OMPI_COMM_WORLD_RANK")) {
    // An error that one rank meets would leave the others waiting: it must end the process, and with it all of them.
    GTEST_FLAG_SET(catch_exceptions, false);
    if (std::strcmp(rank, "0") != 0) GTEST_FLAG_SET(brief, true);
  }
  testing::InitGoogleTest(&argc, argv);
  print_on_crash();
  int status = 0;
  if (argc == 3 && std::strcmp(argv[1], "--seed") == 0) {
    status = show_random_program(std::strtoull(argv[2], nullptr, 10)) ? 0 : 1;
  } else if (argc == 4 && std::strcmp(argv[1], "--seeds") == 0) {
    for (uint64_t seed = std::strtoull(argv[2], nullptr, 10); seed <= std::strtoull(argv[3], nullptr, 10); ++seed) {
      const std::string wrong = wrong_with(seed);
      std::cout << wrong << std::flush;
      if (!wrong.empty()) status = 1;
    }
  } else if (argc > 2 && std::strcmp(argv[1], "--whole-script") == 0) {
    status = whole_script(argc, argv);
  } else if (std::optional<Search> what = whole_programs_of(argc, argv)) {
    status = whole_programs(*what, argc == 3 && std::strcmp(argv[1], "--whole-program") == 0);
  } else {
    status = RUN_ALL_TESTS();
  }
  end_engines();
  return status;
}
