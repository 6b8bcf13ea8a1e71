// Files that a script writes: `write(path, text)`, and the module `logs`, which adds lines to one.
//
// One rank writes, and every rank reports the error. A check and a plan write nothing; a plan still reads the numbers
// of tensors, as the run does.
#include <cmath>

#include "io/write_file.h"
#include "library/files.h"
#include "library/functions.h"
#include "library/run_files.h"
#include "support/text.h"

namespace mtf::library {
namespace {

/// Returns the text as a JSON string, in quotes.
std::string json_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += std::string("\\") + c;
    else if (c == '\n') out += "\\n";
    else if (code < 0x20) out += fmt::format("\\u{:04x}", code);
    else out += c;
  }
  return out + '"';
}

/// Returns the text as a CSV field: in quotes if RFC 4180 requires it.
std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

/// The value of one field. A number that JSON lacks becomes null.
class Field {
 public:
  Field(eval::Caller& caller, io::LogForm form, Span span) : caller_(caller), form_(form), span_(span) {}

  std::string of(const eval::HostValue& value) const {
    if (value.is_unknown()) return {};
    if (value.is<eval::None>()) return form_ == io::LogForm::kJson ? "null" : "";
    if (auto* b = value.as<bool>()) return *b ? "true" : "false";
    if (auto* i = value.as<int64_t>()) return std::to_string(*i);
    if (auto* d = value.as<double>()) return number(*d);
    if (auto* dim = value.as<Dim>()) return std::to_string(dim->size);
    if (auto* text = value.as<eval::Text>()) return form_ == io::LogForm::kJson ? json_text(**text) : csv_text(**text);
    if (const graph::Value* tensor = tensor_of(value); tensor && tensor->dims().empty()) return of_tensor(*tensor);
    if (auto* list = value.as<eval::ListPtr>(); list && form_ == io::LogForm::kJson) {
      std::string out = "[";
      for (const eval::HostValue& item : (*list)->items) out += (out.size() > 1 ? ", " : "") + of(item);
      return out + "]";
    }
    fail(Diagnostic(Kind::type_mismatch, span_,
                    fmt::format("expected a number, a string, a bool{}, found {}",
                                form_ == io::LogForm::kJson ? " or a list of those" : "", describe(value)))
             .help(tensor_of(value) ? "`data.save_npy(path, x)` writes a tensor" : ""));
  }

 private:
  std::string of_tensor(const graph::Value& tensor) const {
    const eval::HostValue read = caller_.read_number(tensor, span_);
    auto* real = read.as<double>();
    // As many digits as its type has.
    const bool is_short = real && tensor.element() != ElementType::kF64 && std::isfinite(*real);
    return is_short ? fmt::format("{}", static_cast<float>(*real)) : of(read);
  }
  std::string number(double number) const {
    if (form_ == io::LogForm::kJson && !std::isfinite(number)) return "null";
    return fmt::format("{}", without_sign_of_nan(number));
  }

  eval::Caller& caller_;
  io::LogForm form_;
  Span span_;
};

/// Every argument but the path as a field with its label.
eval::HostValue add_line(eval::Caller& caller, const eval::Bound& call, io::LogForm form) {
  std::string names, line;
  for (const eval::GivenArgument* item : call.labels) {
    if (item != call.labels.front()) line += form == io::LogForm::kJson ? ", " : ",";
    if (form == io::LogForm::kJson) line += json_text(item->label.str()) + ": ";
    else names += (names.empty() ? "" : ",") + item->label.str();
    line += Field(caller, form, item->span).of(item->value);
  }
  if (form == io::LogForm::kJson) line = "{" + line + "}";
  note_written(caller, call.value(0));
  if (call.value(0).is_unknown()) return eval::None{};
  if (!caller.is_abstract()) {
    on_rank_0(caller, call.span(), [&] {
      const std::string aside = caller.state<RunFiles>().add_line(call.text(0), form, names, line);
      if (!aside.empty()) caller.parts.out << call.text(0) << " was another run's: it is " << aside << " now\n";
    });
  }
  return eval::None{};
}

eval::HostValue jsonl(eval::Caller& caller, const eval::Bound& call) {
  return add_line(caller, call, io::LogForm::kJson);
}
eval::HostValue csv(eval::Caller& caller, const eval::Bound& call) { return add_line(caller, call, io::LogForm::kCsv); }

/// Returns the value of a field as a number; nothing in a check that does not know it.
std::optional<double> number_of(eval::Caller& caller, const eval::GivenArgument& field) {
  const eval::HostValue value = caller.convert.on_host(field.value, field.span);
  if (value.is_unknown()) return std::nullopt;
  if (const std::optional<double> number = eval::number_of(value)) return number;
  fail(Diagnostic(Kind::type_mismatch, field.span, fmt::format("expected a number, found {}", describe(value)))
           .help(value.is<eval::None>() ? "leave out a field that a step does not have" : ""));
}

/// tensorboard(folder, step, name: number …).
eval::HostValue tensorboard(eval::Caller& caller, const eval::Bound& call) {
  std::vector<std::pair<std::string, double>> numbers;
  for (const eval::GivenArgument* field : call.labels)
    if (const std::optional<double> number = number_of(caller, *field))
      numbers.emplace_back(field->label.str(), *number);
  note_written(caller, call.value(0));
  if (call.value(0).is_unknown() || call.value(1).is_unknown() || caller.is_abstract()) return eval::None{};
  on_rank_0(caller, call.span(),
            [&] { caller.state<RunFiles>().add_event(call.text(0), *call.value(1).as<int64_t>(), numbers); });
  return eval::None{};
}

/// write(path, text).
eval::HostValue write_text(eval::Caller& caller, const eval::Bound& call) {
  expect_to_write(caller, call, io::FileKind::kText);
  if (!caller.is_abstract())
    on_rank_0(caller, call.span(), [&] { io::write_file_atomically(call.text(0), call.text(1)); });
  return eval::None{};
}

}  // namespace

std::vector<eval::HostFunction> write_functions() {
  return {{"write(path: string, text: string)",
           "Makes a file with this text, in the place of a text that is there; a script is not replaced. One rank "
           "writes it.",
           eval::Effects::kWrites, write_text, true}};
}

std::vector<eval::HostFunction> log_functions() {
  return {
      {"jsonl(path: string, NAME: value...)", "", eval::Effects::kWrites, jsonl, true},
      {"csv(path: string, NAME: value...)", "", eval::Effects::kWrites, csv, true},
      {"tensorboard(folder: string, step: int, NAME: value...)", "", eval::Effects::kWrites, tensorboard, true},
  };
}

}  // namespace mtf::library
