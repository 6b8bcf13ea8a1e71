#include "eval/block_info.h"

#include <algorithm>

#include "syntax/signature.h"

namespace mtf::eval {

namespace {

bool only_chooses(const ast::Block& block) {
  return std::all_of(block.statements.begin(), block.statements.end(), [](const ast::Stmt& stmt) {
    if (stmt.as<ast::ReturnStmt>()) return true;
    auto* choice = stmt.as<ast::IfStmt>();
    return choice && (!choice->otherwise || only_chooses(*choice->otherwise)) &&
           std::all_of(choice->branches.begin(), choice->branches.end(),
                       [](const ast::IfStmt::Branch& branch) { return only_chooses(branch.body); });
  });
}

}  // namespace

/// Collects the facts. Inside a function, `captured` leaves out the names that the function binds. `mentions` keeps all
/// names, which only makes more names live.
class NameWalk : public ast::Walk {
 public:
  NameSet mentions;
  NameSet assigns;  ///< plain names
  NameSet targets;  ///< the first name of each target
  NameSet parts;    ///< the last name of each target that is a part
  NameSet captured;
  NameSet bound;  ///< anywhere inside
  BlockInfo* info = nullptr;
  BlockInfos* infos = nullptr;

  /// `result`: the result annotation of the function that contains the text.
  explicit NameWalk(const std::optional<ast::Annotation>* result = nullptr) { results_.push_back(result); }

  void statement(const ast::Stmt& stmt) override {
    if (info) {
      declarations(stmt);
      if (functions_ == 0) aliases(stmt);
    }
    if (infos) {
      if (auto* model = stmt.as<ast::ModelStmt>()) parts_of(*model);
      if (auto* fn = stmt.as<ast::FnStmt>()) infos->not_models_.insert(fn->name.name);
      std::vector<ast::Ident> names;
      if (auto* let = stmt.as<ast::LetStmt>()) names_of(*let->pattern, names);
      for (const ast::Ident& ident : names) infos->not_models_.insert(ident.name);
    }
    if (stmt.as<ast::ReturnStmt>() && results_.back() && *results_.back()) annotation(**results_.back());
    Walk::statement(stmt);
  }

  void expr(const ast::Expr& e) override {
    if (functions_ == 0 && info) {
      if (auto* call = e.as<ast::CallExpr>()) info->calls.push_back(call->callee.get());
      if (auto* index = e.as<ast::IndexExpr>()) {
        for (const auto& argument : index->arguments) {
          if (!argument.label || !argument.value->as<ast::RangeExpr>()) continue;
          info->slices.push_back(index);
          break;
        }
      }
    }
    Walk::expr(e);
  }

  void block(const ast::Block& block) override {
    if (infos && results_.back()) infos->results_[&block] = results_.back();
    Walk::block(block);
  }

  void function(const ast::FunctionText& text) override {
    if (functions_ == 0) outermost_ = bound_.size();
    ++functions_;
    if (infos)
      for (const ast::Parameter& parameter : text.parameters) infos->not_models_.insert(parameter.name.name);
    results_.push_back(text.result);
    Walk::function(text);
    results_.pop_back();
    --functions_;
  }

  void assignment(const ast::AssignStmt& stmt) override {
    if (info && functions_ == 0) info->targets.push_back(stmt.target.get());
    expr(*stmt.value);
    const Name base = base_name(*stmt.target);
    if (!base.empty()) {
      targets.insert(base);
      if (functions_ > 0 && !is_bound(base)) captured.insert(base);
    }
    if (stmt.target->as<ast::NameExpr>()) assigns.insert(base);
    else expr(*stmt.target);
    if (auto* part = stmt.target->as<ast::AttributeExpr>()) parts.insert(part->attribute.name);
  }

 protected:
  void name(Name name, Span) override { mention(name); }
  void rest(Span) override { mention(Name("..")); }
  void label(const ast::Ident& label) override { mention(label.name); }
  void bind(const ast::Ident& ident) override {
    bound.insert(ident.name);
    if (!bound_.empty()) bound_.back().insert(ident.name);
  }
  void open_scope() override { bound_.emplace_back(); }
  void close_scope() override { bound_.pop_back(); }

 private:
  void declarations(const ast::Stmt& stmt) {
    if (auto* dims = stmt.as<ast::DimStmt>()) {
      if (functions_ == 0) info->dims.push_back(dims);
      for (const auto& item : dims->items) info->dim_names.insert(item.name.name);
    }
    const ast::MeshLiteral* mesh = nullptr;
    if (auto* declared = stmt.as<ast::MeshStmt>()) mesh = &declared->mesh;
    if (auto* used = stmt.as<ast::UseStmt>()) mesh = std::get_if<ast::MeshLiteral>(&used->what);
    if (mesh != nullptr)
      for (const auto& axis : mesh->axes) info->axis_names.insert(axis.name.name);
  }

