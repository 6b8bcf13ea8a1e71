#pragma once
// Signals that end the process: none leaves a file in the making behind (io/partial_file.h). Ctrl-C at the prompt has a
// handler of its own (repl_command.cpp).
#include "session/session.h"

namespace mtf::tool {

/// From here on SIGINT ends the process at once, with a message and the status of what is interrupted; a reader that
/// has gone ends it silently, and other signals that end it by default still do.
void end_on_interrupt();

/// While it is there, SIGINT ends what a session runs where it next can (Session::interrupt), so that the message says
/// where that was, and on all ranks. What has not ended within a second ends at once, and so does what is interrupted
/// again.
///
/// Ctrl-C reaches the ranks of a job as SIGTERM, by mpirun, which ends what does not end itself; so does the failure of
/// another rank. Of a rank it asks the session to end, no more.
class InterruptsSession {
 public:
  InterruptsSession(session::Session& session, bool is_rank);
  ~InterruptsSession();
  InterruptsSession(const InterruptsSession&) = delete;
  InterruptsSession& operator=(const InterruptsSession&) = delete;
};

}  // namespace mtf::tool
