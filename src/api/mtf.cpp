// The embedding API in C, on top of the C++ API.
#include "mtf/mtf.h"

#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "api/records.h"
#include "mtf/interpreter.h"
#include "support/diagnostics.h"

namespace {

using mtf::DiagnosticRecord;

static_assert(MTF_BOOL == static_cast<int>(mtf::Element::kBool) && MTF_F64 == static_cast<int>(mtf::Element::kF64));
static_assert(MTF_NONE == static_cast<int>(mtf::ScriptValue::Kind::kNone) &&
              MTF_OTHER == static_cast<int>(mtf::ScriptValue::Kind::kOther));
static_assert(MTF_DOUBT_WAYS == static_cast<int>(mtf::DoubtRecord::Kind::kWays) &&
              MTF_DOUBT_SKIPPED == static_cast<int>(mtf::DoubtRecord::Kind::kSkipped));
static_assert(MTF_WRONG_PROGRAM == static_cast<int>(mtf::ExitCode::kProgram) &&
              MTF_WRONG_CALL == static_cast<int>(mtf::ExitCode::kUsage) &&
              MTF_WRONG_FILE == static_cast<int>(mtf::ExitCode::kFile) &&
              MTF_LIMIT == static_cast<int>(mtf::ExitCode::kLimit) &&
              MTF_BUG == static_cast<int>(mtf::ExitCode::kBug) &&
              MTF_INTERRUPTED == static_cast<int>(mtf::ExitCode::kInterrupted));

std::string text_or_empty(const char* text) { return text == nullptr ? std::string() : std::string(text); }

// ---- records: each holds the C++ record that its pointers lead into -------------------------------------------------

std::vector<const char*> texts_of(const std::vector<std::string>& texts) {
  std::vector<const char*> all;
  for (const std::string& text : texts) all.push_back(text.c_str());
  return all;
}

mtf_place place_of(const mtf::PlaceRecord& place) {
  return {place.file.c_str(), place.line, place.column, place.end_line, place.end_column};
}

/// The text of an answer as JSON, made when it is first asked for.
class HeldJson {
 public:
  template <typename Make>
  const char* text(const Make& make) const noexcept {
    try {
      if (!made_) made_ = make();
      return made_->c_str();
    } catch (...) { return nullptr; }
  }

 private:
  mutable std::optional<std::string> made_;
};

/// A diagnostic, and the memory of its pointers. It must not be moved.
class HeldDiagnostic {
 public:
  explicit HeldDiagnostic(DiagnosticRecord record)
      : held_(std::move(record)), notes_(texts_of(held_.notes)), helps_(texts_of(held_.helps)) {
    for (const DiagnosticRecord::Fix& fix : held_.fixes) {
      std::vector<mtf_edit>& edits = edits_.emplace_back();
      for (const DiagnosticRecord::Fix::Edit& edit : fix.edits)
        edits.push_back({place_of(edit.place), edit.text.c_str()});
      fixes_.push_back({fix.title.c_str(), edits.size(), edits.data()});
    }
    made_ = {held_.kind.c_str(),    held_.is_error ? 1 : 0, held_.message.c_str(), held_.found.c_str(),
             place_of(held_.place), notes_.size(),          notes_.data(),         helps_.size(),
             helps_.data(),         held_.text.c_str(),     fixes_.size(),         fixes_.data()};
  }
  HeldDiagnostic(const HeldDiagnostic&) = delete;
  HeldDiagnostic& operator=(const HeldDiagnostic&) = delete;
  const mtf_diagnostic& made() const { return made_; }
  const DiagnosticRecord& record() const { return held_; }