  /// Collects the names of an instance that are no params or states. An assignment keeps the kind of a dim, a function
  /// or an instance.
  void parts_of(const ast::ModelStmt& model) const {
    infos->models_.insert(model.name.name);
    for (const ast::Parameter& parameter : model.parameters)
      if (!parameter.annotation || syntax::kind_of(*parameter.annotation) != syntax::ParameterKind::kDim)
        infos->other_parts_.insert(parameter.name.name);
    for (const ast::Stmt& stmt : model.body.statements) {
      auto* let = stmt.as<ast::LetStmt>();
      if (let == nullptr) continue;
      auto* name = std::get_if<ast::Ident>(&let->pattern->node);
      auto* call = let->value->as<ast::CallExpr>();
      auto* callee = call ? call->callee->as<ast::NameExpr>() : nullptr;
      auto* part = call ? call->callee->as<ast::AttributeExpr>() : nullptr;
      if (name && (callee || part)) {
        infos->made_parts_[name->name].insert(callee ? callee->name : part->attribute.name);
        continue;
      }
      std::vector<ast::Ident> names;
      names_of(*let->pattern, names);
      for (const ast::Ident& ident : names) infos->other_parts_.insert(ident.name);
    }
  }

  /// Collects names that may stand for a param or state: they are bound to the value of a name or a part, or to an
  /// element. The result of a call is assumed to be new. Functions that return a variable itself, to be assigned, are
  /// rare, and only costs depend on this.
  void aliases(const ast::Stmt& stmt) {
    std::vector<ast::Ident> names;
    if (auto* loop = stmt.as<ast::ForStmt>()) names_of(*loop->pattern, names);
    if (auto* let = stmt.as<ast::LetStmt>()) {
      const ast::Expr& value = *let->value;
      const bool takes_apart = std::holds_alternative<ast::TuplePattern>(let->pattern->node);
      const bool may_be_place = value.as<ast::NameExpr>() || value.as<ast::AttributeExpr>() ||
                                value.as<ast::IndexExpr>() ||
                                (takes_apart && (value.as<ast::TupleExpr>() || value.as<ast::ListExpr>()));
      if (may_be_place) names_of(*let->pattern, names);
    }
    for (const ast::Ident& ident : names) info->aliases.insert(ident.name);
  }

  bool is_bound(Name name) const {
    for (size_t i = functions_ > 0 ? outermost_ : 0; i < bound_.size(); ++i) {
      if (bound_[i].count(name)) return true;
    }
    return false;
  }

  void mention(Name name) {
    mentions.insert(name);
    if (functions_ > 0 && !is_bound(name)) captured.insert(name);
  }

  std::vector<NameSet> bound_;
  std::vector<const std::optional<ast::Annotation>*> results_;
  int functions_ = 0;
  size_t outermost_ = 0;
};

const BlockInfo& BlockInfos::found(const ast::Block& block) {
  std::unique_ptr<BlockInfo>& info = infos_[&block];
  if (info) return *info;
  info = std::make_unique<BlockInfo>();
  info->block = &block;
  info->only_chooses = only_chooses(block);
  std::unordered_map<Name, size_t> last;
  const auto known = results_.find(&block);
  const auto* result = known == results_.end() ? nullptr : known->second;
  for (size_t i = 0; i < block.statements.size(); ++i) {
    const ast::Stmt& stmt = block.statements[i];
    info->declares_functions = info->declares_functions || stmt.as<ast::FnStmt>() || stmt.as<ast::ModelStmt>();
    NameWalk walk(result);
    walk.info = info.get();
    walk.infos = this;
    walk.statement(stmt);
    for (Name name : walk.mentions) last[name] = i;
    for (Name name : walk.targets) last[name] = i;
    for (Name name : walk.bound) last[name] = i;
    info->bound.insert(walk.bound.begin(), walk.bound.end());
    info->mentions.insert(walk.mentions.begin(), walk.mentions.end());
    info->assigned_parts.insert(walk.parts.begin(), walk.parts.end());
    info->assigns.insert(walk.assigns.begin(), walk.assigns.end());
    info->captured.insert(walk.captured.begin(), walk.captured.end());
    info->statement_mentions.push_back(std::move(walk.mentions));
  }
  info->expires.resize(block.statements.size());
  for (const auto& [name, statement] : last) info->expires[statement].push_back(name);
  return *info;
}

bool BlockInfos::is_variable(Name part) const {
  if (other_parts_.contains(part)) return false;
  const auto made = made_parts_.find(part);
  return made == made_parts_.end() || std::all_of(made->second.begin(), made->second.end(), [&](Name callee) {
           return models_.contains(callee) && !not_models_.contains(callee);
         });
}

NameSet mentions_of(const ast::Expr& expr) {
  NameWalk walk;
  walk.expr(expr);
  return std::move(walk.mentions);
}

NameSet names_in(const ast::FunctionText& text) {
  NameWalk walk;
  walk.function(text);
  walk.mentions.merge(walk.targets);
  return std::move(walk.mentions);
}

NameSet assigned_in(const ast::FunctionText& text) {
  NameWalk walk;
  walk.function(text);
  walk.assigns.merge(walk.parts);
  return std::move(walk.assigns);
}

Name base_name(const ast::Expr& target) {
  const ast::Expr* at = &target;
  while (true) {
    if (auto* attribute = at->as<ast::AttributeExpr>()) at = attribute->object.get();
    else if (auto* index = at->as<ast::IndexExpr>()) at = index->object.get();
    else break;
  }
  auto* name = at->as<ast::NameExpr>();
  return name ? name->name : Name();
}

}  // namespace mtf::eval
