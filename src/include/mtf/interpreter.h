#pragma once
// Embeds mtf in another program. mtf/mtf.h offers the same in C.
//
// clang-format off
//   mtf::Interpreter interpreter;
//   interpreter.run("fn step(x) = mean(square(x))");                  // names stay from one call to the next
//   interpreter.set("x", {{{"batch", 64}, {"io", 32}}, numbers});     // a tensor goes in: std::vector<float> numbers
//   double loss = interpreter.number("step(x)");
//   mtf::TensorData y = interpreter.tensor("x * 2");                  // a tensor comes out: y.dims, y.as<float>()
//   mtf::PlanRecord plan = interpreter.plan("step(x)", {.mesh = "all:8", .layout = "batch:all"});  // what if?
// clang-format on
//
// Interpreters share nothing. A process may have several, each used by one thread at a time. Only interrupt() may be
// called from any thread. An interpreter hosts every processor of its mesh itself, without MPI, unless `on_ranks` is
// set.
//
// A user's error is thrown as ScriptError, which holds the diagnostic as a record. A lack of memory is thrown in the
// same way (out_of_memory). Other exceptions come from functions that the caller passed in, or are bugs of mtf.
//
// Linking: `find_package(mtf)`, `target_link_libraries(… mtf::libmtf)`.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace mtf {

// ---- tensors --------------------------------------------------------------------------------------------------------

/// The element type of a tensor. A bool is one byte, 0 or 1. A bf16 is the upper half of an f32.
enum class Element : std::uint8_t { kBool, kI32, kBf16, kF32, kF64 };
/// The name of the type in a script, "f32".
std::string_view name(Element element);
/// The size of one element in bytes.
std::size_t size_of(Element element);

/// A bf16 number as it is stored.
struct BFloat16 {
  std::uint16_t bits = 0;
};

/// The Element of a C++ type.
template <typename T>
struct ElementOf;
template <>
struct ElementOf<bool> {
  static constexpr Element value = Element::kBool;
};
template <>
struct ElementOf<std::int32_t> {
  static constexpr Element value = Element::kI32;
};
template <>
struct ElementOf<BFloat16> {
  static constexpr Element value = Element::kBf16;
};
template <>
struct ElementOf<float> {
  static constexpr Element value = Element::kF32;
};
template <>
struct ElementOf<double> {
  static constexpr Element value = Element::kF64;
};

struct TensorDim {
  std::string name;
  std::int64_t size = 0;
  bool operator==(const TensorDim&) const = default;
};

/// A gathered tensor in the caller's memory: row-major, the first dim is the outermost. Refers to the elements and does
/// not own them.
struct TensorView {
  TensorView() = default;
  TensorView(Element of, std::vector<TensorDim> named, std::span<const std::byte> held)
      : element(of), dims(std::move(named)), bytes(held) {}
  /// Views an array, a std::vector or a std::span of elements.
  template <typename Elements>
  TensorView(std::vector<TensorDim> named, const Elements& elements)
      : TensorView(ElementOf<std::remove_cvref_t<decltype(*std::data(elements))>>::value, std::move(named),
                   std::as_bytes(std::span(std::data(elements), std::size(elements)))) {}

  Element element = Element::kF32;
  std::vector<TensorDim> dims;
  std::span<const std::byte> bytes;
};

/// A gathered tensor that an interpreter returned: row-major, the first dim is the outermost. Copies of this record
/// share the elements.
///
/// The elements are not copied if the interpreter holds the whole tensor in one row-major block: on one processor, or
/// if no axis splits the tensor. `memory` then keeps the interpreter's memory alive. No later run overwrites it, and it
/// counts as live memory, so release tensors that are no longer needed. Such a tensor belongs to the interpreter's
/// thread. Any thread may read it, but only the interpreter's thread may release it, or any thread once the interpreter
/// is gone.
struct TensorData {
  Element element = Element::kF32;
  std::vector<TensorDim> dims;
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> memory;  ///< `bytes` stay valid as long as this lives
  bool is_copy = false;

  /// The number of elements.
  std::size_t size() const { return bytes.size() / size_of(element); }
  /// The elements. Throws ScriptError (wrong_element_type) if the element type is not `T`.
  template <typename T>
  std::span<const T> as() const {
    expect(ElementOf<T>::value);
    return {reinterpret_cast<const T*>(bytes.data()), size()};
  }
  /// Copies the elements as doubles, whatever their type.
  std::vector<double> numbers() const;
  /// The same tensor as an argument for an interpreter.
  TensorView view() const { return {element, dims, bytes}; }

 private:
  void expect(Element asked) const;
};

// ---- answers --------------------------------------------------------------------------------------------------------

