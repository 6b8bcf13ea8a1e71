#include "syntax/resolver.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/text.h"
#include "syntax/signature.h"

namespace mtf::ast {
namespace {

bool only_chooses(const Block& block) {
  return std::all_of(block.statements.begin(), block.statements.end(), [](const Stmt& stmt) {
    if (stmt.as<ReturnStmt>()) return true;
    const auto* choice = stmt.as<IfStmt>();
    return choice && (!choice->otherwise || only_chooses(*choice->otherwise)) &&
           std::all_of(choice->branches.begin(), choice->branches.end(),
                       [](const IfStmt::Branch& branch) { return only_chooses(branch.body); });
  });
}

template <typename Items>
void add_all(Items& to, const Items& items) {
  to.insert(items.begin(), items.end());
}
template <typename Item>
void append_all(std::vector<Item>& to, const std::vector<Item>& items) {
  to.insert(to.end(), items.begin(), items.end());
}

// Collects the facts of all nodes in one walk. Facts of inner nodes are merged into those of outer ones.
class Resolver : public Walk {
 public:
  // `fills`: the tree is new, and gets the facts.
  explicit Resolver(bool fills) : fills_(fills) {}

  NameSet mentions() { return std::move(found_.back().mentions); }
  std::shared_ptr<const ProgramFacts> program() { return program_; }

  void statement(const Stmt& stmt) override {
    declarations(stmt);
    aliases(stmt);
    found_.emplace_back();
    if (stmt.as<ReturnStmt>() && !functions_.empty())
      if (const auto* result = functions_.back().result; result && *result) {  // a `return` reads it again
        reads_again_ = true;
        annotation(**result);
        reads_again_ = false;
      }
    Walk::statement(stmt);
    end_statement();
  }

  void expr(const Expr& e) override {
    if (BlockFacts* const block = innermost_block()) {
      if (const auto* call = e.as<CallExpr>()) block->calls.push_back(call->callee.get());
      const auto* index = e.as<IndexExpr>();
      if (index && std::any_of(index->arguments.begin(), index->arguments.end(), [](const Argument& argument) {
            return argument.label && argument.value->as<RangeExpr>();
          }))
        block->slices.push_back(index);
    }
    const auto* member = e.as<AttributeExpr>();
    const bool is_part = member && member->object->as<NameExpr>() && !functions_.empty();
    const size_t reads = is_part ? functions_.back().facts->reads.size() : 0;
    Walk::expr(e);
    if (is_part && functions_.back().facts->reads.size() > reads)
      functions_.back().facts->reads.back().part = &member->attribute;
  }

  void block(const Block& block) override {
    OpenBlock& open = blocks_.emplace_back();
    open.functions = functions_.size();
    open.facts->statements = block.statements;
    open.facts->only_chooses = only_chooses(block);
    Walk::block(block);
    end_block(block);
  }

  void function(const FunctionText& text) override {
    OpenFunction& open = functions_.emplace_back();
    open.result = text.result;
    open.facts->scopes = scopes_;
    open.facts->outermost = scopes_->size();
    if (text.model) open.facts->models.push_back(text.model);
    for (const Parameter& parameter : text.parameters) program_->not_models.insert(parameter.name.name);
    found_.emplace_back();
    Walk::function(text);
    end_function(text);
  }

  void assignment(const AssignStmt& stmt) override {
    if (BlockFacts* const block = innermost_block()) block->targets.push_back(stmt.target.get());
    expr(*stmt.value);
    const Name base = base_name(*stmt.target);
    if (!base.empty()) {
      found_.back().targets.insert(base);
      captures(base);
    }
    if (stmt.target->as<NameExpr>()) found_.back().assigns.insert(base);
    else expr(*stmt.target);
    if (const auto* part = stmt.target->as<AttributeExpr>()) found_.back().parts.insert(part->attribute.name);
  }

