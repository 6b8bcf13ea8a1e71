#include "mtf/interpreter.h"

#include <iostream>
#include <new>
#include <optional>
#include <stdexcept>

#include "api/records.h"
#include "api/values.h"
#include "library/library.h"
#include "plan/execution.h"
#include "run/dry_runtime.h"
#include "run/mpi_runtime.h"
#include "session/parts_of_text.h"
#include "session/search.h"
#include "session/session.h"
#include "support/diagnostics.h"
#include "support/interrupt.h"
#include "support/source.h"
#include "support/text.h"
#include "support/text_sink.h"

namespace mtf {
namespace {

/// Returns the result of `step`. Throws ScriptError for the user's errors and for a lack of memory.
template <typename Step>
auto translated(Step&& step) {
  try {
    return step();
  } catch (const UserError& error) {
    throw ScriptError(diagnostic_record(error.diagnostic()));
  } catch (const std::bad_alloc&) { throw ScriptError(diagnostic_record(Diagnostic(Kind::out_of_memory, {}))); }
}

/// Parses a mesh or a layout in the notation of the command line. Nothing for an empty text. Fails (bad_option_value).
template <typename Parse>
auto option_given(const char* option, const std::string& text, const Parse& parse) {
  std::optional<decltype(parse(text))> given;
  try {
    if (!text.empty()) given = parse(text);
  } catch (const std::invalid_argument& error) {
    fail(Kind::bad_option_value, {}, "{} {}: {}", option, quote(text), error.what());
  }
  return given;
}

session::Assumption assumption_of(const std::string& mesh, const std::string& layout) {
  return {option_given("mesh", mesh, parse_axes), option_given("layout", layout, parse_layout)};
}

eval::Settings settings_of(const InterpreterOptions& options) {
  eval::Settings settings;
  settings.stdlib = options.standard_library;
  settings.library = &library::host_library();
  settings.set = options.set;
  settings.memory = options.memory;
  settings.remat = options.remat;
  settings.check_finite = options.check_finite;
  session::Assumption given = assumption_of(options.mesh, options.layout);
  settings.mesh = std::move(given.mesh);
  settings.layout = std::move(given.layout);
  return settings;
}

ElementType element_type(Element element) { return static_cast<ElementType>(element); }
static_assert(static_cast<int>(Element::kBool) == static_cast<int>(ElementType::kBool) &&
              static_cast<int>(Element::kI32) == static_cast<int>(ElementType::kI32) &&
              static_cast<int>(Element::kBf16) == static_cast<int>(ElementType::kBf16) &&
              static_cast<int>(Element::kF32) == static_cast<int>(ElementType::kF32) &&
              static_cast<int>(Element::kF64) == static_cast<int>(ElementType::kF64));

void to_standard_output(std::string_view text) {
  if (!(std::cout << text << std::flush)) fail(Kind::cannot_write, {}, "standard output");
}

run::MpiRuntimeOptions runtime_options_of(const InterpreterOptions& options) {
  run::MpiRuntimeOptions runtime;
  runtime.threads = options.threads;
  runtime.use_mpi = options.on_ranks;
  return runtime;
}

}  // namespace

struct Interpreter::Impl {
  explicit Impl(const InterpreterOptions& options)
      : settings(settings_of(options)),
        warn(options.warning),
        buffer(options.output ? options.output : to_standard_output),
        stream(&buffer),
        runtime(runtime_options_of(options)),
        execution(runtime),
        session(on_ranks(settings, runtime.ranks()), &execution, runtime.rank() == 0 ? stream : nowhere) {
    runtime.expect_level();
    stream.exceptions(std::ios::badbit);  // an exception of the function ends the run
    session.remember_nothing();
    if (warn && runtime.rank() == 0)
      session.on_warning([this](const Diagnostic& warning) { warn(diagnostic_record(warning)); });
    if (options.progress && runtime.rank() == 0)
      session.on_progress([tell = options.progress](const eval::Progress& loops) { tell(progress_records(loops)); });
    if (options.report && runtime.rank() == 0) {
      session.on_statement([this, tell = options.report](const eval::StatementReport& statement) {
        session::Planned done;
        done.statements.push_back(statement);
        done.counters = statement.counters;
        done.mesh = std::make_shared<const Mesh>(session.mesh());
        tell(plan_record(done));
      });
    }
  }

