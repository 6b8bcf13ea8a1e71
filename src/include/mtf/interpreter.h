#pragma once
// Embedding mtf: an interpreter in another program. mtf/mtf.h is the same in C.
//
//   mtf::Interpreter interpreter;
//   interpreter.run("fn step(x) = mean(square(x))");                       // names stay from one call to the next
//   interpreter.set("x", {{{"batch", 64}, {"io", 32}}, numbers});          // a tensor goes in: std::vector<float>
//   numbers double loss = interpreter.number("step(x)"); mtf::TensorData y = interpreter.tensor("x * 2"); // a tensor
//   comes out: y.dims, y.as<float>() mtf::PlanRecord plan = interpreter.plan("step(x)", {.mesh = "all:8", .layout =
//   "batch:all"});  // what if?
//
// Interpreters share nothing: a process may have several, each used by one thread at a time (only interrupt() may be
// called from any). One hosts every processor of its mesh itself, without MPI, unless it is given ranks.
//
// What is wrong is thrown as ScriptError, which holds the diagnostic as a record; memory that lacks too
// (out_of_memory). Other exceptions are those of the functions that the interpreter was given, and our own bugs.
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

/// The type of a tensor's elements: a bool is a byte, 0 or 1; a bf16 the upper half of an f32.
enum class Element : std::uint8_t { kBool, kI32, kBf16, kF32, kF64 };
/// As a script writes it, "f32"; and its bytes.
std::string_view name(Element element);
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

/// A whole tensor in memory of the caller's: row-major, its dims outermost first. It refers to the elements and owns
/// none.
struct TensorView {
  TensorView() = default;
  TensorView(Element of, std::vector<TensorDim> named, std::span<const std::byte> held)
      : element(of), dims(std::move(named)), bytes(held) {}
  /// Of an array, a std::vector or a std::span of elements.
  template <typename Elements>
  TensorView(std::vector<TensorDim> named, const Elements& elements)
      : TensorView(ElementOf<std::remove_cvref_t<decltype(*std::data(elements))>>::value, std::move(named),
                   std::as_bytes(std::span(std::data(elements), std::size(elements)))) {}

  Element element = Element::kF32;
  std::vector<TensorDim> dims;
  std::span<const std::byte> bytes;
};

/// A whole tensor that came out, whatever its layout: row-major, its dims outermost first. Copies share the elements.
///
/// It is no copy where the interpreter holds the whole in one block, row-major: one processor, or a tensor that no axis
/// splits. `memory` then keeps the interpreter's memory, which no later run writes over, and which counts as
/// live: keep what has to stay, let go of the rest. Such a tensor belongs to the interpreter's thread: read it
/// anywhere, but let go of it where the interpreter is used, or when it is gone.
struct TensorData {
  Element element = Element::kF32;
  std::vector<TensorDim> dims;
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> memory;  ///< as long as this lives, `bytes` are there
  bool is_copy = false;

  /// How many elements there are.
  std::size_t size() const { return bytes.size() / size_of(element); }
  /// The elements. Throws ScriptError (wrong_element_type) if they are of another type.
  template <typename T>
  std::span<const T> as() const {
    expect(ElementOf<T>::value);
    return {reinterpret_cast<const T*>(bytes.data()), size()};
  }
  /// A copy of the elements as doubles, whatever their type.
  std::vector<double> numbers() const;
  /// To be given to an interpreter.
  TensorView view() const { return {element, dims, bytes}; }

 private:
  void expect(Element asked) const;
};

// ---- answers --------------------------------------------------------------------------------------------------------

/// A place in a program: lines and columns count from 1, a column is a code point, the end stands behind the last.
struct PlaceRecord {
  std::string file;  ///< empty: nowhere, of what was given from outside
  std::size_t line = 0, column = 0, end_line = 0, end_column = 0;
};