 protected:
  void name(Name name, Span span) override {
    if (mention(name) && !reads_again_)
      functions_.back().facts->reads.push_back({name, span, nullptr, scope_, (*scopes_)[scope_].names.size()});
  }
  void rest(Span) override { mention(Name("..")); }
  void label(const Ident& label) override { mention(label.name); }
  void bind(const Ident& ident) override {
    found_.back().bound.insert(ident.name);
    (*scopes_)[scope_].names.push_back(ident.name);
    if (!functions_.empty()) ++functions_.back().bound[ident.name];
  }
  void open_scope() override {
    scopes_->push_back({scope_, (*scopes_)[scope_].names.size(), {}});
    scope_ = scopes_->size() - 1;
  }
  void close_scope() override {
    const TextScope& scope = (*scopes_)[scope_];
    if (!functions_.empty())
      for (const Name name : scope.names) --functions_.back().bound[name];
    scope_ = scope.outer;
  }

 private:
  // What the part of a statement, or of a function, has that is being walked.
  struct Found {
    NameSet mentions;
    NameSet assigns;   // plain names
    NameSet targets;   // the first name of each target
    NameSet parts;     // the last name of each target that is a part
    NameSet captured;  // by functions inside
    NameSet bound;
  };
  struct OpenBlock {
    std::shared_ptr<BlockFacts> facts = std::make_shared<BlockFacts>();
    NameSet targets;                             // the first name of each target
    std::size_t functions = 0;                   // how many functions enclose it
    std::unordered_map<Name, std::size_t> last;  // the last statement that has a name
  };
  struct OpenFunction {
    std::shared_ptr<FunctionFacts> facts = std::make_shared<FunctionFacts>();
    const std::optional<Annotation>* result = nullptr;
    std::unordered_map<Name, int> bound;  // how many of its open scopes have bound a name, and how often
  };

  // The innermost block, unless a function without a block is inside it.
  BlockFacts* innermost_block() {
    return blocks_.empty() || blocks_.back().functions != functions_.size() ? nullptr : blocks_.back().facts.get();
  }

  void end_statement() {
    Found found = std::move(found_.back());
    found_.pop_back();
    auto& [facts, targets, functions, last] = blocks_.back();
    const size_t index = facts->statement_mentions.size();
    for (const NameSet* names : {&found.mentions, &found.targets, &found.bound})
      for (const Name name : *names) last[name] = index;
    add_all(targets, found.targets);
    add_all(facts->bound, found.bound);
    add_all(facts->assigned_parts, found.parts);
    add_all(facts->assigns, found.assigns);
    add_all(facts->captured, found.captured);
    facts->statement_mentions.push_back(std::move(found.mentions));
  }

  void end_block(const Block& block) {
    const OpenBlock closed = std::move(blocks_.back());
    blocks_.pop_back();
    const BlockFacts& facts = *closed.facts;
    closed.facts->expires.resize(facts.statements.size());
    for (const auto& [name, statement] : closed.last) closed.facts->expires[statement].push_back(name);
    if (BlockFacts* const outer = innermost_block()) {
      append_all(outer->targets, facts.targets);
      append_all(outer->slices, facts.slices);
      append_all(outer->calls, facts.calls);
      append_all(outer->dims, facts.dims);
      add_all(outer->aliases, facts.aliases);
    }
    Found& around = found_.back();
    for (const NameSet& mentions : facts.statement_mentions) add_all(around.mentions, mentions);
    add_all(around.assigns, facts.assigns);
    add_all(around.targets, closed.targets);
    add_all(around.parts, facts.assigned_parts);
    add_all(around.captured, facts.captured);
    add_all(around.bound, facts.bound);
    if (fills_) block.facts.set(closed.facts);
  }

  void end_function(const FunctionText& text) {
    Found inside = std::move(found_.back());
    found_.pop_back();
    const std::shared_ptr<FunctionFacts> facts = functions_.back().facts;
    functions_.pop_back();
    facts->assigns = inside.assigns;
    add_all(facts->assigns, inside.parts);
    Found& around = found_.back();
    add_all(around.mentions, facts->captured);
    around.assigns.merge(inside.assigns);
    around.targets.merge(inside.targets);
    around.parts.merge(inside.parts);
    around.bound.merge(inside.bound);
    add_all(around.captured, facts->captured);
    if (!functions_.empty()) {
      FunctionFacts& outer = *functions_.back().facts;
      for (const Name name : facts->captured) captures(name);
      for (const CapturedRead& read : facts->reads)
        if (!is_bound(read.name)) outer.reads.push_back(read);
      append_all(outer.models, facts->models);
    }
    if (fills_) text.facts->set(facts);
  }

