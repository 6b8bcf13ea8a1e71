#pragma once
// `mtf lsp`: a server of the Language Server Protocol 3.17 on standard input and output.
//
//   editor ── messages ──► run(): the text changes, questions are answered from the latest facts
//      ▲                        │ wakes
//      └── diagnostics ── worker: checks the latest text, then plans it; an edit interrupts both
#include <memory>

#include "tool/shell/program_options.h"

namespace mtf::tool {

class LanguageServer {
 public:
  /// Reads from and writes to these file descriptors. `options`: mesh, layout and settings of every document, until the
  /// editor chooses others.
  LanguageServer(int in, int out, const ProgramOptions& options);
  ~LanguageServer();

  /// Serves until the editor says `exit` or has gone. Returns the exit status of the protocol: 0 after `shutdown`.
  int run();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mtf::tool