 private:
  const DiagnosticRecord held_;
  const std::vector<const char*> notes_, helps_;
  std::deque<std::vector<mtf_edit>> edits_;
  std::vector<mtf_fix> fixes_;
  mtf_diagnostic made_;
};

struct HeldDiagnostics : mtf_diagnostics {
  explicit HeldDiagnostics(const std::vector<DiagnosticRecord>& records) {
    for (const DiagnosticRecord& record : records) made.push_back(held.emplace_back(record).made());
    count = made.size();
    list = made.data();
  }
  std::deque<HeldDiagnostic> held;
  std::vector<mtf_diagnostic> made;
  HeldJson json;
};

/// The collectives of counters. `counted` must outlive them.
struct HeldCollectives {
  explicit HeldCollectives(const std::vector<mtf::CollectiveCounts>& counted) {
    for (const mtf::CollectiveCounts& each : counted) {
      const std::vector<const char*>& over = axes.emplace_back(texts_of(each.axes));
      list.push_back({each.kind.c_str(), over.size(), over.data(), each.count, each.calls, each.values, each.bytes,
                      each.wire_bytes});
    }
  }
  std::deque<std::vector<const char*>> axes;
  std::vector<mtf_collective> list;
};

mtf_counters counters_of(const mtf::CountersRecord& counters, const HeldCollectives& collectives) {
  return {counters.flops,      counters.unique_flops,   counters.processors,
          counters.peak_bytes, collectives.list.size(), collectives.list.data()};
}

struct HeldCounters : mtf_counters {
  explicit HeldCounters(mtf::CountersRecord record) : held(std::move(record)), counted(held.collectives) {
    static_cast<mtf_counters&>(*this) = counters_of(held, counted);
  }
  const mtf::CountersRecord held;
  const HeldCollectives counted;
};

struct HeldPlan : mtf_plan {
  explicit HeldPlan(mtf::PlanRecord record) : held(std::move(record)), collectives(held.totals.collectives) {
    for (const mtf::LineRecord& line : held.lines) {
      of_lines.push_back({line.file.c_str(), line.line, line.text.c_str(), line.flops, line.backward_flops,
                          line.collectives, line.bytes, line.wire_bytes});
    }
    for (const mtf::DoubtRecord& doubt : held.doubts)
      of_doubts.push_back({static_cast<mtf_doubt_kind>(doubt.kind), place_of(doubt.place)});
    static_cast<mtf_plan&>(*this) = {counters_of(held.totals, collectives), of_lines.size(), of_lines.data(),
                                     of_doubts.size(), of_doubts.data()};
  }
  const mtf::PlanRecord held;
  const HeldCollectives collectives;
  std::vector<mtf_line> of_lines;
  std::vector<mtf_doubt> of_doubts;
  HeldJson json;
};

mtf_layout_cost cost_of(const mtf::LayoutCost& cost) {
  return {cost.layout.c_str(), cost.flops, cost.wire_bytes, cost.collectives, cost.held_bytes};
}

struct HeldExplanation : mtf_explanation {
  explicit HeldExplanation(mtf::ExplanationRecord record) : mtf_explanation{}, held(std::move(record)) {
    for (const mtf::CollectiveReason& each : held.collectives) {
      const std::vector<const char*>& axes = texts.emplace_back(texts_of(each.axes));
      const std::vector<const char*>& rules = texts.emplace_back(texts_of(each.rules));
      all.push_back({each.kind.c_str(), axes.size(), axes.data(), each.result.c_str(), each.reason.c_str(),
                     rules.size(), rules.data(), place_of(each.place), each.times, each.values, each.bytes,
                     each.wire_bytes});
    }
    for (const mtf::LayoutCost& each : held.better) costs.push_back(cost_of(each));
    static_cast<mtf_explanation&>(*this) = {all.size(), all.data(), cost_of(held.now), costs.size(), costs.data()};
  }
  const mtf::ExplanationRecord held;
  std::deque<std::vector<const char*>> texts;
  std::vector<mtf_reason> all;
  std::vector<mtf_layout_cost> costs;
  HeldJson json;
};

struct HeldAnswer : mtf_answer {
  explicit HeldAnswer(std::vector<mtf::FoundLayout> found) : mtf_answer{}, held(std::move(found)) {
    for (const mtf::FoundLayout& each : held)
      all.push_back({each.mesh.c_str(), each.layout.c_str(), each.seconds,
                     counters_of(each.counters, collectives.emplace_back(each.counters.collectives))});
    count = all.size();
    list = all.data();
  }
  const std::vector<mtf::FoundLayout> held;
  std::deque<HeldCollectives> collectives;
  std::vector<mtf_found> all;
  HeldJson json;
};

struct HeldTensor : mtf_tensor {
  explicit HeldTensor(mtf::TensorData tensor) : held(std::move(tensor)) {
    for (const mtf::TensorDim& dim : held.dims) of_dims.push_back({dim.name.c_str(), dim.size});
    static_cast<mtf_tensor&>(*this) = {static_cast<mtf_element>(held.element), of_dims.size(), of_dims.data(),
                                       held.bytes.size(), held.bytes.data()};
  }
  const mtf::TensorData held;
  std::vector<mtf_dim> of_dims;
};

/// The memory of the pointers of a value. It must not be moved.
class ValueParts {
 public:
  void fill(const mtf::ScriptValue& value, mtf_value& made) {
    made = {};
    made.kind = static_cast<mtf_kind>(value.kind());
    switch (value.kind()) {
      case mtf::ScriptValue::Kind::kNone: break;
      case mtf::ScriptValue::Kind::kBool: made.integer = value.truth(); break;
      case mtf::ScriptValue::Kind::kInt: made.integer = value.integer(); break;
      case mtf::ScriptValue::Kind::kFloat: made.number = value.number(); break;
      case mtf::ScriptValue::Kind::kText:
      case mtf::ScriptValue::Kind::kOther:
        made.text = value.text().c_str();
        made.text_length = value.text().size();
        break;
      case mtf::ScriptValue::Kind::kTensor: made.tensor = &tensors_.emplace_back(value.tensor()); break;
      case mtf::ScriptValue::Kind::kList:
      case mtf::ScriptValue::Kind::kTuple: {
        std::vector<mtf_value>& items = lists_.emplace_back(value.items().size());
        for (size_t i = 0; i < items.size(); ++i) fill(value.items()[i], items[i]);
        made.item_count = items.size();
        made.items = items.data();
        break;
      }
    }
  }

