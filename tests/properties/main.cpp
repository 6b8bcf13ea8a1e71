// Runs the properties.
//
//   test_properties --seed N            shows the random program N and what is wrong with it
//   test_properties --seeds FIRST LAST  looks for a wrong one among many, more than the tests run
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <iostream>

#include "random_program.h"
#include "script.h"

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
  } else {
    status = RUN_ALL_TESTS();
  }
  end_engines();
  return status;
}
