#include "support/expected_end.h"

#include <unistd.h>

#include <atomic>

namespace mtf {
namespace {

std::atomic<int> told = -1;

}  // namespace

void tell_expected_end(int file) { told = file; }

void expect_end() {
  if (const int file = told.exchange(-1); file >= 0) [[maybe_unused]]
    const auto size = write(file, "\n", 1);
}

void end_process(int status) {
  expect_end();
  _exit(status);
}

}  // namespace mtf