 private:
  std::deque<HeldTensor> tensors_;
  std::deque<std::vector<mtf_value>> lists_;
};

struct HeldValue : mtf_value {
  explicit HeldValue(mtf::ScriptValue value) : mtf_value{}, held(std::move(value)) { parts.fill(held, *this); }
  HeldValue(const HeldValue&) = delete;
  HeldValue& operator=(const HeldValue&) = delete;
  const mtf::ScriptValue held;
  ValueParts parts;
};

struct HeldNames : mtf_names {
  explicit HeldNames(std::vector<mtf::NameRecord> names) : mtf_names{}, held(std::move(names)) {
    for (const mtf::NameRecord& each : held) all.push_back({each.name.c_str(), each.type.c_str(), each.bytes});
    count = all.size();
    list = all.data();
  }
  const std::vector<mtf::NameRecord> held;
  std::vector<mtf_name> all;
};

mtf_code code_of(const DiagnosticRecord& diagnostic) {
  for (const mtf::KindRecord& kind : mtf::all_kinds())
    if (kind.name == diagnostic.kind) return static_cast<mtf_code>(kind.exit_code);
  return MTF_BUG;
}

/// The record of an error that is none of the registered kinds.
DiagnosticRecord other_error(const char* kind, const char* message, const char* what) {
  DiagnosticRecord record;
  record.kind = kind;
  record.message = message;
  record.found = what;
  record.text = "error: " + record.message + ": " + record.found + "\n";
  return record;
}

DiagnosticRecord bug(const char* what) { return other_error("bug", "this is no mistake of the program", what); }

/// An error in the arguments of a call.
struct WrongCall {
  const char* what;
};

/// A function of the host said that it failed.
struct FunctionFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <typename T>
const T& there(const T* pointer, const char* what) {
  if (pointer == nullptr) throw WrongCall{what};
  return *pointer;
}

}  // namespace

