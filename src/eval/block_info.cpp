#include "eval/block_info.h"

namespace mtf {

/// Writes down what it finds. Inside a function, names that the function binds are left out of `captured`; `mentions` has
/// them all, which only makes more names live.
class NameWalk : public ast::Walk {
 public:
  NameSet mentions;
  NameSet assigns;   ///< plain names
  NameSet targets;   ///< the first name of each target
  NameSet captured;
  NameSet binds;     ///< in the block itself
  NameSet bound;     ///< anywhere inside
  NameUse own;
  bool mentions_grad = false;
  BlockInfo* info = nullptr;
  BlockInfos* infos = nullptr;

  /// `result`: the annotation of the function that the text stands in.
  explicit NameWalk(const std::optional<ast::Annotation>* result = nullptr) { results_.push_back(result); }

  void statement(const ast::Stmt& stmt) override {
    if (info) {
      declarations(stmt);
      if (functions_ == 0) aliases(stmt);
    }
    if (stmt.as<ast::ReturnStmt>() && results_.back() && *results_.back()) annotation(**results_.back());
    Walk::statement(stmt);
  }

  void expr(const ast::Expr& e) override {
    if (functions_ == 0) {
      if (auto* call = e.as<ast::CallExpr>()) own.callees.push_back(call->callee.get());
      if (auto* index = e.as<ast::IndexExpr>(); index && info) {
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
    if (functions_ == 0) {
      own.functions.push_back(text);
      outermost_ = bound_.size();
    }
    ++functions_;
    results_.push_back(text.result);
    Walk::function(text);
    results_.pop_back();
    --functions_;
  }

  void assignment(const ast::AssignStmt& stmt) override {
    if (info && functions_ == 0) info->targets.push_back(stmt.target.get());
    expr(*stmt.value);
    const ast::Expr* base = stmt.target.get();
    while (!base->as<ast::NameExpr>()) {
      if (auto* attribute = base->as<ast::AttributeExpr>()) base = attribute->object.get();
      else if (auto* index = base->as<ast::IndexExpr>()) base = index->object.get();
      else break;
    }
    auto* name = base->as<ast::NameExpr>();
    if (name) {
      targets.insert(name->name);
      if (functions_ > 0 && !is_bound(name->name)) captured.insert(name->name);
    }
    if (functions_ == 0) {
      if (name) own.assigns.insert(name->name);
      else own.assigns_unnamed = true;
    }
    if (base == stmt.target.get() && name) assigns.insert(name->name);
    else expr(*stmt.target);
  }

 protected:
  void name(Name name, Span) override { mention(name); }
  void rest(Span) override { mention(Name("..")); }
  void label(const ast::Ident& label) override { mention(label.name); }
  void bind(const ast::Ident& ident) override {
    bound.insert(ident.name);
    if (bound_.empty()) binds.insert(ident.name);
    else bound_.back().insert(ident.name);
  }
  void open_scope() override { bound_.emplace_back(); }
  void close_scope() override { bound_.pop_back(); }

 private:
  void declarations(const ast::Stmt& stmt) {
    if (auto* dims = stmt.as<ast::DimStmt>()) {
      if (functions_ == 0) info->dims.push_back(dims);
      for (const auto& item : dims->items) info->dim_names.insert(item.name.name);
    }
    if (auto* mesh = stmt.as<ast::MeshStmt>()) {
      for (const auto& axis : mesh->axes) info->axis_names.insert(axis.name.name);
    }
  }

  /// A name that is bound to the value of a name, a part or a call, or to an element, may stand for a param or state.
  void aliases(const ast::Stmt& stmt) {
    std::vector<ast::Ident> names;
    if (auto* loop = stmt.as<ast::ForStmt>()) names_of(*loop->pattern, names);
    if (auto* let = stmt.as<ast::LetStmt>()) {
      const ast::Expr& value = *let->value;
      const bool may_be_place = value.as<ast::NameExpr>() || value.as<ast::AttributeExpr>() || value.as<ast::IndexExpr>() ||
                                value.as<ast::CallExpr>() || value.as<ast::TupleExpr>() || value.as<ast::ListExpr>();
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
    static const Name kGrad("grad");
    mentions.insert(name);
    if (functions_ == 0) own.reads.insert(name);
    else if (!is_bound(name)) captured.insert(name);
    if (name != kGrad) return;
    mentions_grad = true;
    if (functions_ == 0) own.mentions_grad = true;
  }

  std::vector<NameSet> bound_;
  std::vector<const std::optional<ast::Annotation>*> results_;
  int functions_ = 0;
  size_t outermost_ = 0;
};

namespace {

void add_to(NameUse& all, const NameUse& one) {
  all.reads.insert(one.reads.begin(), one.reads.end());
  all.assigns.insert(one.assigns.begin(), one.assigns.end());
  all.assigns_unnamed |= one.assigns_unnamed;
  all.mentions_grad |= one.mentions_grad;
  all.callees.insert(all.callees.end(), one.callees.begin(), one.callees.end());
  all.functions.insert(all.functions.end(), one.functions.begin(), one.functions.end());
}

}  // namespace

const BlockInfo& BlockInfos::of(const ast::Block& block) {
  std::unique_ptr<BlockInfo>& info = infos_[&block];
  if (info) return *info;
  info = std::make_unique<BlockInfo>();
  std::unordered_map<Name, size_t> last;
  const auto known = results_.find(&block);
  const auto* result = known == results_.end() ? nullptr : known->second;
  for (size_t i = 0; i < block.statements.size(); ++i) {
    const ast::Stmt& stmt = block.statements[i];
    NameWalk walk(result);
    walk.info = info.get();
    walk.infos = this;
    walk.statement(stmt);
    for (Name name : walk.mentions) info->last_mention[name] = info->last_use[name] = last[name] = i;
    for (Name name : walk.targets) info->last_use[name] = last[name] = i;
    for (Name name : walk.bound) last[name] = i;
    info->bound.insert(walk.bound.begin(), walk.bound.end());
    info->mentions.insert(walk.mentions.begin(), walk.mentions.end());
    info->assigns.insert(walk.assigns.begin(), walk.assigns.end());
    info->captured.insert(walk.captured.begin(), walk.captured.end());
    info->mentions_grad |= walk.mentions_grad;
    add_to(info->own, walk.own);
    info->statements.push_back({std::move(walk.mentions), std::move(walk.assigns), std::move(walk.binds),
                                stmt.as<ast::ForStmt>() != nullptr || stmt.as<ast::WhileStmt>() != nullptr,
                                walk.mentions_grad, std::move(walk.own)});
  }
  info->calls = info->own.callees;
  info->expires.resize(block.statements.size());
  for (const auto& [name, statement] : last) info->expires[statement].push_back(name);
  return *info;
}

const NameUse& BlockInfos::of(const ast::FunctionText& function) {
  std::unique_ptr<NameUse>& use = functions_[function.parameters];
  if (use) return *use;
  NameWalk walk;
  walk.Walk::function(function);
  use = std::make_unique<NameUse>(std::move(walk.own));
  return *use;
}

NameSet mentions_of(const ast::Expr& expr) {
  NameWalk walk;
  walk.expr(expr);
  return std::move(walk.mentions);
}

}  // namespace mtf
