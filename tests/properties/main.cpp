// Runs the properties.
//
//   test_properties --seed N            shows the random program N and its failures
//   test_properties --seeds FIRST LAST  searches for failures among more programs than the tests run
//   test_properties --whole-program N   shows the whole program N and its failures
//   test_properties --whole-programs COUNT [--first SEED] [--features NAMES] [--plans] [--ranks 2,3,4]
//                   [--most-of-a-kind N] [--no-shrink]
//                                       searches for failures among COUNT programs, and shrinks them;
//                                       with --ranks runs COUNT programs on each of these numbers of ranks
//   test_properties --whole-script FILE [--mesh M] [--layout L] [--set NAME=VALUE]
//                                       tests the properties of whole programs on a script
//   test_properties --checked-programs COUNT [FIRST]
//                                       searches for correct programs that the check refuses
//   test_properties --checked-program N shows such a program
//   test_properties --census COUNT      counts how often whole programs use each feature
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <vector>

#include "checked_program.h"
#include "in_child.h"
#include "on_ranks.h"
#include "random_program.h"
#include "script.h"
#include "whole_search.h"

namespace mtf::properties {
namespace {

/// Reads the searches for whole programs from the command line, one for each number of ranks.
std::vector<Search> whole_programs_of(int argc, char** argv) {
  if (argc < 3 || std::strncmp(argv[1], "--whole-program", 15) != 0) return {};
  Search what;
  std::vector<int> ranks;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : "0";
    if (word == "--whole-program") what.first = std::strtoull(value, nullptr, 10), what.count = 1;
    if (word == "--whole-programs") what.count = std::strtoull(value, nullptr, 10);
    if (word == "--first") what.first = std::strtoull(value, nullptr, 10);
    if (word == "--features") what.features = value;
    if (word == "--most-of-a-kind") what.most_of_a_kind = std::strtoull(value, nullptr, 10);
    if (word == "--no-shrink") what.shrink = false;
    if (word == "--plans") what.plans = true;
    std::istringstream numbers(word == "--ranks" ? value : "");
    for (std::string number; std::getline(numbers, number, ',');) ranks.push_back(std::atoi(number.c_str()));
  }
  if (ranks.empty()) ranks.push_back(under_mpi() ? shared_runtime().ranks() : 1);
  std::vector<Search> searches;
  for (const int each : ranks) searches.push_back(what), searches.back().ranks = each;
  return searches;
}

/// Under mpirun: rank 0 prints the messages that search() reads.
int whole_programs_on_ranks(const Search& what) {
  run_batch(what, [](const std::string& message) {
    if (shared_runtime().rank() == 0) std::cout << message << std::flush;
  });
  return 0;
}

int whole_programs(const Search& what, bool show) {
  if (under_mpi()) return whole_programs_on_ranks(what);
  if (show) std::cout << shown(what);
  const Tally tally = search(what, [](const std::string& report) { std::cout << report << std::flush; });
  std::cout << to_string(tally) << (what.ranks > 1 ? " on " + std::to_string(what.ranks) + " ranks" : "") << "\n";
  return tally.found.empty() ? 0 : 1;
}

int whole_script(int argc, char** argv) {
  WholeProgram program;
  std::ostringstream text;
  text << std::ifstream(argv[2]).rdbuf();
  program.statements.push_back({text.str(), {}, {}, {}});
  program.reads_decide = true;  // may be true
  Trial trial{{""}, false};
  for (int i = 3; i + 1 < argc; i += 2) {
    const std::string word = argv[i], value = argv[i + 1];
    if (word == "--mesh") trial.where.mesh = value;
    if (word == "--layout") trial.where.layout = value;
    if (word == "--set") program.set.emplace_back(value.substr(0, value.find('=')), value.substr(value.find('=') + 1));
  }
  if (under_mpi()) watch(60, "the script");
  const Verdict verdict = verdict_at(program, trial, {.plans = true, .sharing = under_mpi()});
  if (under_mpi() && shared_runtime().rank() != 0) return 0;
  if (verdict.fails()) std::cout << verdict.failure.kind << "\n" << verdict.failure.what;
  else if (!under_mpi()) std::cout << "all holds\n";
  return verdict.fails() && !under_mpi() ? 1 : 0;
}

/// Searches for programs that the check refuses although they run. A hang or crash ends only a child.
int checked_programs(uint64_t first, uint64_t count) {
  constexpr unsigned kMostSeconds = 20;  // of one program
  make_data_folder();
  int status = 0;
  for (uint64_t next = first; next < first + count; ++next) {
    const ChildResult result = in_child(
        [&](const std::function<void(const std::string&)>& say) {
          for (uint64_t seed = next; seed < first + count; ++seed) {
            const std::string wrong = wrong_with_check_of(seed);
            std::cout << wrong << std::flush;
            say(wrong.empty() ? "." : "!");
          }
        },
        kMostSeconds);
    if (result.said.find('!') != std::string::npos) status = 1;
    next += result.said.size();
    if (result.ended.empty()) continue;
    status = 1;
    std::cout << "seed " << next << ": " << result.ended << "\n" << std::flush;
  }
  return status;
}

}  // namespace
}  // namespace mtf::properties

int main(int argc, char** argv) {
  using namespace mtf::properties;
  if (const char* rank = std::getenv("OMPI_COMM_WORLD_RANK")) {
    // An error on one rank would leave the others waiting: it must end the process, and so all of them.
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
  } else if (argc == 3 && std::strcmp(argv[1], "--checked-program") == 0) {
    const uint64_t seed = std::strtoull(argv[2], nullptr, 10);
    std::cout << checked_program(seed) << wrong_with_check_of(seed);
  } else if (argc >= 3 && std::strcmp(argv[1], "--checked-programs") == 0) {
    status = checked_programs(argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0, std::strtoull(argv[2], nullptr, 10));
  } else if (argc == 3 && std::strcmp(argv[1], "--census") == 0) {
    std::cout << census(std::strtoull(argv[2], nullptr, 10));
  } else if (const std::vector<Search> searches = whole_programs_of(argc, argv); !searches.empty()) {
    for (const Search& what : searches) status |= whole_programs(what, std::strcmp(argv[1], "--whole-program") == 0);
  } else {
    status = RUN_ALL_TESTS();
  }
  end_executions();
  return status;
}
