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
//   interpreter.define("half(x: float) -> float", [](auto& given) { return mtf::ScriptValue(given[0].number() / 2); });
//   mtf::Prepared step = interpreter.prepare("step(x)", {"x"});       // parsed and checked once
//   loss = step({mtf::ScriptValue(batch)}).number();                        // called often, with other tensors
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
#include <concepts>
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

/// The version of the library, "0.1.0".
const char* version();

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

// ---- values ---------------------------------------------------------------------------------------------------------

/// A value of a script, in or out. Numbers keep their kind: an int has all its 64 bits.
class ScriptValue {
 public:
  enum class Kind : std::uint8_t {
    kNone,
    kBool,
    kInt,
    kFloat,
    kText,
    kList,
    kTuple,
    kTensor,
    kOther,  ///< a model, a function, a dim, …: text() describes it. It cannot go in.
  };

  ScriptValue() = default;  ///< none
  template <std::same_as<bool> T>
  ScriptValue(T truth) : kind_(Kind::kBool), integer_(truth) {}  // NOLINT: a value wherever one is asked for
  ScriptValue(std::int64_t integer) : kind_(Kind::kInt), integer_(integer) {}           // NOLINT
  ScriptValue(int integer) : ScriptValue(std::int64_t{integer}) {}                      // NOLINT
  ScriptValue(double number) : kind_(Kind::kFloat), number_(number) {}                  // NOLINT
  ScriptValue(std::string text) : kind_(Kind::kText), text_(std::move(text)) {}         // NOLINT
  ScriptValue(const char* text) : ScriptValue(std::string(text)) {}                     // NOLINT
  ScriptValue(TensorData tensor) : kind_(Kind::kTensor), tensor_(std::move(tensor)) {}  // NOLINT
  /// The elements must live until the call that takes the value has returned.
  ScriptValue(const TensorView& tensor)  // NOLINT
      : ScriptValue(TensorData{tensor.element, tensor.dims, tensor.bytes, nullptr, false}) {}
  static ScriptValue list(std::vector<ScriptValue> items) { return {Kind::kList, std::move(items)}; }
  static ScriptValue tuple(std::vector<ScriptValue> items) { return {Kind::kTuple, std::move(items)}; }
  /// A value that only can be described: "a model TwoLayer".
  static ScriptValue other(std::string description);

  Kind kind() const { return kind_; }
  bool is_none() const { return kind_ == Kind::kNone; }
  /// Each throws ScriptError (type_mismatch) if the value is of another kind. number() also takes an int, a bool, and a
  /// tensor without dims.
  bool truth() const;
  std::int64_t integer() const;
  double number() const;
  const std::string& text() const;                ///< of a string; of kOther its description
  const std::vector<ScriptValue>& items() const;  ///< of a list or a tuple
  const TensorData& tensor() const;

 private:
  ScriptValue(Kind kind, std::vector<ScriptValue> items) : kind_(kind), items_(std::move(items)) {}
  void expect(bool is, const char* what) const;

  Kind kind_ = Kind::kNone;
  std::int64_t integer_ = 0;
  double number_ = 0;
  std::string text_;
  std::vector<ScriptValue> items_;
  TensorData tensor_;
};

/// A function of the host that scripts call. It gets one value for each parameter; none for one that was left out. An
/// exception of it ends the run, and is thrown by the function of the interpreter that was called.
using ScriptFunction = std::function<ScriptValue(const std::vector<ScriptValue>&)>;

/// The type of a tensor that a stream gives.
struct TensorShape {
  Element element = Element::kF32;
  std::vector<TensorDim> dims;
};
/// Writes the next batch to the memory of its tensors, row-major, and returns true; false if there is none.
using NextBatch = std::function<bool(std::span<const std::span<std::byte>> tensors)>;

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
  std::string why;  ///< a clause
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
  double seconds = 0;           ///< by the machine model; 0 without one
};

