#pragma once
// Values of the host: everything other than a tensor that a name can stand for.
//
// The evaluator computes numbers, strings, dims, lists, functions and models at once. A tensor is a held Value of the
// global graph (Handle). A `param` or `state` is a Variable, which holds its current value. Two kinds of values exist
// only for checks. Unknown is a value that only the run knows, for instance a number from a tensor or a line of a file.
// Poison is the result of an error that has been reported: every use of it is Poison, without another message.
// eval/possible_values.h has the operations on both.
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "graph/graph.h"
#include "ops/call.h"
#include "syntax/resolver.h"
#include "types/layout.h"

namespace mtf::eval {

class Caller;  // eval/host_library.h
class Scope;
using ScopePtr = std::shared_ptr<Scope>;
struct HostValue;

struct None {
  bool operator==(const None&) const = default;
};
struct Poison {
  bool operator==(const Poison&) const = default;
};

/// The values that an unknown value may be. A number is an int or a float; a tensor has any type.
enum class UnknownKind : uint8_t { kAny, kNumber, kInt, kFloat, kBool, kString, kTensor };
struct Unknown {
  UnknownKind kind = UnknownKind::kAny;
  bool operator==(const Unknown&) const = default;
};

/// `first..last`, without the end. An index may leave out either end; in a check either may be unknown.
struct Range {
  int64_t first = 0;
  int64_t last = 0;
  bool open_first = false;
  bool open_last = false;
  bool known = true;
  /// The number of integers in the range; nothing if only the run knows it. Fails at `span` if an end is left out
  /// (not_iterable), or if the number overflows (integer_overflow).
  std::optional<int64_t> size(Span span) const;
  bool operator==(const Range&) const = default;
};

struct List;
struct Sequence;
struct Variable;
using ast::NameSet;

struct Function;
struct ModelClass;
struct Instance;
struct Module;
struct Builtin;
class Object;

using Text = std::shared_ptr<const std::string>;
using ListPtr = std::shared_ptr<List>;
using SequencePtr = std::shared_ptr<Sequence>;
using VariablePtr = std::shared_ptr<Variable>;
using FunctionPtr = std::shared_ptr<Function>;
using ModelClassPtr = std::shared_ptr<ModelClass>;
using InstancePtr = std::shared_ptr<Instance>;
using ModulePtr = std::shared_ptr<Module>;
using OperationPtr = const graph::Op*;
using BuiltinPtr = std::shared_ptr<const Builtin>;
using ObjectPtr = std::shared_ptr<Object>;

/// Plain kinds, which own no memory, come first in `Data`. A value of a plain kind is copied, moved and destroyed
/// without a call; the union makes this possible.
struct HostValue {
  using Data = std::variant<None, Poison, Unknown, bool, int64_t, double, ElementType, Dim, Range, OperationPtr,
                            graph::Handle, Text, ListPtr, SequencePtr, VariablePtr, FunctionPtr, ModelClassPtr,
                            InstancePtr, ModulePtr, BuiltinPtr, ObjectPtr, MeshPtr, LayoutPtr>;
  union {
    Data data;
  };

  HostValue() noexcept : data() {}
  template <typename T>
  requires(!std::is_same_v<std::decay_t<T>, HostValue>) HostValue(T&& value)
      : data(std::forward<T>(value)) {}  // NOLINT: a value of the host wherever one is asked for
  HostValue(const HostValue& other) { take(other); }
  HostValue(HostValue&& other) noexcept { take(std::move(other)); }
  HostValue& operator=(const HostValue& other) {
    if (this == &other) return *this;
    if (is_plain() && other.is_plain()) take(other);
    else data = other.data;
    return *this;
  }
  HostValue& operator=(HostValue&& other) noexcept {
    if (this == &other) return *this;
    if (is_plain() && other.is_plain()) take(std::move(other));
    else data = std::move(other.data);
    return *this;
  }
  ~HostValue() {
    static_assert([]<size_t... kinds>(std::index_sequence<kinds...>) {
      return (std::is_trivially_copyable_v<std::variant_alternative_t<kinds, Data>> && ...);
    }(std::make_index_sequence<kPlainKinds>()));
    if (!is_plain()) data.~Data();
  }

