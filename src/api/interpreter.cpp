#include "mtf/interpreter.h"

#include <iostream>

#include "eval/explain.h"
#include "eval/session.h"
#include "library/library.h"
#include "plan/execution.h"
#include "run/dry_runtime.h"
#include "run/mpi_runtime.h"
#include "support/diagnostics.h"
#include "support/source.h"
#include "support/text_sink.h"

namespace mtf {
namespace {

/// Hands what is printed to a function, a line at a time.
class FunctionBuffer : public TextSink {
 public:
  explicit FunctionBuffer(std::function<void(std::string_view)> to) : to_(std::move(to)) {}

 private:
  void take(std::string_view text) override {
    line_ += text;
    if (line_.ends_with('\n')) sync();
  }
  int sync() override {
    if (!line_.empty()) to_(std::exchange(line_, {}));
    return 0;
  }
  std::function<void(std::string_view)> to_;
  std::string line_;
};

[[noreturn]] void throw_script_error(const UserError& error) {
  throw ScriptError(error.what(), std::string(record(error.diagnostic().kind()).name));
}

template <typename Step>
auto translated(Step&& step) {
  try {
    return step();
  } catch (const UserError& error) {
    throw_script_error(error);
  }
}

[[noreturn]] void bad_option(const char* option, const std::exception& error) {
  throw ScriptError(std::string(option) + ": " + error.what(), "bad_option_value");
}

Settings settings_of(const InterpreterOptions& options) {
  Settings settings;
  settings.stdlib = options.standard_library;
  settings.library = &host_library();
  settings.set = options.set;
  try {
    if (!options.mesh.empty()) settings.mesh = parse_axes(options.mesh);
  } catch (const std::invalid_argument& error) {
    bad_option("mesh", error);
  }
  try {
    if (!options.layout.empty()) settings.layout = parse_layout_rules(options.layout);
  } catch (const std::invalid_argument& error) {
    bad_option("layout", error);
  }
  return settings;
}

void to_standard_output(std::string_view text) {
  if (!(std::cout << text << std::flush)) fail(Kind::cannot_write, {}, "standard output");
}

MpiRuntimeOptions runtime_options_of(const InterpreterOptions& options) {
  MpiRuntimeOptions runtime;
  runtime.threads = options.threads;
  runtime.use_mpi = options.on_ranks;
  return runtime;
}

}  // namespace

struct Interpreter::Impl {
  explicit Impl(const InterpreterOptions& options)
      : settings(settings_of(options)),
        buffer(options.output ? options.output : to_standard_output),
        stream(&buffer),
        runtime(runtime_options_of(options)),
        execution(runtime),
        session(on_ranks(settings, runtime.ranks()), &execution, runtime.rank() == 0 ? stream : nowhere) {
    stream.exceptions(std::ios::badbit);  // what the function throws ends the run
  }

  static const Settings& on_ranks(Settings& settings, std::int64_t ranks) {
    settings.ranks = ranks;
    return settings;
  }

  Settings settings;
  FunctionBuffer buffer;
  std::ostream stream;
  std::ostream nowhere{nullptr};
  MpiRuntime runtime;
  Execution execution;
  Session session;
};

Interpreter::Interpreter(InterpreterOptions options) {
  translated([&] { impl_ = std::make_unique<Impl>(options); });
}
Interpreter::~Interpreter() = default;
Interpreter::Interpreter(Interpreter&&) noexcept = default;
Interpreter& Interpreter::operator=(Interpreter&&) noexcept = default;

void Interpreter::run(const std::string& text) {
  translated([&] {
    impl_->session.execute(text);
    impl_->stream.flush();
  });
}

void Interpreter::run_file(const std::string& path) {
  translated([&] {
    impl_->session.execute(SourceFile::read(path)->text(), path);
    impl_->stream.flush();
  });
}

void Interpreter::interrupt() { impl_->session.interrupt(); }

std::string Interpreter::check(const std::string& text) const {
  return Session::check_text("<text>", text, impl_->settings).render();
}

std::vector<TextPart> Interpreter::explain(const std::string& text) const {
  std::vector<TextPart> parts;
  DryRuntime planner;
  for (const SpanInfo& info : mtf::explain("<text>", text, impl_->settings, &planner).of("<text>")) {
    TextPart& part = parts.emplace_back();
    part.begin = info.span.begin;
    part.end = info.span.end;
    for (const ValueType& type : info.types) part.types.push_back(to_string(type));
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
  return translated([&] {
    const HostTensor host = impl_->session.read(expression);
    TensorData data;
    data.element = std::string(name(host.type.element));
    for (const Dim& dim : host.type.dims) data.dims.push_back({dim.name.str(), dim.size});
    data.numbers.resize(static_cast<std::size_t>(size_of(host.type.dims)));
    for (std::size_t i = 0; i < data.numbers.size(); ++i) data.numbers[i] = host.number(static_cast<std::int64_t>(i));
    return data;
  });
}

double Interpreter::number(const std::string& expression) {
  const TensorData data = tensor(expression);
  if (!data.dims.empty()) throw ScriptError("`" + expression + "` is a tensor with dims, not a number\n", "type_mismatch");
  return data.numbers[0];
}

}  // namespace mtf