/// A value that a line computes, or a collective that it causes.
struct ValueCost {
  std::string value;              ///< with its type and layout: "y: f32[batch=64/rows]"
  std::int64_t flops = 0;         ///< of a computation
  std::string collective;         ///< "all_reduce"; empty for a computation
  std::vector<std::string> axes;  ///< of a collective
  std::string reason;             ///< of a collective: a sentence
  std::int64_t values = 0, bytes = 0, wire_bytes = 0;
  double seconds = 0;  ///< by the machine model; 0 without one
};

/// A part of a program: a statement, a call in it, a plan that runs once or in many iterations, or a line. The figures
/// of a statement are those of all iterations; the figures of a plan and of the parts below it are those of one.
struct PartRecord {
  PlaceRecord place;
  std::string text;    ///< its first line
  std::string callee;  ///< of a call: the function or model, and the path of the instance: "Layer blocks[0]"
  std::int64_t calls = 0;
  std::int64_t turns = 1;    ///< how often a plan runs; 0: only a run knows
  bool is_estimate = false;  ///< of a statement: its figures; of a plan: how often it runs
  std::int64_t flops = 0;
  std::int64_t backward_flops = 0;
  std::int64_t collectives = 0;
  std::int64_t bytes = 0;
  std::int64_t wire_bytes = 0;
  double seconds = 0;             ///< by the machine model; 0 without one
  std::vector<ValueCost> values;  ///< of a line
  std::vector<PartRecord> parts;
};

/// The params and states of a program: the elements of whole tensors, and the bytes that one processor stores.
struct StoredRecord {
  std::int64_t parameters = 0, parameter_bytes = 0, states = 0, state_bytes = 0;
};

/// What the peak of the fullest processor consists of, in bytes. Zeros for a run.
struct PeakRecord {
  std::int64_t held = 0;    ///< tensors from before the program with the peak or for later ones: params, states, data
  std::int64_t copies = 0;  ///< of these in another type or gathered, such as params in bf16
  std::int64_t saved = 0;   ///< values of the forward pass that the backward pass reads
  std::int64_t gradients = 0;  ///< values of the backward pass that are read after it
  std::int64_t temporary = 0;  ///< all other values
  std::int64_t buffers = 0;    ///< of collectives
};

/// A result that nothing reads, and that is not computed.
struct UnreadRecord {
  PlaceRecord place;
  std::string text;  ///< the line
  std::string name;  ///< of the result; empty if it has none
};

/// The predicted cost of a statement or of a program.
struct PlanRecord {
  CountersRecord totals;            ///< the peak includes the memory that the interpreter already holds
  std::vector<LineRecord> lines;    ///< lines with a cost, in the order of their first computation
  std::vector<DoubtRecord> doubts;  ///< why the figures are an estimate; if empty, a run counts exactly these figures
  bool is_estimate() const { return !doubts.empty(); }

  PeakRecord peak;                ///< its sum is the peak of the totals
  std::string mesh;               ///< in force: "[rows: 2, cols: 2]"; empty if a program used a larger one before
  std::vector<PartRecord> parts;  ///< the statements

  // Of a program alone:
  StoredRecord stored;
  std::vector<UnreadRecord> not_read;
  std::vector<std::string> warnings;  ///< sentences about processors that idle or repeat work
  std::string machine;                ///< the name of the machine model; empty without one
  /// The time by the machine model: "computing", "computing: products" and its other parts, each kind of collectives
  /// ("all_reduce over rows"), "in all".
  std::vector<std::pair<std::string, double>> seconds;
  double flops_per_second = 0;  ///< of products and attention, on one processor; 0 without a machine model
  double share_of_peak = 0;     ///< the same as a part of the machine's peak, from 0 to 1
};