  void declarations(const Stmt& stmt) {
    BlockFacts* const block = innermost_block();
    if (block && (stmt.as<FnStmt>() || stmt.as<ModelStmt>())) block->declares_functions = true;
    if (const auto* dims = stmt.as<DimStmt>()) {
      if (block) block->dims.push_back(dims);
      for (const DimStmt::Item& item : dims->items) program_->dims.insert(item.name.name);
    }
    const MeshLiteral* mesh = nullptr;
    if (const auto* declared = stmt.as<MeshStmt>()) mesh = &declared->mesh;
    if (const auto* used = stmt.as<UseStmt>()) mesh = std::get_if<MeshLiteral>(&used->what);
    if (mesh != nullptr)
      for (const MeshLiteral::Axis& axis : mesh->axes) program_->axes.insert(axis.name.name);
    if (const auto* model = stmt.as<ModelStmt>()) parts_of(*model);
    if (const auto* fn = stmt.as<FnStmt>()) program_->not_models.insert(fn->name.name);
    if (const auto* let = stmt.as<LetStmt>())
      for (const Ident& ident : names_of_pattern(*let->pattern)) program_->not_models.insert(ident.name);
  }

  // Collects the names of an instance that are no params or states. An assignment keeps the kind of a dim, a function
  // or an instance.
  void parts_of(const ModelStmt& model) const {
    program_->models.insert(model.name.name);
    for (const Parameter& parameter : model.parameters)
      if (!parameter.annotation || syntax::kind_of(*parameter.annotation) != syntax::ParameterKind::kDim)
        program_->other_parts.insert(parameter.name.name);
    for (const Stmt& stmt : model.body.statements) {
      const auto* let = stmt.as<LetStmt>();
      if (let == nullptr) continue;
      const auto* name = std::get_if<Ident>(&let->pattern->node);
      const auto* call = let->value->as<CallExpr>();
      const auto* callee = call ? call->callee->as<NameExpr>() : nullptr;
      const auto* part = call ? call->callee->as<AttributeExpr>() : nullptr;
      if (name && (callee || part)) {
        program_->made_parts[name->name].insert(callee ? callee->name : part->attribute.name);
        continue;
      }
      for (const Ident& ident : names_of_pattern(*let->pattern)) program_->other_parts.insert(ident.name);
    }
  }

  // Collects names that may stand for a param or state: they are bound to the value of a name or a part, or to an
  // element. The result of a call is assumed to be new. Functions that return a variable itself, to be assigned, are
  // rare, and only costs depend on this.
  void aliases(const Stmt& stmt) {
    BlockFacts* const block = innermost_block();
    const Pattern* pattern = nullptr;
    if (const auto* loop = stmt.as<ForStmt>()) pattern = loop->pattern.get();
    if (const auto* let = stmt.as<LetStmt>()) {
      const Expr& value = *let->value;
      const bool takes_apart = std::holds_alternative<TuplePattern>(let->pattern->node);
      if (value.as<NameExpr>() || value.as<AttributeExpr>() || value.as<IndexExpr>() ||
          (takes_apart && (value.as<TupleExpr>() || value.as<ListExpr>())))
        pattern = let->pattern.get();
    }
    if (block && pattern)
      for (const Ident& ident : names_of_pattern(*pattern)) block->aliases.insert(ident.name);
  }

  static std::vector<Ident> names_of_pattern(const Pattern& pattern) {
    std::vector<Ident> names;
    names_of(pattern, names);
    return names;
  }

  // True if the innermost function has bound the name.
  bool is_bound(Name name) const {
    const auto bound = functions_.back().bound.find(name);
    return bound != functions_.back().bound.end() && bound->second > 0;
  }