struct mtf_interpreter {
  std::optional<mtf::Interpreter> interpreter;  ///< none if its options were wrong
  std::optional<HeldDiagnostic> error;

  /// Keeps the error, and returns its code. If there is no memory for the record, there is no record.
  mtf_code failed(mtf_code code, const DiagnosticRecord& diagnostic) {
    error.emplace(diagnostic);
    return code;
  }

  /// Runs a step, and catches all exceptions.
  template <typename Step>
  mtf_code attempt(const Step& step) noexcept {
    try {
      try {
        step();
        return MTF_OK;
      } catch (const mtf::ScriptError& wrong) {
        return failed(code_of(wrong.diagnostic()), wrong.diagnostic());
      } catch (const WrongCall& wrong) {
        return failed(MTF_WRONG_CALL, other_error("wrong_call", "the function cannot be called like this", wrong.what));
      } catch (const FunctionFailed& failure) {
        return failed(MTF_BUG, other_error("function_failed", "a function of the host failed", failure.what()));
      } catch (const std::bad_alloc&) { throw; } catch (const std::exception& exception) {
        return failed(MTF_BUG, bug(exception.what()));
      } catch (...) { return failed(MTF_BUG, bug("an exception of a function that was given")); }
    } catch (...) {
      error.reset();
      return MTF_LIMIT;
    }
  }

  /// The same with the interpreter.
  template <typename Step>
  mtf_code with_interpreter(const Step& step) noexcept {
    return attempt([&] {
      if (!interpreter) throw WrongCall{"the interpreter's options were wrong"};
      step(*interpreter);
    });
  }
};