  template <typename T>
  const T* as() const {
    return std::get_if<T>(&data);
  }
  template <typename T>
  bool is() const {
    return std::holds_alternative<T>(data);
  }
  /// True if the value owns no memory.
  bool is_plain() const { return data.index() < kPlainKinds; }
  bool is_poison() const { return is<Poison>(); }
  bool is_unknown() const { return is<Unknown>(); }
  /// True for neither of the two. The elements of a tensor, and the items of a list, may be unknown all the same.
  bool is_known() const { return !is_poison() && !is_unknown(); }

 private:
  static constexpr size_t kPlainKinds = 10;
  /// Copies or moves another value. Avoids the variant's call through a table for plain kinds. A number is copied by
  /// itself: a processor is slow to load at once what has just been stored in parts.
  template <typename Other>
  void take(Other&& other) {
    if (const auto* i = std::get_if<int64_t>(&other.data)) ::new (&data) Data(std::in_place_type<int64_t>, *i);
    else if (const auto* d = std::get_if<double>(&other.data)) ::new (&data) Data(std::in_place_type<double>, *d);
    else if (const auto* b = std::get_if<bool>(&other.data)) ::new (&data) Data(std::in_place_type<bool>, *b);
    else if (other.is_plain())
      std::memcpy(static_cast<void*>(&data), static_cast<const void*>(&other.data), sizeof(Data));
    else ::new (&data) Data(std::forward<Other>(other).data);
  }
};

/// A list or, if `tuple`, a tuple.
struct List {
  ~List();  ///< releases its items one after another (let_go.cpp)

  std::vector<HostValue> items;
  bool tuple = false;
};

/// A sequence that a loop walks without making a list: the batches of a dataset.
struct Sequence {
  /// Count of a sequence whose end only `at` knows: it returns none behind the last value.
  static constexpr int64_t kUntilNone = INT64_MAX;
  int64_t count = 0;  ///< -1: unknown in a check
  std::function<HostValue(int64_t)> at;
  std::string what;
  std::function<HostValue()> any = {};  ///< makes one value that stands for all in a check; null: the first value does
  /// Makes, in a check, a value of another type that some values have; null if `any` has the types of all.
  std::function<HostValue()> other = {};
};

/// A `param` or `state` of a model. All names bound to it share it. `:=` replaces `current`.
struct Variable {
  std::string path;  ///< `blocks[3].attention.wq`
  std::string name;  ///< the path's last part
  bool trainable = true;
  Name model;  ///< the class that declares it
  TensorType type;
  Dims declared_dims;         ///< the dims of its declaration; `type` also has the dims that `stacked` adds
  HostValue start = None{};   ///< the initial number of all elements; none if they may differ
  graph::GivenLayout stored;  ///< its layout
  std::shared_ptr<graph::Variable> known_as;  ///< its name in rules by path: stored.why.variable
  bool is_assigned = false;                   ///< since its declaration
  graph::Handle current;
  std::weak_ptr<Variable> state;  ///< the last state that was declared like it: its gradient lies as the state does
  Span span;                      ///< where it is declared
  Span declared;                  ///< its name and its type
  Span begins;                    ///< the initial value in its declaration
  int64_t serial = 0;             ///< ascending in order of declaration
};

/// A function of a script: a declaration or `fn(x) = e`, with the bindings in force at its position.
struct Function {
  Name name;  ///< empty for one without a name
  const syntax::Signature* signature = nullptr;
  ast::FunctionText text;
  std::string doc;
  std::shared_ptr<Scope> scope;
  size_t visible = 0;    ///< the number of bindings of `scope` that it sees
  bool reached = false;  ///< evaluation has passed its declaration, so `visible` is final
  std::shared_ptr<const std::vector<std::shared_ptr<const void>>> named = nullptr;
};

struct ModelClass {
  const ast::ModelStmt* declaration = nullptr;
  std::string doc;
  std::shared_ptr<Scope> scope;
  size_t visible = 0;
  bool reached = false;
  std::shared_ptr<const std::vector<std::shared_ptr<const void>>> named = nullptr;
};

/// An instance of a model: the scope in which its body ran.
struct Instance {
  std::shared_ptr<ModelClass> model;
  std::shared_ptr<Scope> scope;
};

struct Module {
  Name name;
  std::string path;  ///< the file; empty for built-in ones
  std::string doc;
  std::shared_ptr<Scope> scope;
  bool is_operations = false;  ///< `random`: its members are the operations `random.…`
};

struct Bound;  // eval/binding.h

/// What a call or a statement does besides computing its result and adding to the graph. Assignments are not effects:
/// Replays hears of each. Cuts, and the functions that a call calls, tell their own effects.
class Effects {
 public:
  enum Kind : uint8_t {
    kNone = 0,    ///< the result depends only on the arguments
    kReads = 1,   ///< reads what the program does not hold: a file, data of the host
    kWrites = 2,  ///< changes a file, or a value that something else may read
    kPrints = 4,
    kRandom = 8,  ///< moves the stream of random numbers
    kAny = 15,    ///< unknown
  };
  /// There is no default: a record without effects does not compile.
  constexpr Effects(Kind kind) : kind_(kind) {}  // NOLINT: implicit on purpose
  friend constexpr Kind operator|(Kind a, Kind b) { return static_cast<Kind>(uint8_t{a} | uint8_t{b}); }
  constexpr bool none() const { return kind_ == kNone; }

