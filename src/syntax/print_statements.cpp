#include <fmt/format.h>

#include "support/overloaded.h"
#include "support/stack_budget.h"
#include "support/text.h"
#include "syntax/print.h"
#include "syntax/printer.h"

namespace mtf::syntax {
using namespace ast;

namespace {

std::size_t line_of(const Span& span, std::uint32_t offset) { return span.is_known() ? span.file->line_of(offset) : 0; }

// True for an expectation line of a golden test.
bool is_expectation(std::string_view comment) {
  return comment.starts_with("#>") || comment.starts_with("#!") || comment.starts_with("#:");
}

bool is_one_line(const Span& span) { return span.is_known() && span.text().find('\n') == std::string_view::npos; }

}  // namespace

void Printer::new_line() {
  out_ += '\n';
  out_.append(static_cast<std::size_t>(indent_), ' ');
}

// True if a part of a bracket begins a line of the source, and may begin one here.
bool Printer::begins_line(const Span& span) const {
  if (lines_ == Lines::kDropped || in_string_ > 0 || !span.is_known()) return false;
  // Enclosing parentheses are not in its span.
  std::size_t begin = span.begin;
  while (begin > 0 && span.file->text()[begin - 1] == '(' && !span.file->is_first_on_line(begin)) --begin;
  return span.file->is_first_on_line(begin);
}

void Printer::keep_empty_line(std::size_t line) {
  if (lines_ == Lines::kKept && last_line_ > 0 && line > last_line_ + 1) out_ += '\n';
}

void Printer::comments_before(std::size_t offset) {
  if (comments_ == nullptr || in_string_ > 0) return;
  for (bool ends_line = true; next_comment_ < comments_->size(); ++next_comment_) {
    const Comment& comment = (*comments_)[next_comment_];
    if (comment.span.begin >= offset) return;
    std::string_view text = comment.span.text();
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    const std::size_t line = line_of(comment.span, comment.span.begin);
    if (!comment.own_line && ends_line && !out_.empty()) {
      out_ += "  ";
    } else if (!out_.empty()) {
      keep_empty_line(line);
      if (is_expectation(text)) out_ += '\n';  // starts at the margin
      else new_line();
    }
    out_ += text;
    last_line_ = line;
    ends_line = false;
  }
}

void Printer::program(const Program& program) {
  comments_ = &program.comments;
  statements(program.body.statements, program.file == nullptr ? 0 : program.file->text().size() + 1);
  if (!out_.empty()) out_ += '\n';
}

void Printer::statements(const std::vector<Stmt>& list, std::size_t end) {
  const Stmt* previous = nullptr;
  for (const Stmt& one : list) {
    const std::size_t line = line_of(one.span, one.span.begin);
    const bool joins = lines_ == Lines::kKept && previous != nullptr && line != 0 &&
                       line == line_of(previous->span, previous->span.end);
    if (joins) {
      out_ += "; ";
    } else {
      if (previous != nullptr && previous->quiet) out_ += ';';
      comments_before(one.span.begin);
      keep_empty_line(line);
      if (!out_.empty()) new_line();
    }
    statement(one);
    last_line_ = line_of(one.span, one.span.end);
    previous = &one;
  }
  if (previous != nullptr && previous->quiet) out_ += ';';
  comments_before(end);
}

void Printer::block(const Block& block) {
  const bool on_one_line = in_string_ > 0 || (lines_ == Lines::kKept && is_one_line(block.span));
  out_ += '{';
  if (on_one_line) {
    for (std::size_t i = 0; i < block.statements.size(); ++i) {
      out_ += i == 0 ? " " : "; ";
      statement(block.statements[i]);
    }
    if (!block.statements.empty()) out_ += block.statements.back().quiet ? "; " : " ";
    out_ += '}';
    return;
  }
  const std::size_t before = out_.size();
  indent_ += 2;
  last_line_ = 0;
  statements(block.statements, block.span.end);
  indent_ -= 2;
  if (out_.size() > before) new_line();
  out_ += '}';
  last_line_ = line_of(block.span, block.span.end);
}

void Printer::statement(const Stmt& statement) {
  check_stack(statement.span, Kind::nesting_too_deep);
  std::visit([this](const auto& node) { this->node(node); }, statement.node);
}

void Printer::node(const DimStmt& node) {
  out_ += "dim";
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (i > 0) out_ += ',';
    next(node.items[i].span, [&] {
      out_ += node.items[i].name.name.str() + " =";
      operand(*node.items[i].size);
    });
  }
}

void Printer::node(const MeshStmt& node) {
  out_ += fmt::format("mesh {} = ", node.name.name.text());
  mesh(node.mesh);
}

void Printer::mesh(const MeshLiteral& mesh) {
  sequence(
      '[', mesh.axes, ']', [](const MeshLiteral::Axis& axis) { return axis.span; },
      [&](const MeshLiteral::Axis& axis) {
        out_ += axis.name.name.str() + ": ";
        expr(*axis.size);
      });
}

void Printer::node(const LayoutStmt& node) {
  out_ += fmt::format("layout {} = ", node.name.name.text());
  layout(node.layout);
}

void Printer::node(const UseStmt& node) {
  out_ += "use ";
  what(node);
}

void Printer::what(const UseStmt& node) {
  std::visit(
      Overloaded{[&](const ExprPtr& named) { expr(*named); }, [&](const LayoutLiteral& literal) { layout(literal); },
                 [&](const MeshLiteral& literal) { mesh(literal); }},
      node.what);
}

void Printer::node(const OptionStmt& node) {
  out_ += fmt::format("option {} =", node.name.name.text());
  operand(*node.value);
}

void Printer::node(const SettingStmt& node) {
  out_ += fmt::format("setting {} =", node.name.name.text());
  operand(*node.value);
}