/// A position in a program. Lines and columns count from 1, a column is a code point, and the end is behind the last
/// character.
struct PlaceRecord {
  std::string file;  ///< empty: the text was given from outside and has no position
  std::size_t line = 0, column = 0, end_line = 0, end_column = 0;
};

/// An error or a warning about a program.
struct DiagnosticRecord {
  std::string kind;      ///< the registered kind, "unknown_name": `mtf help KIND` explains it
  bool is_error = true;  ///< otherwise a warning
  std::string message;   ///< the general message of this kind, a sentence
  std::string found;     ///< the message about this position
  PlaceRecord place;
  struct Related {
    PlaceRecord place;
    std::string text;
  };
  std::vector<Related> related;    ///< other relevant positions
  std::vector<std::string> notes;  ///< facts
  std::vector<std::string> helps;  ///< what to do
  struct Fix {
    std::string title;  ///< the help that says it
    struct Edit {
      PlaceRecord place;  ///< what stands there is replaced; of an empty place, text is put in
      std::string text;
    };
    std::vector<Edit> edits;  ///< made all at once
  };
  std::vector<Fix> fixes;  ///< helps that can be carried out
  std::string text;        ///< the whole as `mtf` prints it: several lines, the place underlined
};

/// Thrown if a program, an option or an argument is wrong. what() is the diagnostic's text.
class ScriptError : public std::runtime_error {
 public:
  explicit ScriptError(DiagnosticRecord diagnostic)
      : std::runtime_error(diagnostic.text),
        diagnostic_(std::make_shared<const DiagnosticRecord>(std::move(diagnostic))) {}
  const DiagnosticRecord& diagnostic() const { return *diagnostic_; }
  const std::string& kind() const { return diagnostic_->kind; }

 private:
  std::shared_ptr<const DiagnosticRecord> diagnostic_;
};

/// Counts the collectives of one kind over one group of axes.
struct CollectiveCounts {
  std::string kind;               ///< "all_reduce", "reduce_scatter", "all_gather", "all_to_all", "permute"
  std::vector<std::string> axes;  ///< of the mesh: {"rows", "cols"}
  std::int64_t count = 0;         ///< before small collectives are merged and large ones are cut
  std::int64_t calls = 0;         ///< calls made, after merging and cutting
  std::int64_t values = 0;        ///< elements that the collectives operate on
  std::int64_t bytes = 0;         ///< bytes of these elements
  std::int64_t wire_bytes = 0;    ///< bytes that the processor sends
  bool operator==(const CollectiveCounts&) const = default;
};

/// Measured or predicted computation and communication: the figures of the processor with the largest ones.
struct CountersRecord {
  std::int64_t flops = 0;
  std::int64_t unique_flops = 0;  ///< summed over all processors; work that several processors repeat counts once
  std::int64_t processors = 1;
  std::int64_t peak_bytes = 0;  ///< the most memory that tensors took at one time
  std::vector<CollectiveCounts> collectives;
  bool operator==(const CountersRecord&) const = default;
};

/// A reason why a plan is an estimate, with its position.
struct DoubtRecord {
  enum class Kind : std::uint8_t {
    kWays,     ///< the run decides which branch a condition takes: every branch is counted
    kTurns,    ///< the run decides how many iterations a loop has: one is counted
    kRest,     ///< the run decides whether the program ends here: the rest is counted
    kUnknown,  ///< the operands of an operation are known only in the run: the operation is not counted
    kSkipped,  ///< only some iterations were walked: the others are assumed to cost as much
  };
  Kind kind = Kind::kWays;
  PlaceRecord place;
};

/// The cost of a line of a program, its backward pass included.
struct LineRecord {
  std::string file;
  std::size_t line = 0;
  std::string text;  ///< without surrounding blanks
  std::int64_t flops = 0;
  std::int64_t backward_flops = 0;  ///< part of `flops`
  std::int64_t collectives = 0;
  std::int64_t bytes = 0;       ///< that the collectives operate on
  std::int64_t wire_bytes = 0;  ///< that the processor sends for the collectives
};

/// The predicted cost of a statement.
struct PlanRecord {
  CountersRecord totals;            ///< the peak includes the memory that the interpreter already holds
  std::vector<LineRecord> lines;    ///< lines with a cost, in the order of their first computation
  std::vector<DoubtRecord> doubts;  ///< why the figures are an estimate; if empty, a run counts exactly these figures
  bool is_estimate() const { return !doubts.empty(); }
};

