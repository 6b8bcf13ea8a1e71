#include "program_tree.h"

namespace mtf::properties {
namespace {

std::string filled(const std::string& text, const std::vector<Expression>& operands) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '$' && i + 1 < text.size()) result += to_string(operands.at(static_cast<size_t>(text[++i] - '0')));
    else result += text[i];
  }
  return result;
}

}  // namespace

std::string to_string(const Expression& expression) { return filled(expression.text, expression.operands); }

std::string to_string(const Statements& statements, int level) {
  const std::string margin(static_cast<size_t>(2 * level), ' ');
  std::string text;
  for (const Statement& statement : statements) {
    text += margin + filled(statement.text, statement.parts);
    if (statement.body) text += " {\n" + to_string(*statement.body, level + 1) + margin + "}";
    if (!statement.otherwise.empty()) text += " else {\n" + to_string(statement.otherwise, level + 1) + margin + "}";
    text += "\n";
  }
  return text;
}

size_t count(const Statements& statements) {
  size_t sum = statements.size();
  for (const Statement& statement : statements)
    sum += (statement.body ? count(*statement.body) : 0) + count(statement.otherwise);
  return sum;
}

std::optional<Expression> constant_of(const std::string& type) {
  if (type == "number" || type == "count") return Expression{"1", {}, type};
  if (type == "size") return Expression{"2", {}, type};
  const size_t bracket = type.find('[');
  if (bracket == std::string::npos) return std::nullopt;
  const std::string element = type.substr(0, bracket), shape = type.substr(bracket);
  if (element == "f32") return Expression{"fill(" + shape + ", 0.5)", {}, type};
  if (element == "f64") return Expression{"fill(" + shape + ", 0.5, f64)", {}, type};
  if (element == "i32") return Expression{"fill(" + shape + ", 1, i32)", {}, type};
  return std::nullopt;
}

}  // namespace mtf::properties
