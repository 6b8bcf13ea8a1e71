#pragma once
// Entries of a prompt, and the reports on them.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "eval/reports.h"
#include "session/held.h"

namespace mtf::plan {
struct HostTensor;
}

namespace mtf::session {

/// The executed part of an entry: all statements before the one that failed. An interrupted loop is included as a whole
/// statement.
struct Entry {
  std::string name;
  std::string text;
  bool is_file = false;               ///< a loaded script
  bool without_loops = false;         ///< loops that compute were left out
  bool is_use = false;                ///< an argument of Session::use: the text after `use`
  std::vector<bool> has_value;        ///< for each statement: a bare expression with a value
  std::vector<std::size_t> left_out;  ///< indices of the loops that were left out
};

/// The report on one entered statement.
struct EntryReport : eval::StatementReport {
  /// A binding of the statement; a bare expression has no name.
  struct Binding {
    std::string name;
    eval::ValueType type;
    int64_t bytes = 0;                                         ///< of a tensor, on each processor
    std::string value = {};                                    ///< as `print` writes it
    std::shared_ptr<const plan::HostTensor> tensor = nullptr;  ///< of a bare expression that is a tensor
    std::vector<HeldPart> parts = {};                          ///< of a model, or of a list that holds tensors
  };
  std::vector<Binding> bindings;
};

}  // namespace mtf::session