  /// Runs a step that may print. An exception of the function that takes the output ends this run alone.
  template <typename Step>
  auto running(const Step& step) {
    stream.clear();
    const struct Flushes {
      std::ostream& stream;
      ~Flushes() noexcept(false) {
        if (std::uncaught_exceptions() == 0) stream.flush();
      }
    } flushes{stream};
    return translated(step);
  }

  ScriptValue shown(const eval::HostValue& value) {
    return api_value(value, [this](const graph::Value& tensor) { return session.show(tensor); });
  }
  eval::HostValue given(const ScriptValue& value) {
    return script_value(value, [this](const plan::HostView& view) { return session.given(view); });
  }

  /// Reports the warnings of the check before a run.
  void tell(const Diagnostics& warnings) {
    if (warn && runtime.rank() == 0)
      for (const Diagnostic& warning : warnings.list()) warn(diagnostic_record(warning));
    session.have_been_told(warnings);
  }

  static const eval::Settings& on_ranks(eval::Settings& settings, std::int64_t ranks) {
    settings.ranks = ranks;
    return settings;
  }

  eval::Settings settings;
  std::function<void(const DiagnosticRecord&)> warn;
  LineSink buffer;
  std::ostream stream;
  std::ostream nowhere{nullptr};
  run::MpiRuntime runtime;
  plan::Execution execution;
  mutable session::Session session;
  plan::Counters mark;  ///< the counters at the last mark_counters()
  std::shared_ptr<const void> alive = std::make_shared<int>();
};

Interpreter::Interpreter(InterpreterOptions options) {
  translated([&] { impl_ = std::make_unique<Impl>(options); });
}
Interpreter::~Interpreter() = default;
Interpreter::Interpreter(Interpreter&&) noexcept = default;
Interpreter& Interpreter::operator=(Interpreter&&) noexcept = default;

void Interpreter::run(const std::string& text) {
  impl_->running([&] { impl_->session.execute(text); });
}

void Interpreter::run_file(const std::string& path) {
  impl_->running([&] {
    session::Session& session = impl_->session;
    const std::string text = SourceFile::read(path)->text();
    const Diagnostics found = session.check_here(path, text);
    found.throw_first();
    impl_->tell(found);
    session.load(text, path, false);
  });
}

void Interpreter::interrupt() { impl_->session.interrupt(); }

void Interpreter::set(const std::string& name, const TensorView& tensor) {
  translated([&] { impl_->session.set(name, host_view(tensor)); });
}

ScriptValue Interpreter::value(const std::string& expression) {
  return impl_->running([&] { return impl_->shown(impl_->session.value(expression)); });
}

void Interpreter::bind(const std::string& name, const ScriptValue& value) {
  if (value.kind() == ScriptValue::Kind::kTensor) return set(name, value.tensor().view());
  translated([&] { impl_->session.bind(name, impl_->given(value)); });
}

std::vector<NameRecord> Interpreter::names() const {
  std::vector<NameRecord> names;
  for (const session::HeldName& each : impl_->session.held())
    names.push_back({each.name, to_string(each.type), each.bytes});
  return names;
}

void Interpreter::define(const std::string& signature, ScriptFunction function) {
  translated([&] {
    if (!function) fail(Kind::bad_value, {}, "expected a function for {}, found none", quote(signature));
    const eval::HostValue value = host_function_value(signature, std::move(function));
    impl_->session.bind((*value.as<eval::BuiltinPtr>())->signature->name.str(), value);
  });
}

void Interpreter::define_stream(const std::string& name, std::vector<TensorShape> tensors,
                                std::function<NextBatch()> begin) {
  translated([&] {
    if (!begin || tensors.empty()) fail(Kind::bad_value, {}, "expected tensors and a function for {}", quote(name));
    std::vector<TensorType> types;
    for (const TensorShape& tensor : tensors) {
      types.push_back(host_view({tensor.element, tensor.dims, {}}).type);
      impl_->session.declare_dims(types.back().dims);
    }
    impl_->session.bind(name, stream_value(name, std::move(types), std::move(begin)));
  });
}

struct Prepared::Impl {
  Interpreter::Impl& interpreter;
  std::weak_ptr<const void> alive;  ///< the interpreter
  eval::HostValue function;
};

Prepared Interpreter::prepare(const std::string& expression, const std::vector<std::string>& inputs) {
  return translated([&] {
    const std::string function = "fn(" + join(inputs, ", ") + ") = (" + expression + ")";
    impl_->session.check_here("<prepare>", "let prepared = " + function).throw_first();
    return Prepared(std::make_shared<const Prepared::Impl>(
        Prepared::Impl{*impl_, impl_->alive, impl_->session.value(function, "<prepare>")}));
  });
}

ScriptValue Prepared::operator()(const std::vector<ScriptValue>& arguments) const {
  if (impl_->alive.expired()) throw std::logic_error("a prepared expression whose interpreter has gone");
  Interpreter::Impl& interpreter = impl_->interpreter;
  return interpreter.running([&] {
    std::vector<eval::HostValue> given;
    for (const ScriptValue& each : arguments) given.push_back(interpreter.given(each));
    return interpreter.shown(interpreter.session.call(impl_->function, std::move(given)));
  });
}

CountersRecord Interpreter::counters() const {
  return counters_record(difference(impl_->execution.counters(), impl_->mark));
}

void Interpreter::mark_counters() {
  impl_->mark = impl_->execution.counters();
  impl_->runtime.restart_peak();
}

PlanRecord Interpreter::plan(const std::string& text, const PlanAssumption& assumption) const {
  return translated([&] {
    const session::Assumption assumed = assumption_of(assumption.mesh, assumption.layout);
    impl_->session.forget_interrupt();
    return plan_record(impl_->session.plan(text, "<plan>", assumed));
  });
}

PlanRecord Interpreter::plan_file(const std::string& path, const PlanAssumption& assumption,
                                  const std::string& machine) const {
  return translated([&] {
    const eval::Settings settings = assumed(impl_->settings, assumption_of(assumption.mesh, assumption.layout));
    std::optional<cost::MachineModel> model;
    if (!machine.empty()) model = cost::read_machine(machine);
    const std::string text = SourceFile::read(path)->text();
    impl_->session.forget_interrupt();
    const HeedsInterrupt heeds(impl_->session.interrupt_request(), {});
    session::Session::check_text(path, text, settings).throw_first();
    return plan_of_program(path, text, settings, run::DryRuntime(), model);
  });
}

ExplanationRecord Interpreter::explain_costs(const std::string& text, const PlanAssumption& assumption,
                                             std::size_t most) const {
  return translated([&] {
    impl_->session.forget_interrupt();
    return explanation_record(
        explain_statement(impl_->session, text, "<explain>", assumption_of(assumption.mesh, assumption.layout), most));
  });
}

std::vector<FoundLayout> Interpreter::search(const std::string& text, const SearchRules& rules) const {
  return translated([&] {
    constexpr int kMostAxes = 4;
    if (rules.processors < 1)
      fail(Kind::bad_option_value, {}, "processors: expected 1 or more, found {}", rules.processors);
    if (rules.axes < 1 || rules.axes > kMostAxes)
      fail(Kind::bad_option_value, {}, "axes: expected a number from 1 to {}, found {}", kMostAxes, rules.axes);
    session::SearchRequest request;
    request.axes = rules.axes;
    request.question.processors = rules.processors;
    request.question.stored = rules.stored;
    if (rules.most < 1) fail(Kind::bad_option_value, {}, "most: expected 1 or more, found {}", rules.most);
    request.question.most = static_cast<std::size_t>(rules.most);
    if (rules.memory > 0) request.question.memory = rules.memory;
    if (const auto layout = option_given("layout", rules.layout, parse_layout)) request.question.pinned = *layout;
    if (!rules.machine.empty()) request.machine = cost::read_machine(rules.machine);
    request.question.on_progress = [&](const cost::SearchProgress& progress) {
      if (rules.progress) rules.progress(progress.looked_at, progress.best.value_or(0));
    };
    impl_->session.forget_interrupt();
    const HeedsInterrupt heeds(impl_->session.interrupt_request(), {});
    const cost::SearchResult result =
        search_layouts(session::WhatIf::statement(impl_->session, text, "<search>"), std::move(request)).result;
    if (result.is_ended) fail(Kind::interrupted, {});
    return found_layouts(result);
  });
}

std::vector<DiagnosticRecord> Interpreter::check(const std::string& text) const {
  std::vector<DiagnosticRecord> records;
  const Diagnostics found = session::Session::check_text("<text>", text, impl_->settings);
  for (const Diagnostic& each : found.list()) records.push_back(diagnostic_record(each));
  return records;
}

std::vector<TextPart> Interpreter::explain(const std::string& text) const {
  std::vector<TextPart> parts;
  const eval::SpanTable table = session::parts_of_text("<text>", text, impl_->settings, &impl_->runtime);
  for (const eval::SpanInfo& info : table.of("<text>")) {
    TextPart& part = parts.emplace_back();
    part.begin = info.span.begin;
    part.end = info.span.end;
    for (const eval::ValueType& type : info.types) part.types.push_back(to_string(type));
    if (info.definition.is_known()) part.definition_file = info.definition.file->name();
    part.definition_begin = info.definition.begin;
    part.definition_end = info.definition.end;
    part.has_cost = info.has_cost;
    part.flops = info.flops;
    part.collectives = info.collectives;
    part.bytes = info.bytes;
  }
  return parts;
}

TensorData Interpreter::tensor(const std::string& expression) {
  return impl_->running([&] { return tensor_data(impl_->session.show(expression)); });
}

double Interpreter::number(const std::string& expression) {
  return impl_->running([&] {
    const plan::HostTensor host = impl_->session.read(expression);
    if (!host.type.dims.empty())
      fail(Kind::type_mismatch, {}, "expected a number, found {}: {}", to_string(host.type), expression);
    return host.number(0);
  });
}

const char* version() { return MTF_VERSION; }

ScriptValue ScriptValue::other(std::string description) {
  ScriptValue value(std::move(description));
  value.kind_ = Kind::kOther;
  return value;
}

void ScriptValue::expect(bool is, const char* what) const {
  if (is) return;
  static constexpr const char* kKinds[] = {"none", "a bool", "an int", "a float", "a string", "a list", "a tuple"};
  const std::string found = kind_ == Kind::kOther    ? text_
                            : kind_ == Kind::kTensor ? to_string(host_view(tensor_.view()).type)
                                                     : kKinds[static_cast<int>(kind_)];
  translated([&] { fail(mtf::Kind::type_mismatch, {}, "expected {}, found {}", what, found); });
}

bool ScriptValue::truth() const {
  expect(kind_ == Kind::kBool, "a bool");
  return integer_ != 0;
}

std::int64_t ScriptValue::integer() const {
  expect(kind_ == Kind::kInt, "an int");
  return integer_;
}

double ScriptValue::number() const {
  if (kind_ == Kind::kFloat) return number_;
  if (kind_ == Kind::kTensor && tensor_.dims.empty()) return tensor_.numbers()[0];
  expect(kind_ == Kind::kInt || kind_ == Kind::kBool, "a number");
  return static_cast<double>(integer_);
}

const std::string& ScriptValue::text() const {
  expect(kind_ == Kind::kText || kind_ == Kind::kOther, "a string");
  return text_;
}

const std::vector<ScriptValue>& ScriptValue::items() const {
  expect(kind_ == Kind::kList || kind_ == Kind::kTuple, "a list");
  return items_;
}

const TensorData& ScriptValue::tensor() const {
  expect(kind_ == Kind::kTensor, "a tensor");
  return tensor_;
}

std::string_view name(Element element) { return name(element_type(element)); }
std::size_t size_of(Element element) { return static_cast<std::size_t>(size_of(element_type(element))); }

std::vector<double> TensorData::numbers() const {
  std::vector<double> all(size());
  const std::size_t unit = size_of(element);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = plan::number_at(element_type(element), bytes.data() + i * unit);
  return all;
}

void TensorData::expect(Element asked) const {
  if (element == asked) return;
  translated(
      [&] { fail(Kind::wrong_element_type, {}, "the elements are {}, not {}", mtf::name(element), mtf::name(asked)); });
}

}  // namespace mtf