  // Notes a name that the innermost function reads or assigns. Returns true if it captures the name.
  bool captures(Name name) {
    const bool is_captured = !functions_.empty() && !is_bound(name);
    if (is_captured) functions_.back().facts->captured.insert(name);
    return is_captured;
  }
  bool mention(Name name) {
    found_.back().mentions.insert(name);
    return captures(name);
  }

  const bool fills_;
  bool reads_again_ = false;
  std::vector<Found> found_ = std::vector<Found>(1);
  std::vector<OpenBlock> blocks_;
  std::vector<OpenFunction> functions_;
  std::shared_ptr<std::vector<TextScope>> scopes_ = std::make_shared<std::vector<TextScope>>(1);
  std::size_t scope_ = 0;  // the innermost scope, in `scopes_`
  std::shared_ptr<ProgramFacts> program_ = std::make_shared<ProgramFacts>();
};

// Prints the facts of functions and blocks, those of inner ones further to the right.
class FactsText : public Walk {
 public:
  std::string text;

  void block(const Block& block) override {
    const BlockFacts& facts = *block.facts;
    std::vector<std::string> calls;
    for (const Expr* callee : facts.calls) calls.emplace_back(callee->span.text());
    line(block.span, is_program() ? "program" : "block",
         {{"binds", sorted(facts.bound)},
          {"reads", sorted(facts.mentions())},
          {"assigns", sorted(facts.assigns)},
          {"assigns parts", sorted(facts.assigned_parts)},
          {"calls", mtf::join(calls, " ")}});
    inside([&] { Walk::block(block); });
  }

  void function(const FunctionText& of) override {
    const Span span = of.block ? of.block->span : of.expression->span;
    line(span, of.model ? "model" : "fn", {{"captures", sorted((*of.facts)->captured)}});
    inside([&] { Walk::function(of); });
  }

 private:
  bool is_program() const { return depth_ == 0; }

  static std::string sorted(const NameSet& names) {
    std::vector<std::string> texts;
    for (const Name name : names) texts.push_back(name.str());
    std::sort(texts.begin(), texts.end());
    return mtf::join(texts, " ");
  }

  void line(Span span, std::string_view what, const std::vector<std::pair<std::string, std::string>>& facts) {
    text += fmt::format("{:{}}{}:{}", "", 2 * depth_, span.position().line, what);
    for (const auto& [fact, names] : facts)
      if (!names.empty()) text += fmt::format("; {} {}", fact, names);
    text += '\n';
  }

  template <typename Walked>
  void inside(const Walked& walked) {
    ++depth_;
    walked();
    --depth_;
  }

  int depth_ = 0;
};

}  // namespace

NameSet BlockFacts::mentions() const {
  NameSet names;
  for (const NameSet& of_one : statement_mentions) add_all(names, of_one);
  return names;
}

bool BlockFacts::mentions(Name name) const {
  return std::any_of(statement_mentions.begin(), statement_mentions.end(),
                     [&](const NameSet& of_one) { return of_one.contains(name); });
}

std::vector<Name> FunctionFacts::bound_at(const CapturedRead& read) const {
  std::vector<Name> names;
  for (size_t at = read.scope, seen = read.seen; at >= outermost;) {
    const TextScope& scope = (*scopes)[at];
    names.insert(names.end(), scope.names.begin(), scope.names.begin() + static_cast<std::ptrdiff_t>(seen));
    at = scope.outer, seen = scope.outer_seen;
  }
  return names;
}

void resolve(const Program& program) {
  Resolver resolver(true);
  resolver.block(program.body);
  program.facts.set(resolver.program());
}

NameSet mentions_of(const Expr& expr) {
  Resolver resolver(false);
  resolver.expr(expr);
  return resolver.mentions();
}

Name base_name(const Expr& target) {
  const Expr* at = &target;
  while (true) {
    if (const auto* attribute = at->as<AttributeExpr>()) at = attribute->object.get();
    else if (const auto* index = at->as<IndexExpr>()) at = index->object.get();
    else break;
  }
  const auto* name = at->as<NameExpr>();
  return name ? name->name : Name();
}

std::string text_of_facts(const Program& program) {
  FactsText facts;
  facts.block(program.body);
  return std::move(facts.text);
}

}  // namespace mtf::ast
