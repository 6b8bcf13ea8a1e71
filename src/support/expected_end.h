#pragma once
// Sockets that are told when this process ends knowingly. Who holds the other end of one learns of any other end.

namespace mtf {

/// The next call of expect_end() sends a byte to this socket; later ones send nothing.
void tell_expected_end(int socket);
/// The socket is about to be closed, and is told nothing.
void forget_expected_end(int socket);
/// The end of this process needs no more explanation: it succeeds, has reported an error, or others have ended it. A
/// signal handler may call it.
void expect_end();
/// Ends this process at once, and runs no destructors. The end needs no more explanation.
[[noreturn]] void end_process(int status);

}  // namespace mtf