namespace {

/// `step` returns a record, which a `Held` keeps. The caller gets it as a `Record`.
template <typename Held, typename Record, typename Step>
mtf_code give(mtf_interpreter* interpreter, const Record** result, const Step& step) {
  if (result != nullptr) *result = nullptr;
  if (interpreter == nullptr) return MTF_WRONG_CALL;
  return interpreter->with_interpreter([&](mtf::Interpreter& mtf) {
    there(result, "where to put the result is null");
    *result = new Held(step(mtf));
  });
}

/// An answer as JSON, or null.
template <typename Held, typename Record>
const char* json_text(const Record* record) noexcept {
  if (record == nullptr) return nullptr;
  const auto& held = static_cast<const Held&>(*record);
  return held.json.text([&] { return mtf::to_json(held.held); });
}

mtf::Element element_of(const mtf_tensor& tensor) {
  if (tensor.element < MTF_BOOL || tensor.element > MTF_F64) throw WrongCall{"there is no such element type"};
  return static_cast<mtf::Element>(tensor.element);
}

std::vector<mtf::TensorDim> dims_of(const mtf_tensor& tensor) {
  if (tensor.dim_count > 0) there(tensor.dims, "the dims are null");
  std::vector<mtf::TensorDim> dims;
  for (size_t i = 0; i < tensor.dim_count; ++i)
    dims.push_back({&there(tensor.dims[i].name, "the name of a dim is null"), tensor.dims[i].size});
  return dims;
}

mtf::TensorView view_of(const mtf_tensor& tensor) {
  const auto* data = &there(static_cast<const std::byte*>(tensor.data), "the tensor's data is null");
  return {element_of(tensor), dims_of(tensor), {data, tensor.bytes}};
}

mtf::ScriptValue value_of(const mtf_value& value) {
  const auto items = [&] {
    if (value.item_count > 0) there(value.items, "the items of a list are null");
    std::vector<mtf::ScriptValue> all;
    for (size_t i = 0; i < value.item_count; ++i) all.push_back(value_of(value.items[i]));
    return all;
  };
  switch (value.kind) {
    case MTF_NONE: return {};
    case MTF_TRUTH: return value.integer != 0;
    case MTF_INT: return value.integer;
    case MTF_FLOAT: return value.number;
    case MTF_TEXT: return std::string(&there(value.text, "a text is null"), value.text_length);
    case MTF_LIST: return mtf::ScriptValue::list(items());
    case MTF_TUPLE: return mtf::ScriptValue::tuple(items());
    case MTF_TENSOR: return view_of(there(value.tensor, "a tensor is null"));
    case MTF_OTHER: break;
  }
  throw WrongCall{"there is no such kind of value that can go in"};
}

std::vector<mtf::ScriptValue> values_of(const mtf_value* values, size_t count) {
  if (count > 0) there(values, "the arguments are null");
  std::vector<mtf::ScriptValue> all;
  for (size_t i = 0; i < count; ++i) all.push_back(value_of(values[i]));
  return all;
}

/// A context of the caller, which is destroyed with the last copy.
std::shared_ptr<void> owned(void* context, void (*destroy)(void*)) {
  return {context, [destroy](void* held) {
            if (destroy != nullptr) destroy(held);
          }};
}

mtf::ScriptFunction host_function(mtf_function function, std::shared_ptr<void> context) {
  return [function, context = std::move(context)](const std::vector<mtf::ScriptValue>& given) -> mtf::ScriptValue {
    ValueParts parts;
    std::vector<mtf_value> arguments(given.size());
    for (size_t i = 0; i < given.size(); ++i) parts.fill(given[i], arguments[i]);
    mtf_value result{};
    if (function(arguments.data(), arguments.size(), &result, context.get()) != 0)
      throw FunctionFailed(result.text != nullptr ? result.text : "it says no more");
    return value_of(result);
  };
}

std::function<mtf::NextBatch()> stream_of(const mtf_stream& stream, std::shared_ptr<void> context) {
  return [stream, context = std::move(context)]() -> mtf::NextBatch {
    const std::shared_ptr<void> begun(stream.begin(context.get()), [stream, context](void* held) {
      if (stream.end != nullptr) stream.end(held);
    });
    return [stream, begun](std::span<const std::span<std::byte>> tensors) {
      std::vector<void*> memory;
      for (const std::span<std::byte> each : tensors) memory.push_back(each.data());
      const int found = stream.next(memory.data(), memory.size(), begun.get());
      if (found < 0) throw FunctionFailed("the next batch of a stream");
      return found != 0;
    };
  };
}

/// A record of the caller, with zeros for members that its version does not have.
template <typename Record>
Record whole(const Record& given) {
  Record record{};
  const size_t size = given.struct_size == 0 ? sizeof record : given.struct_size;
  if (size > sizeof record) throw WrongCall{"the record is that of a later version (struct_size)"};
  std::memcpy(&record, &given, size);
  return record;
}

mtf::InterpreterOptions options_of(const mtf_options& of_caller) {
  const mtf_options given = whole(of_caller);
  mtf::InterpreterOptions options;
  options.memory = given.memory;
  options.remat = given.remat != 0;
  if (given.progress != nullptr) {
    options.progress = [progress = given.progress,
                        context = given.context](std::span<const mtf::ProgressRecord> loops) {
      std::vector<mtf_progress> all;
      for (const mtf::ProgressRecord& each : loops)
        all.push_back({each.variable.c_str(), each.done, each.count, each.seconds});
      progress(all.data(), all.size(), context);
    };
  }
  if (given.report != nullptr) {
    options.report = [report = given.report, context = given.context](const mtf::PlanRecord& record) {
      const HeldPlan plan(record);
      report(&plan, context);
    };
  }
  options.mesh = text_or_empty(given.mesh);
  options.layout = text_or_empty(given.layout);
  if (given.set_count > 0) there(given.set, "the settings are null");
  for (size_t i = 0; i < given.set_count; ++i) {
    options.set.emplace_back(&there(given.set[i].name, "the name of a setting is null"),
                             &there(given.set[i].value, "the value of a setting is null"));
  }
  options.threads = given.threads;
  options.check_finite = given.check_finite != 0;
  options.on_ranks = given.on_ranks != 0;
  options.standard_library = text_or_empty(given.standard_library);
  if (given.output != nullptr) {
    options.output = [output = given.output, context = given.context](std::string_view text) {
      output(text.data(), text.size(), context);
    };
  }
  if (given.warning != nullptr) {
    options.warning = [warning = given.warning, context = given.context](const DiagnosticRecord& record) {
      const HeldDiagnostic held(record);
      warning(&held.made(), context);
    };
  }
  return options;
}

}  // namespace