/// What is wrong, or doubtful, in a program.
struct DiagnosticRecord {
  std::string kind;      ///< the registered kind, "unknown_name": `mtf help KIND` tells more
  bool is_error = true;  ///< else it is a warning
  std::string message;   ///< what is wrong, a sentence of its kind
  std::string found;     ///< and here
  PlaceRecord place;
  struct Related {
    PlaceRecord place;
    std::string text;
  };
  std::vector<Related> related;    ///< other places that matter
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

/// A program, an option or an argument is wrong. what() is the diagnostic's text.
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

/// Collectives of one kind over one group of axes.
struct CollectiveCounts {
  std::string kind;               ///< "all_reduce", "reduce_scatter", "all_gather", "all_to_all", "permute"
  std::vector<std::string> axes;  ///< of the mesh: {"rows", "cols"}
  std::int64_t count = 0;         ///< before small ones are merged and large ones cut
  std::int64_t calls = 0;         ///< that were made
  std::int64_t values = 0;        ///< that they work on
  std::int64_t bytes = 0;         ///< of those
  std::int64_t wire_bytes = 0;    ///< that the processor sends
  bool operator==(const CollectiveCounts&) const = default;
};

/// What was computed and communicated, or would be: figures of the largest processor.
struct CountersRecord {
  std::int64_t flops = 0;
  std::int64_t unique_flops = 0;  ///< of all processors, what several do alike counted once
  std::int64_t processors = 1;
  std::int64_t peak_bytes = 0;  ///< the most memory that tensors took at one time
  std::vector<CollectiveCounts> collectives;
  bool operator==(const CountersRecord&) const = default;
};

/// Why a plan is an estimate, and where.
struct DoubtRecord {
  enum class Kind : std::uint8_t {
    kWays,     ///< only the run knows which way a condition takes: each is counted
    kTurns,    ///< only the run knows how many turns a loop has: one is counted
    kRest,     ///< only the run knows whether it ends here: what follows is counted
    kUnknown,  ///< only the run knows what an operation works on: it is not counted
    kSkipped,  ///< not every turn was walked: the others are taken to cost as much
  };
  Kind kind = Kind::kWays;
  PlaceRecord place;
};

/// What a line of a program costs, its backward pass included.
struct LineRecord {
  std::string file;
  std::size_t line = 0;
  std::string text;  ///< without the blanks around it
  std::int64_t flops = 0;
  std::int64_t backward_flops = 0;  ///< of those
  std::int64_t collectives = 0;
  std::int64_t bytes = 0;       ///< that they work on
  std::int64_t wire_bytes = 0;  ///< that the processor sends for them
};

/// What a statement would cost.
struct PlanRecord {
  CountersRecord totals;            ///< the peak includes what the interpreter holds
  std::vector<LineRecord> lines;    ///< what costs something, in the order in which it is computed first
  std::vector<DoubtRecord> doubts;  ///< why the figures are an estimate; none: they are what a run counts
  bool is_estimate() const { return !doubts.empty(); }
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

// ---- the interpreter ------------------------------------------------------------------------------------------------

/// As the options of the `mtf` command; texts in its notation. An empty member leaves it to the program.
struct InterpreterOptions {
  std::string mesh = {};                                      ///< "rows:2;cols:2"
  std::string layout = {};                                    ///< "batch:rows;hidden:cols"
  std::vector<std::pair<std::string, std::string>> set = {};  ///< values of options and dims, by name
  /// Bytes that each processor has for a program and what it reads, as `mtf run --memory`; 0: any.
  std::int64_t memory = 0;
  /// A run fails (not_finite) at the first NaN or infinity that an operation makes of finite operands.
  bool check_finite = false;
  int threads = 0;  ///< 0: as many as there are cores
  /// This process is one of several that mpirun has started: they host the mesh between them, each makes the same calls
  /// of its interpreter with the same tensors in the same order, on one thread, and only the first one's prints. At
  /// most one interpreter of a process. MPI is started and ended with it, unless the process has started it itself.
  bool on_ranks = false;
  std::string standard_library = {};  ///< folder that replaces the standard library; empty: the built-in one
  /// Gets what `print` prints, a line or more at a time; without it, standard output does. What it throws ends the run.
  std::function<void(std::string_view)> output = {};
  /// Gets each warning of what is run, once for each place; without it, nobody does.
  std::function<void(const DiagnosticRecord&)> warning = {};
};

/// Another mesh or layout than the one in force, in the same notation. An empty member leaves it as it is.
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

  /// Runs statements one by one, as at the prompt: each has been computed when the next begins, and names that they
  /// bind stay. Throws ScriptError and is then as before the statement that failed.
  void run(const std::string& text);
  /// Runs a file as one program: it computes and communicates what `mtf run` of it does. All of it is checked before
  /// anything is computed. It sees names that are there, its own stay, and what it has not needed of them is computed
  /// when it is asked for. Imports are relative to it.
  void run_file(const std::string& path);

  /// Ends what is under way at its next statement, turn of a loop or computation: a ScriptError of kind "interrupted".
  /// Does nothing if nothing is. A signal handler or another thread may call it.
  void interrupt();

  /// Binds a name to a tensor, as `let` does, laid out by the rules in force; or assigns it, as `:=` does, to a param,
  /// a state or whatever a path leads to: "net.w". Each processor's block is copied out of the view, once; the view's
  /// memory is not needed afterwards. Dims that the program does not have are declared. Throws ScriptError for a dim of
  /// another size (size_conflict), for another number of bytes than the dims take (size_mismatch), and as the statement
  /// would.
  void set(const std::string& name, const TensorView& tensor);
  /// The value of a name or an expression that is a tensor or a number (f64 without dims). TensorData says when it is
  /// copied.
  TensorData tensor(const std::string& expression);
  /// The value of a name or an expression that is a number or a tensor without dims.
  double number(const std::string& expression);

  /// What has been computed and communicated since the beginning, or since mark_counters(). The peak is that since the
  /// last `counters { … }` of a program, if there was one.
  CountersRecord counters() const;
  /// From here on counters() counts anew.
  void mark_counters();
  /// What a statement or an expression would cost now, or with what there is on another mesh or in another layout.
  /// Computes nothing, and changes nothing.
  PlanRecord plan(const std::string& text, const PlanAssumption& assumption = {}) const;

  /// Checks a program that stands alone, without running it: every error and warning, in the order of their places.
  std::vector<DiagnosticRecord> check(const std::string& text) const;
  /// What each part of a program that stands alone is, and what it costs, without running it: from its beginning, what
  /// is outside first. Of a wrong program what a check can tell.
  std::vector<TextPart> explain(const std::string& text) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mtf
