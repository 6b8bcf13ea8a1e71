#pragma once
// A file that is told when this process ends knowingly. Who holds the other end of the pipe learns of any other end.

namespace mtf {

/// The next call of expect_end() writes to this file; later ones write nothing.
void tell_expected_end(int file);
/// The end of this process needs no more explanation: it succeeds, has reported an error, or others have ended it. A
/// signal handler may call it.
void expect_end();
/// Ends this process at once, and runs no destructors. The end needs no more explanation.
[[noreturn]] void end_process(int status);

}  // namespace mtf
