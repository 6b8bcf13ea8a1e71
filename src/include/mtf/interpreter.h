#pragma once
// Embedding mtf: an interpreter in another program.
//
//   mtf::Interpreter interpreter;
//   interpreter.run("dim a = 2, b = 3\nlet x = fill([a, b], 2)");
//   mtf::TensorData x = interpreter.tensor("x");     // x.dims: {"a", 2}, {"b", 3}; x.numbers: six times 2
//   interpreter.run("let total = sum(x)");           // names stay from one run to the next
//
// Interpreters share nothing: a process may have several, each used by one thread at a time (only interrupt() may be
// called from any). One hosts every processor of its mesh itself, without MPI, unless it is given ranks. Linking: `find_package(mtf)`, `target_link_libraries(… mtf::libmtf)`.
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mtf {

/// The program is wrong. what() is the whole message, as `mtf` prints it: kind, file, line, the place underlined.
class ScriptError : public std::runtime_error {
 public:
  ScriptError(const std::string& message, std::string kind) : std::runtime_error(message), kind_(std::move(kind)) {}
  /// The registered kind, such as "unknown_name".
  const std::string& kind() const { return kind_; }

 private:
  std::string kind_;
};

/// A whole tensor, row-major in the order of its dims, whatever its layout.
struct TensorData {
  struct Dim {
    std::string name;
    std::int64_t size = 0;
  };
  std::string element;          ///< "f32", "f64", "bf16", "i32" or "bool"
  std::vector<Dim> dims;        ///< outermost first
  std::vector<double> numbers;  ///< every element type as doubles
};

/// A part of a program's text, and what is known of it without running it: for whoever shows programs.
struct TextPart {
  std::size_t begin = 0, end = 0;  ///< bytes of the text
  std::vector<std::string> types;  ///< "f32[batch=64/rows]", "an int"; several where it is evaluated with several
  std::string definition_file;     ///< of a name: where it is bound, "<text>" in the text itself; empty if unknown
  std::size_t definition_begin = 0, definition_end = 0;
  bool has_cost = false;         ///< a statement, or an expression with work of its own
  std::int64_t flops = 0;        ///< of a processor, turns of loops included
  std::int64_t collectives = 0;  ///< that it takes part in
  std::int64_t bytes = 0;        ///< that they move
};

/// As the options of the `mtf` command; texts in its notation. An empty member leaves it to the program.
struct InterpreterOptions {
  std::string mesh;                                      ///< "rows:2;cols:2"
  std::string layout;                                    ///< "batch:rows;hidden:cols"
  std::vector<std::pair<std::string, std::string>> set;  ///< values of options and dims, by name
  int threads = 0;                                       ///< 0: as many as there are cores
  /// This process is one of several that mpirun has started: they host the mesh between them, each makes the same calls
  /// of its interpreter in the same order, on one thread, and only the first one's prints. At most one interpreter of a
  /// process. MPI is started and ended with it, unless the process has started it itself.
  bool on_ranks = false;
  std::string standard_library;  ///< folder of the standard modules; empty: where it was installed
  /// Gets what `print` prints, a line or more at a time; without it, standard output does. What it throws ends the run.
  std::function<void(std::string_view)> output;
};

class Interpreter {
 public:
  /// Throws ScriptError if an option cannot be understood.
  explicit Interpreter(InterpreterOptions options = {});
  ~Interpreter();
  Interpreter(Interpreter&&) noexcept;
  Interpreter& operator=(Interpreter&&) noexcept;

  /// Checks statements, then runs them; names that they bind stay. Throws ScriptError and is then as before the
  /// statement that failed.
  void run(const std::string& text);
  /// The same for a file, whose name then stands in messages and which imports are relative to.
  void run_file(const std::string& path);

  /// Ends what is under way at its next statement, turn of a loop or computation: a ScriptError of kind "interrupted".
  /// Does nothing if nothing is. A signal handler or another thread may call it.
  void interrupt();

  /// Checks a program that stands alone, without running it: every error and warning as text, empty if there is none.
  std::string check(const std::string& text) const;
  /// What each part of a program that stands alone is, and what it costs, without running it: from its beginning, what is
  /// outside first. Of a wrong program what a check can tell.
  std::vector<TextPart> explain(const std::string& text) const;

  /// The value of a name or an expression that is a tensor or a number. Throws ScriptError.
  TensorData tensor(const std::string& expression);
  /// The value of a name or an expression that is a number or a tensor without dims. Throws ScriptError.
  double number(const std::string& expression);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mtf
