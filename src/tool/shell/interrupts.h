#pragma once
// Signals that end the process. None leaves an unfinished file behind (io/partial_file.h). Ctrl-C at the prompt has a
// handler of its own (repl_command.cpp).
#include "session/session.h"

namespace mtf::tool {

/// Makes SIGINT end the process at once, with a message and the exit status of an interrupt. A reader that no longer
/// exists ends it silently. On a rank, writing to such a reader is an error instead: MPI too may write to a peer that
/// is gone, and the rank must live to report that. Other signals keep their default.
void end_on_interrupt(bool is_rank = false);

/// During its lifetime, SIGINT interrupts a session at the next possible point (Session::interrupt), on all ranks. So
/// the message names the position. A session that has not ended within a second, or is interrupted again, ends at once.
///
/// mpirun sends Ctrl-C to the ranks of a job as SIGTERM, and kills ranks that do not end. The failure of another rank
/// also arrives as SIGTERM. On a rank, SIGTERM therefore only interrupts the session.
class InterruptsSession {
 public:
  InterruptsSession(session::Session& session, bool is_rank);
  ~InterruptsSession();
  InterruptsSession(const InterruptsSession&) = delete;
  InterruptsSession& operator=(const InterruptsSession&) = delete;
};

}  // namespace mtf::tool
