#pragma once
// What was entered at a prompt, and what is said of it.
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

/// What was entered at a prompt and carried out: all of an entry before the statement that failed. Of a loop that was
/// interrupted the whole statement.
struct Entry {
  std::string name;
  std::string text;
  bool is_file = false;               ///< a script that was loaded
  bool without_loops = false;         ///< without those loops that compute
  bool is_use = false;                ///< it was given to Session::use: the text is what stands behind `use`
  std::vector<bool> has_value;        ///< for each statement: a bare expression with a value
  std::vector<std::size_t> left_out;  ///< the loops among the statements that were
};

/// What is said of a statement that was entered.
struct EntryReport : eval::StatementReport {
  /// What the statement bound; a bare expression has no name.
  struct Binding {
    std::string name;
    eval::ValueType type;
    int64_t bytes = 0;                                         ///< of a tensor, per processor
    std::string value = {};                                    ///< as `print` shows it
    std::shared_ptr<const plan::HostTensor> tensor = nullptr;  ///< the numbers of a bare expression that is a tensor
    std::vector<HeldPart> parts = {};  ///< what a model, or a list that holds tensors, is made of
  };
  std::vector<Binding> bindings;
};

}  // namespace mtf::session