/// A collective of a statement, and why it is there.
struct CollectiveReason {
  std::string kind;                ///< "all_reduce"
  std::vector<std::string> axes;   ///< of the mesh
  std::string result;              ///< the value that it makes, with its layout: "y: f32[batch=64/rows]"
  std::string reason;              ///< a sentence
  std::vector<std::string> rules;  ///< of the layout in force, that gave its dims their layout: "batch -> rows"
  PlaceRecord place;
  std::int64_t times = 1;  ///< how often it is called; the figures are of one call
  std::int64_t values = 0, bytes = 0, wire_bytes = 0;
};

/// What a statement would cost under a layout.
struct LayoutCost {
  std::string layout;  ///< "{batch -> rows}"
  std::int64_t flops = 0, wire_bytes = 0, collectives = 0;
  std::int64_t held_bytes = 0;  ///< of the interpreter's values, on the processor that holds most
};

/// Why a statement communicates, and the layouts under which it would send less.
struct ExplanationRecord {
  std::vector<CollectiveReason> collectives;
  LayoutCost now;                  ///< set if there are collectives; without its layout
  std::vector<LayoutCost> better;  ///< the best first
  std::vector<DoubtRecord> doubts;
};

/// What a search is for.
struct SearchRules {
  std::int64_t processors = 1;
  int axes = 2;              ///< the most axes of a mesh, 1 to 4
  std::int64_t memory = 0;   ///< bytes of each processor; 0: no limit
  std::string layout = {};   ///< rules that are given: "batch:rows"
  bool stored = false;       ///< also tries how params and states are stored, by rules for their paths
  std::string machine = {};  ///< a file of `mtf calibrate`; empty: the built-in model
  int most = 2;              ///< the most answers, with different times; each that is asked for makes it longer
  /// Receives how many candidates were looked at, and the seconds of the best so far (0: none). An exception ends it.
  std::function<void(std::int64_t looked_at, double best)> progress = {};
};

/// A mesh and a layout that a search found.
struct FoundLayout {
  std::string mesh, layout;  ///< in the notation of a script
  double seconds = 0;        ///< by the machine model
  CountersRecord counters;   ///< its peak is that of a plan if the memory was limited, otherwise 0
};

// ---- answers as JSON ------------------------------------------------------------------------------------------------

/// The version of the form of all answers in JSON. The reference lists their fields.
inline constexpr int kJsonSchema = 1;

/// Each returns the text that `mtf --json`, the prompt, the C API, Python and the language server give for the same
/// answer. It ends with a line end. A diagnostic is one line.
std::string to_json(const PlanRecord& plan);
std::string to_json(const ExplanationRecord& explanation);
std::string to_json(const std::vector<FoundLayout>& found);
std::string to_json(const DiagnosticRecord& diagnostic);

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

/// How far the loops under way are, the outermost first.
struct ProgressRecord {
  std::string variable;    ///< of the loop: "step", or "while"
  std::int64_t done = 0;   ///< iterations that have ended
  std::int64_t count = 0;  ///< of all; 0: unknown
  double seconds = 0;      ///< since the loop began
};

/// The options of the `mtf` command, in its notation. An empty member leaves the choice to the program.
struct InterpreterOptions {
  std::string mesh = {};                                      ///< "rows:2;cols:2"
  std::string layout = {};                                    ///< "batch:rows;hidden:cols"
  std::vector<std::pair<std::string, std::string>> set = {};  ///< values of options and dims, by name
  /// Bytes that each processor may use for a program and its inputs, as `mtf run --memory`. 0: no limit.
  std::int64_t memory = 0;
  bool remat = false;  ///< computes values again where a program would need more than `memory`, as `mtf run --remat`
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
  /// Receives the loops under way that compute, the outermost first, at the beginning of each iteration.
  std::function<void(std::span<const ProgressRecord>)> progress = {};
  /// Receives after each statement of a run what it computed and communicated, as the prompt reports it: measured, in
  /// the form of a plan. If empty, nothing is recorded for it.
  std::function<void(const PlanRecord&)> report = {};
};

/// Another mesh or layout than the current one, in the same notation. An empty member keeps the current one.
struct PlanAssumption {
  std::string mesh = {};
  std::string layout = {};
};