void Printer::node(const LanguageStmt& node) { out_ += fmt::format("language {}", node.version); }

void Printer::node(const SeedStmt& node) {
  out_ += "seed ";
  expr(*node.value);
}

void Printer::node(const PrecisionStmt& node) { out_ += "precision " + node.word.name.str(); }

void Printer::node(const ImportStmt& node) {
  out_ += "import";
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const ImportStmt::Item& item = node.items[i];
    if (i > 0) out_ += ',';
    next(item.span, [&] {
      out_ += item.is_file ? quote(item.path) : item.path;
      if (item.alias) out_ += " as " + item.alias->name.str();
    });
  }
}

void Printer::node(const LetStmt& node) {
  out_ += "let ";
  pattern(*node.pattern);
  if (node.annotation) {
    out_ += ": ";
    annotation(*node.annotation);
  }
  out_ += " =";
  operand(*node.value);
}

void Printer::node(const AssignStmt& node) {
  expr(*node.target);
  out_ += " :=";
  operand(*node.value);
}

void Printer::node(const ParamStmt& node) {
  out_ += fmt::format("{} {}: ", node.trainable ? "param" : "state", node.name.name.text());
  if (const auto* like = std::get_if<LikeAnnotation>(&node.type)) {
    if (like->element_type) out_ += like->element_type->name.str() + " ";
    out_ += "like ";
    expr(*like->of);
  } else {
    shape(std::get<ShapeAnnotation>(node.type));
  }
  if (node.stored) {
    out_ += " @ ";
    layout_ref(*node.stored);
  }
  out_ += " =";
  operand(*node.value);
}

void Printer::node(const FnStmt& node) {
  out_ += "fn " + node.name.name.str();
  parameters(node.parameters);
  if (node.result) {
    out_ += " -> ";
    annotation(*node.result);
  }
  function_body(node.body);
}

void Printer::function_body(const FunctionBody& body) {
  if (const auto* statements = std::get_if<Block>(&body)) {
    out_ += ' ';
    block(*statements);
    return;
  }
  out_ += " =";
  operand(*std::get<ExprPtr>(body));
}

void Printer::node(const ModelStmt& node) {
  out_ += "model " + node.name.name.str();
  if (node.has_parentheses) parameters(node.parameters);
  out_ += ' ';
  block(node.body);
}

void Printer::node(const ForStmt& node) {
  out_ += "for ";
  pattern(*node.pattern);
  out_ += " in ";
  expr(*node.iterable);
  out_ += ' ';
  block(node.body);
}

void Printer::node(const WhileStmt& node) {
  out_ += "while ";
  expr(*node.condition);
  out_ += ' ';
  block(node.body);
}

// Keeps an `else` on a line of its own.
void Printer::before_else(const Span& above, const Span& below) {
  const bool is_kept = lines_ == Lines::kKept && in_string_ == 0 && below.is_known();
  const bool breaks =
      is_kept && below.file->text().substr(above.end, below.begin - above.end).find('\n') != std::string::npos;
  if (breaks) new_line();
  else out_ += ' ';
}

void Printer::node(const IfStmt& node) {
  for (std::size_t i = 0; i < node.branches.size(); ++i) {
    if (i > 0) before_else(node.branches[i - 1].body.span, node.branches[i].condition->span);
    out_ += i == 0 ? "if " : "else if ";
    expr(*node.branches[i].condition);
    out_ += ' ';
    block(node.branches[i].body);
  }
  if (!node.otherwise) return;
  before_else(node.branches.back().body.span, node.otherwise->span);
  out_ += "else ";
  block(*node.otherwise);
}

void Printer::node(const BreakStmt&) { out_ += "break"; }
void Printer::node(const ContinueStmt&) { out_ += "continue"; }

void Printer::node(const WithStmt& node) {
  out_ += "with ";
  std::visit(Overloaded{
                 [&](const WithStmt::Setting& setting) {
                   expr(*setting.target);
                   out_ += " = ";
                   expr(*setting.value);
                 },
                 [&](const WithStmt::InForce& in_force) {
                   out_ += in_force.is_mesh ? "mesh " : "layout ";
                   what(in_force.what);
                 },
                 [&](const PrecisionStmt& precision) { this->node(precision); },
                 [&](const SeedStmt& seed) { this->node(seed); },
             },
             node.what);
  out_ += ' ';
  block(node.body);
}

void Printer::node(const NoGradStmt& node) {
  out_ += "no_grad ";
  block(node.body);
}

void Printer::node(const ReturnStmt& node) {
  out_ += "return";
  if (node.value == nullptr) return;
  out_ += ' ';
  expr(*node.value);
}

void Printer::node(const AssertStmt& node) {
  out_ += "assert ";
  expr(*node.condition);
  if (node.message == nullptr) return;
  out_ += ',';
  operand(*node.message);
}

void Printer::node(const ExprStmt& node) { expr(*node.value); }

std::string print(const ast::Program& program) {
  Printer printer(Lines::kKept);
  printer.program(program);
  return printer.take();
}

std::string print(const ast::Expr& expr) {
  Printer printer(Lines::kDropped);
  printer.expr(expr);
  return printer.take();
}

std::string print(const ast::Stmt& stmt) {
  Printer printer(Lines::kDropped);
  printer.statement(stmt);
  return printer.take();
}

std::string print(const ast::Annotation& annotation) {
  Printer printer(Lines::kDropped);
  printer.annotation(annotation);
  return printer.take();
}

std::string print(const ast::LayoutLiteral& layout) {
  Printer printer(Lines::kDropped);
  printer.layout(layout);
  return printer.take();
}

}  // namespace mtf::syntax