mtf_code mtf_open(const mtf_options* options, mtf_interpreter** interpreter) {
  if (interpreter == nullptr) return MTF_WRONG_CALL;
  mtf_interpreter* const made = *interpreter = new (std::nothrow) mtf_interpreter;
  if (made == nullptr) return MTF_LIMIT;
  return made->attempt(
      [&] { made->interpreter.emplace(options == nullptr ? mtf::InterpreterOptions() : options_of(*options)); });
}

void mtf_close(mtf_interpreter* interpreter) { delete interpreter; }

const mtf_diagnostic* mtf_last_error(const mtf_interpreter* interpreter) {
  return interpreter != nullptr && interpreter->error ? &interpreter->error->made() : nullptr;
}

mtf_code mtf_run(mtf_interpreter* interpreter, const char* text) {
  if (interpreter == nullptr) return MTF_WRONG_CALL;
  return interpreter->with_interpreter([&](mtf::Interpreter& mtf) { mtf.run(&there(text, "the text is null")); });
}

mtf_code mtf_run_file(mtf_interpreter* interpreter, const char* path) {
  if (interpreter == nullptr) return MTF_WRONG_CALL;
  return interpreter->with_interpreter([&](mtf::Interpreter& mtf) { mtf.run_file(&there(path, "the path is null")); });
}

mtf_code mtf_interrupt(mtf_interpreter* interpreter) {
  if (interpreter == nullptr || !interpreter->interpreter) return MTF_WRONG_CALL;
  interpreter->interpreter->interrupt();
  return MTF_OK;
}

mtf_code mtf_set_tensor(mtf_interpreter* interpreter, const char* name, const mtf_tensor* tensor) {
  if (interpreter == nullptr) return MTF_WRONG_CALL;
  return interpreter->with_interpreter([&](mtf::Interpreter& mtf) {
    mtf.set(&there(name, "the name is null"), view_of(there(tensor, "the tensor is null")));
  });
}

mtf_code mtf_get_tensor(mtf_interpreter* interpreter, const char* expression, const mtf_tensor** tensor) {
  return give<HeldTensor>(interpreter, tensor, [&](mtf::Interpreter& mtf) {
    return mtf.tensor(&there(expression, "the expression is null"));
  });
}

void mtf_free_tensor(const mtf_tensor* tensor) { delete static_cast<const HeldTensor*>(tensor); }

mtf_code mtf_get_number(mtf_interpreter* interpreter, const char* expression, double* number) {
  if (interpreter == nullptr) return MTF_WRONG_CALL;
  return interpreter->with_interpreter([&](mtf::Interpreter& mtf) {
    there(number, "where to put the result is null");
    *number = mtf.number(&there(expression, "the expression is null"));
  });
}

mtf_code mtf_get_value(mtf_interpreter* interpreter, const char* expression, const mtf_value** value) {
  return give<HeldValue>(interpreter, value, [&](mtf::Interpreter& mtf) {
    return mtf.value(&there(expression, "the expression is null"));
  });
}