/// A part of a program's text with its static information, for tools that display programs.
struct TextPart {
  std::size_t begin = 0, end = 0;  ///< bytes of the text
  std::vector<std::string> types;  ///< "f32[batch=64/rows]", "an int"; several if evaluated with several types
  std::string definition_file;     ///< for a name: the file that binds it, "<text>" for this text; empty if unknown
  std::size_t definition_begin = 0, definition_end = 0;
  bool has_cost = false;         ///< true for a statement, and for an expression with work of its own
  std::int64_t flops = 0;        ///< per processor, all iterations of loops included
  std::int64_t collectives = 0;  ///< in which the processor takes part
  std::int64_t bytes = 0;        ///< that the collectives operate on
};

// ---- the interpreter ------------------------------------------------------------------------------------------------

/// The options of the `mtf` command, in its notation. An empty member leaves the choice to the program.
struct InterpreterOptions {
  std::string mesh = {};                                      ///< "rows:2;cols:2"
  std::string layout = {};                                    ///< "batch:rows;hidden:cols"
  std::vector<std::pair<std::string, std::string>> set = {};  ///< values of options and dims, by name
  /// Bytes that each processor may use for a program and its inputs, as `mtf run --memory`. 0: no limit.
  std::int64_t memory = 0;
  /// A run fails (not_finite) at the first NaN or infinity that an operation makes of finite operands.
  bool check_finite = false;
  int threads = 0;  ///< 0: as many as there are cores
  /// This process is one of several that mpirun has started: they host the mesh between them, each makes the same calls
  /// of its interpreter with the same tensors in the same order, on one thread, and only the first one's prints. At
  /// most one interpreter of a process. MPI is started and ended with it, unless the process has started it itself.
  bool on_ranks = false;
  std::string standard_library = {};  ///< folder that replaces the standard library; empty: the built-in one
  /// Receives the output of `print`, one or more lines at a time. If empty, the output goes to standard output. An
  /// exception of this function ends the run.
  std::function<void(std::string_view)> output = {};
  /// Receives each warning of a run, once for each position. If empty, warnings are dropped.
  std::function<void(const DiagnosticRecord&)> warning = {};
};

/// Another mesh or layout than the current one, in the same notation. An empty member keeps the current one.
struct PlanAssumption {
  std::string mesh = {};
  std::string layout = {};
};

class Interpreter {
 public:
  /// Throws ScriptError if an option cannot be understood.
  explicit Interpreter(InterpreterOptions options = {});
  ~Interpreter();
  Interpreter(Interpreter&&) noexcept;
  Interpreter& operator=(Interpreter&&) noexcept;

  /// Runs statements one by one, as at the prompt. Each statement is computed before the next begins, and the names
  /// that it binds stay. On an error throws ScriptError and restores the state before the failed statement.
  void run(const std::string& text);
  /// Runs a file as one program, with the computation and communication of `mtf run`. Checks the whole file before it
  /// computes anything. The file sees existing names, and its names stay. A value that the file did not need is
  /// computed when the caller asks for it. Imports are relative to the file.
  void run_file(const std::string& path);

  /// Ends the current run at its next statement, loop iteration or computation, with a ScriptError of kind
  /// "interrupted". Does nothing if nothing runs. A signal handler or another thread may call it.
  void interrupt();

  /// Binds a name to a tensor, as `let` does, with the layout that the current rules give. Or assigns the tensor, as
  /// `:=` does, to a param, a state or the target of a path ("net.w"). Copies each processor's block out of the view
  /// once; the view's memory is not needed afterwards. Declares dims that the program lacks. Throws ScriptError if a
  /// dim has another size (size_conflict), if the number of bytes does not fit the dims (size_mismatch), and for every
  /// error of the statement.
  void set(const std::string& name, const TensorView& tensor);
  /// The value of a name or an expression: a tensor, or a number (returned as f64 without dims). TensorData says when
  /// the elements are copied.
  TensorData tensor(const std::string& expression);
  /// The value of a name or an expression: a number, or a tensor without dims.
  double number(const std::string& expression);

  /// The computation and communication since the beginning, or since mark_counters(). If the program has executed
  /// `counters { … }`, the peak is the peak since the last one.
  CountersRecord counters() const;
  /// Makes counters() count from here on.
  void mark_counters();
  /// Predicts the cost of a statement or an expression with the current values. An assumption replaces the mesh or the
  /// layout. Computes nothing, and changes nothing.
  PlanRecord plan(const std::string& text, const PlanAssumption& assumption = {}) const;

  /// Checks a program without running it, independently of the names of this interpreter. Returns every error and
  /// warning in the order of the text.
  std::vector<DiagnosticRecord> check(const std::string& text) const;
  /// Explains each part of a program without running it, independently of the names of this interpreter. Parts are in
  /// the order of their beginnings, outer parts before inner ones. For a wrong program, returns what the check
  /// can determine.
  std::vector<TextPart> explain(const std::string& text) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mtf
