#pragma once
// The library: what scripts call that is no tensor operation, which is functions of strings, files, data and
// checkpoints. eval/host_library.h says what such a function gets of the evaluation that calls it.
//
//   functions.h    the tables of functions that it is made of
//   files.h        how ranks read and write a file together
//   run_files.h    the files that a run goes on with: folders of checkpoints, and logs
//   batches.h      what a loop walks batch by batch
//   token_text.h   texts as tokens

namespace mtf::eval {
struct HostLibrary;
}

namespace mtf::library {

/// What a session's settings name (Settings::library).
const eval::HostLibrary& host_library();

}  // namespace mtf::library