void mtf_free_value(const mtf_value* value) { delete static_cast<const HeldValue*>(value); }

mtf_code mtf_set_value(mtf_interpreter* interpreter, const char* name, const mtf_value* value) {
  if (interpreter == nullptr) return MTF_WRONG_CALL;
  return interpreter->with_interpreter([&](mtf::Interpreter& mtf) {
    mtf.bind(&there(name, "the name is null"), value_of(there(value, "the value is null")));
  });
}

mtf_code mtf_get_names(mtf_interpreter* interpreter, const mtf_names** names) {
  return give<HeldNames>(interpreter, names, [](mtf::Interpreter& mtf) { return mtf.names(); });
}

void mtf_free_names(const mtf_names* names) { delete static_cast<const HeldNames*>(names); }

mtf_code mtf_define(mtf_interpreter* interpreter, const char* signature, mtf_function function, void* context,
                    void (*destroy)(void* context)) {
  if (interpreter == nullptr) return MTF_WRONG_CALL;
  return interpreter->with_interpreter([&](mtf::Interpreter& mtf) {
    std::shared_ptr<void> held = owned(context, destroy);
    if (function == nullptr) throw WrongCall{"the function is null"};
    mtf.define(&there(signature, "the signature is null"), host_function(function, std::move(held)));
  });
}

mtf_code mtf_define_stream(mtf_interpreter* interpreter, const char* name, const mtf_tensor* tensors, size_t count,
                           const mtf_stream* stream, void* context, void (*destroy)(void* context)) {
  if (interpreter == nullptr) return MTF_WRONG_CALL;
  return interpreter->with_interpreter([&](mtf::Interpreter& mtf) {
    std::shared_ptr<void> held = owned(context, destroy);
    there(name, "the name is null");
    there(tensors, "the tensors are null");
    if (there(stream, "the stream is null").begin == nullptr || stream->next == nullptr)
      throw WrongCall{"a function of the stream is null"};
    std::vector<mtf::TensorShape> shapes;
    for (size_t i = 0; i < count; ++i) shapes.push_back({element_of(tensors[i]), dims_of(tensors[i])});
    mtf.define_stream(name, std::move(shapes), stream_of(*stream, std::move(held)));
  });
}

struct mtf_prepared {
  mtf_interpreter* interpreter;
  mtf::Prepared call;
};

mtf_code mtf_prepare(mtf_interpreter* interpreter, const char* expression, const char* const* inputs, size_t count,
                     mtf_prepared** prepared) {
  if (prepared != nullptr) *prepared = nullptr;
  if (interpreter == nullptr) return MTF_WRONG_CALL;
  return interpreter->with_interpreter([&](mtf::Interpreter& mtf) {
    there(prepared, "where to put the result is null");
    if (count > 0) there(inputs, "the inputs are null");
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i) names.emplace_back(&there(inputs[i], "the name of an input is null"));
    *prepared = new mtf_prepared{interpreter, mtf.prepare(&there(expression, "the expression is null"), names)};
  });
}

mtf_code mtf_call(mtf_prepared* prepared, const mtf_value* arguments, size_t count, const mtf_value** result) {
  if (prepared == nullptr) {
    if (result != nullptr) *result = nullptr;
    return MTF_WRONG_CALL;
  }
  return give<HeldValue>(prepared->interpreter, result,
                         [&](mtf::Interpreter&) { return prepared->call(values_of(arguments, count)); });
}

void mtf_free_prepared(mtf_prepared* prepared) { delete prepared; }

const char* mtf_version(void) { return mtf::version(); }

mtf_code mtf_mark_counters(mtf_interpreter* interpreter) {
  if (interpreter == nullptr) return MTF_WRONG_CALL;
  return interpreter->with_interpreter([](mtf::Interpreter& mtf) { mtf.mark_counters(); });
}

