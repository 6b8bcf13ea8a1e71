#pragma once
// The library: functions of strings, files, data and checkpoints, which scripts call. They are not tensor operations.
// eval/host_library.h says how such a function uses the evaluation that calls it.
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

/// The table that a session's settings name (Settings::library).
const eval::HostLibrary& host_library();

}  // namespace mtf::library