/// A name that a program has bound, with its type: "f32[batch=64]", "a model TwoLayer".
struct NameRecord {
  std::string name, type;
  std::int64_t bytes = 0;  ///< of a tensor, or of a model's params and states, on the processor that holds most
};

/// An expression with inputs, parsed and checked once (Interpreter::prepare). Belongs to its interpreter's thread, and
/// may outlive the interpreter, but not be called then.
class Prepared {
 public:
  /// Computes the expression with one argument for each input. The same errors as of Interpreter::run.
  ScriptValue operator()(const std::vector<ScriptValue>& arguments) const;

 private:
  friend class Interpreter;
  struct Impl;
  explicit Prepared(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
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

  /// The value of a name or an expression, of any kind.
  ScriptValue value(const std::string& expression);
  /// Binds a name to a value, as `let` does. Tensors are copied, and dims that the program lacks are declared.
  void bind(const std::string& name, const ScriptValue& value);
  /// The names that the program has bound, in the order in which they were bound.
  std::vector<NameRecord> names() const;

  /// Binds a name to a function of the host. The signature is written as in the reference: `noise(x: tensor, scale:
  /// float = 1) -> tensor`. Tensors arrive gathered. A check and a plan do not call the function: its result is unknown
  /// there, of the kind behind `->`. On ranks each calls its own. Throws ScriptError (bad_value) for a signature that
  /// cannot be read.
  void define(const std::string& signature, ScriptFunction function);
  /// Binds a name to a function without parameters that returns a stream of batches: `for (x, y) in train() { … }`.
  /// `begin` is called for each loop. A stream of one tensor gives tensors, one of more gives tuples. Declares dims
  /// that the program lacks.
  void define_stream(const std::string& name, std::vector<TensorShape> tensors, std::function<NextBatch()> begin);
  /// Prepares an expression for many calls. `inputs` are the names in it that stand for the arguments. Other names mean
  /// what they mean at the call, as in a function of the program.
  Prepared prepare(const std::string& expression, const std::vector<std::string>& inputs);

  /// The computation and communication since the beginning, or since mark_counters(). If the program has executed
  /// `counters { … }`, the peak is the peak since the last one.
  CountersRecord counters() const;
  /// Makes counters() count from here on.
  void mark_counters();
  /// Predicts the cost of a statement or an expression with the current values. An assumption replaces the mesh or the
  /// layout. Computes nothing, and changes nothing.
  PlanRecord plan(const std::string& text, const PlanAssumption& assumption = {}) const;
  /// Predicts the cost of a program in a file, as `mtf plan` does, independently of the names of this interpreter. The
  /// interpreter's options hold for it. `machine` is a file of `mtf calibrate`; if empty, there are no times.
  PlanRecord plan_file(const std::string& path, const PlanAssumption& assumption = {},
                       const std::string& machine = {}) const;

  /// Tells why a statement or an expression communicates, and returns at most `most` layouts under which it would send
  /// less, with at most as many flops. Computes nothing, and changes nothing.
  ExplanationRecord explain_costs(const std::string& text, const PlanAssumption& assumption = {},
                                  std::size_t most = 3) const;
  /// Finds the meshes and layouts under which a statement takes the least time, the best first. Empty if none fits.
  /// interrupt() ends it, with a ScriptError of kind "interrupted".
  std::vector<FoundLayout> search(const std::string& text, const SearchRules& rules) const;

  /// Checks a program without running it, independently of the names of this interpreter. Returns every error and
  /// warning in the order of the text.
  std::vector<DiagnosticRecord> check(const std::string& text) const;
  /// Explains each part of a program without running it, independently of the names of this interpreter. Parts are in
  /// the order of their beginnings, outer parts before inner ones. For a wrong program, returns what the check
  /// can determine.
  std::vector<TextPart> explain(const std::string& text) const;

 private:
  friend class Prepared;
  friend struct Prepared::Impl;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mtf