mtf_code mtf_get_counters(mtf_interpreter* interpreter, const mtf_counters** counters) {
  return give<HeldCounters>(interpreter, counters, [](mtf::Interpreter& mtf) { return mtf.counters(); });
}

void mtf_free_counters(const mtf_counters* counters) { delete static_cast<const HeldCounters*>(counters); }

mtf_code mtf_get_plan(mtf_interpreter* interpreter, const char* text, const char* mesh, const char* layout,
                      const mtf_plan** plan) {
  return give<HeldPlan>(interpreter, plan, [&](mtf::Interpreter& mtf) {
    return mtf.plan(&there(text, "the text is null"), {text_or_empty(mesh), text_or_empty(layout)});
  });
}

mtf_code mtf_get_plan_of_file(mtf_interpreter* interpreter, const char* path, const char* mesh, const char* layout,
                              const char* machine, const mtf_plan** plan) {
  return give<HeldPlan>(interpreter, plan, [&](mtf::Interpreter& mtf) {
    return mtf.plan_file(&there(path, "the path is null"), {text_or_empty(mesh), text_or_empty(layout)},
                         text_or_empty(machine));
  });
}

const char* mtf_plan_json(const mtf_plan* plan) { return json_text<HeldPlan>(plan); }

void mtf_free_plan(const mtf_plan* plan) { delete static_cast<const HeldPlan*>(plan); }

mtf_code mtf_explain(mtf_interpreter* interpreter, const char* text, const char* mesh, const char* layout, size_t most,
                     const mtf_explanation** explanation) {
  return give<HeldExplanation>(interpreter, explanation, [&](mtf::Interpreter& mtf) {
    return mtf.explain_costs(&there(text, "the text is null"), {text_or_empty(mesh), text_or_empty(layout)}, most);
  });
}

const char* mtf_explanation_json(const mtf_explanation* explanation) { return json_text<HeldExplanation>(explanation); }

void mtf_free_explanation(const mtf_explanation* explanation) {
  delete static_cast<const HeldExplanation*>(explanation);
}

mtf_code mtf_search(mtf_interpreter* interpreter, const char* text, const mtf_search_rules* rules,
                    const mtf_answer** answer) {
  return give<HeldAnswer>(interpreter, answer, [&](mtf::Interpreter& mtf) {
    const mtf_search_rules given = whole(there(rules, "the rules are null"));
    mtf::SearchRules asked;
    asked.processors = given.processors;
    if (given.axes != 0) asked.axes = given.axes;
    asked.stored = given.stored != 0;
    asked.memory = given.memory;
    asked.layout = text_or_empty(given.layout);
    asked.machine = text_or_empty(given.machine);
    if (given.most != 0) asked.most = given.most;
    if (given.progress != nullptr)
      asked.progress = [&](std::int64_t looked_at, double best) { given.progress(looked_at, best, given.context); };
    return mtf.search(&there(text, "the text is null"), asked);
  });
}

const char* mtf_answer_json(const mtf_answer* answer) { return json_text<HeldAnswer>(answer); }

void mtf_free_answer(const mtf_answer* answer) { delete static_cast<const HeldAnswer*>(answer); }

mtf_code mtf_check(mtf_interpreter* interpreter, const char* text, const mtf_diagnostics** diagnostics) {
  return give<HeldDiagnostics>(interpreter, diagnostics,
                               [&](mtf::Interpreter& mtf) { return mtf.check(&there(text, "the text is null")); });
}

const char* mtf_diagnostics_json(const mtf_diagnostics* diagnostics) {
  if (diagnostics == nullptr) return nullptr;
  const auto& found = static_cast<const HeldDiagnostics&>(*diagnostics);
  return found.json.text([&] {
    std::string lines;
    for (const HeldDiagnostic& each : found.held) lines += mtf::to_json(each.record());
    return lines;
  });
}

void mtf_free_diagnostics(const mtf_diagnostics* diagnostics) {
  delete static_cast<const HeldDiagnostics*>(diagnostics);
}
