#include "eval/logs.h"

#include <cmath>
#include <fstream>

#include "eval/data.h"
#include "io/io_error.h"
#include "io/write_file.h"

namespace mtf {
namespace {

/// How the fields of a line are written.
enum class Form : uint8_t { kJson, kCsv };

/// In quotes, as JSON has them.
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

/// In quotes where it has to be, as RFC 4180 has them.
std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

/// What one field says; what has no number in JSON is null there.
class Field {
 public:
  Field(Evaluator& evaluator, Form form, Span span) : evaluator_(evaluator), form_(form), span_(span) {}

  std::string of(const HostValue& value) const {
    if (value.is_unknown()) return {};
    if (value.is<None>()) return form_ == Form::kJson ? "null" : "";
    if (auto* b = value.as<bool>()) return *b ? "true" : "false";
    if (auto* i = value.as<int64_t>()) return std::to_string(*i);
    if (auto* d = value.as<double>()) return number(*d);
    if (auto* dim = value.as<Dim>()) return std::to_string(dim->size);
    if (auto* text = value.as<Text>()) return form_ == Form::kJson ? json_text(**text) : csv_text(**text);
    if (const Value* tensor = tensor_of(value); tensor && tensor->dims().empty()) return of_tensor(*tensor);
    if (auto* list = value.as<ListPtr>(); list && form_ == Form::kJson) {
      std::string out = "[";
      for (const HostValue& item : (*list)->items) out += (out.size() > 1 ? ", " : "") + of(item);
      return out + "]";
    }
    fail(Diagnostic(Kind::type_mismatch, span_, fmt::format("expected a number, a string, a bool{}, found {}", form_ == Form::kJson ? " or a list of those" : "", describe(value)))
             .help(tensor_of(value) ? "`data.save_npy(path, x)` writes a tensor" : ""));
  }

 private:
  std::string of_tensor(const Value& tensor) const {
    const HostValue read = evaluator_.cuts.read_number(tensor, span_);
    auto* real = read.as<double>();
    // As many digits as its type has.
    const bool is_short = real && tensor.element() != ElementType::kF64 && std::isfinite(*real);
    return is_short ? fmt::format("{}", static_cast<float>(*real)) : of(read);
  }
  std::string number(double number) const {
    if (form_ == Form::kJson && !std::isfinite(number)) return "null";
    return fmt::format("{}", number);
  }

  Evaluator& evaluator_;
  Form form_;
  Span span_;
};

std::string read_first_line(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

/// Adds a line; a file that is empty or new gets `header` first.
void append(const std::string& path, const std::string& header, const std::string& line) {
  const std::string first = read_first_line(path);
  if (!header.empty() && !first.empty() && first != header) {
    throw IoError(IoError::Kind::kBadFile, path, fmt::format("expected `{}` as its first line, found `{}`", header, first));
  }
  std::ofstream out(path, std::ios::app);
  if (first.empty() && !header.empty()) out << header << '\n';
  out << line << '\n';
  out.flush();
  if (!out) throw IoError(IoError::Kind::kUnwritable, path, "it cannot be written");
}

/// The path, and every other argument as a field with its label.
HostValue add_line(Evaluator& evaluator, Arguments& arguments, Form form, std::string_view signature) {
  if (arguments.items.empty()) fail(Diagnostic(Kind::missing_argument, arguments.span, "`path` is missing").help(std::string(signature)));
  const GivenArgument& path = arguments.items[0];
  std::string names, line;
  for (size_t i = 1; i < arguments.items.size(); ++i) {
    const GivenArgument& item = arguments.items[i];
    if (item.label.empty()) fail(Diagnostic(Kind::missing_argument, item.span, "this has no name").help(std::string(signature)));
    if (i > 1) line += form == Form::kJson ? ", " : ",";
    if (form == Form::kJson) line += json_text(item.label.str()) + ": ";
    else names += (i > 1 ? "," : "") + item.label.str();
    line += Field(evaluator, form, item.span).of(item.value);
  }
  if (form == Form::kJson) line = "{" + line + "}";
  if (path.value.is_unknown()) return None{};
  const std::string file = string_of(path);
  if (!evaluator.domain.is_abstract()) on_rank_0(evaluator, arguments.span, [&] { append(file, names, line); });
  return None{};
}

HostValue jsonl(Evaluator& evaluator, Arguments& arguments) {
  return add_line(evaluator, arguments, Form::kJson, "jsonl(path, name: value, …)");
}

HostValue csv(Evaluator& evaluator, Arguments& arguments) { return add_line(evaluator, arguments, Form::kCsv, "csv(path, name: value, …)"); }

}  // namespace

HostValue write_text(Evaluator& evaluator, Arguments& arguments) {
  const auto given = match_arguments(arguments, {"path", "text"}, "write(path, text)");
  if (given[0]->value.is_unknown() || given[1]->value.is_unknown()) return None{};
  const std::string path = string_of(*given[0]);
  auto* text = given[1]->value.as<Text>();
  if (!text) fail(Diagnostic(Kind::type_mismatch, given[1]->span, fmt::format("expected a string, found {}", describe(given[1]->value))).help("`string(x)` is the text of any value"));
  if (!evaluator.domain.is_abstract()) on_rank_0(evaluator, arguments.span, [&] { write_file_atomically(path, **text); });
  return None{};
}

void register_logs(Scope& scope) {
  add_builtin(scope, "jsonl", "jsonl(path, name: value, …)", jsonl);
  add_builtin(scope, "csv", "csv(path, name: value, …)", csv);
}

}  // namespace mtf