 private:
  Kind kind_;
};

/// A function of the evaluator itself, or of a library.
struct Builtin {
  const syntax::Signature* signature;  ///< lives longer
  std::string_view doc;
  Effects effects;
  std::function<HostValue(Caller&, const Bound&)> call;
  bool sees_unknown = false;  ///< false: a call with an unknown argument is not made, and its result is unknown
  bool only_looks = false;    ///< it neither keeps nor returns its arguments
};

/// A value with behaviour of its own: a dataset, the result of `counters`.
class Object {
 public:
  virtual ~Object() = default;
  virtual std::string_view kind() const = 0;  ///< "a dataset"
  virtual std::string print() const = 0;
  virtual std::optional<HostValue> attribute(Name) = 0;
  virtual std::vector<std::string> attributes() const = 0;
  virtual std::optional<int64_t> length() const { return std::nullopt; }
  virtual std::optional<HostValue> slice(Range, Span) { return std::nullopt; }
};

/// One argument of a call, evaluated.
struct GivenArgument {
  GivenArgument() {}  // NOLINT: one that is defaulted would clear its memory first

  HostValue value;
  HostValue target;  ///< after `->`; nothing if there is none
  bool has_target = false;
  bool is_iterations_number = false;  ///< as of a Binding
  Name label;                         ///< empty if it is positional
  Span span;
  Span label_span;
  Span target_span;
};

/// The arguments of a call, in the order written.
struct Arguments {
  std::vector<GivenArgument> items;
  Span span;       ///< the whole call
  ScopePtr scope;  ///< the scope of the call: labels that name dims are looked up there

  bool any_poison() const {
    for (const GivenArgument& item : items) {
      if (item.value.is_poison() || item.target.is_poison()) return true;
    }
    return false;
  }
};

HostValue make_text(std::string text);
HostValue make_list(std::vector<HostValue> items);
HostValue make_tuple(std::vector<HostValue> items);
inline HostValue unknown(UnknownKind kind) { return Unknown{kind}; }

/// The number for a bool, int, float or dim in arithmetic.
std::optional<double> number_of(const HostValue& value);
/// True for an int, a float, or an unknown that may be one; dims are not.
inline bool is_number(const HostValue& value) {
  if (auto* u = value.as<Unknown>()) return u->kind != UnknownKind::kString;
  return value.is<int64_t>() || value.is<double>() || value.is<bool>();
}
/// The tensor of a value, or the current tensor of a variable. Null for other values.
inline const graph::Value* tensor_of(const HostValue& value) {
  if (auto* tensor = value.as<graph::Handle>()) return &tensor->value();
  if (auto* variable = value.as<VariablePtr>()) return &(*variable)->current.value();
  return nullptr;
}

/// Estimates the bytes that a value keeps alive: the bytes of its tensors on all processors, without copies. Samples
/// only some parts of a very large value.
int64_t bytes_kept_by(const HostValue& value);

/// Describes a value in messages: `an int`, `f32[batch=64]`, `a model TwoLayer`, `the dim batch=64`.
std::string describe(const HostValue& value);
/// Compares two host values that are known. Returns nothing if they cannot be compared.
std::optional<bool> equal(const HostValue& a, const HostValue& b);
/// The unknown value of the same kind.
UnknownKind unknown_kind(const HostValue& value);

}  // namespace mtf::eval
