#include "eval/block_info.h"

namespace mtf {
namespace {

template <typename... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};

/// Walks a tree and writes down what it finds. Inside a function, names that the function binds are left out of
/// `captured`; `mentions` has them all, which only makes more names live.
class Walk {
 public:
  NameSet mentions;
  NameSet assigns;
  NameSet captured;
  BlockInfo* info = nullptr;

  void block(const ast::Block& block) {
    bound_.emplace_back();
    for (const ast::Stmt& stmt : block.statements) {
      if (auto* fn = stmt.as<ast::FnStmt>()) bind(fn->name.name);
      if (auto* model = stmt.as<ast::ModelStmt>()) bind(model->name.name);
    }
    for (const ast::Stmt& stmt : block.statements) statement(stmt);
    bound_.pop_back();
  }

  void statement(const ast::Stmt& stmt) {
    std::visit(Overloaded{
                   [&](const ast::DimStmt& s) {
                     if (info && functions_ == 0) info->dims.push_back(&s);
                     for (const auto& item : s.items) {
                       expr(item.size.get());
                       bind(item.name.name);
                       if (info) info->dim_names.insert(item.name.name);
                     }
                   },
                   [&](const ast::MeshStmt& s) {
                     for (const auto& axis : s.axes) {
                       expr(axis.size.get());
                       if (info) info->axis_names.insert(axis.name.name);
                     }
                     bind(s.name.name);
                   },
                   [&](const ast::LayoutStmt& s) { bind(s.name.name); },
                   [&](const ast::UseStmt& s) { expr(s.what.get()); },
                   [&](const ast::OptionStmt& s) {
                     expr(s.value.get());
                     bind(s.name.name);
                   },
                   [&](const ast::SeedStmt& s) { expr(s.value.get()); },
                   [&](const ast::PrecisionStmt&) {},
                   [&](const ast::ImportStmt& s) {
                     for (const auto& item : s.items) bind(item.bound.name);
                   },
                   [&](const ast::LetStmt& s) {
                     expr(s.value.get());
                     pattern(*s.pattern);
                   },
                   [&](const ast::AssignStmt& s) {
                     expr(s.value.get());
                     if (auto* name = s.target->as<ast::NameExpr>()) {
                       if (!is_bound(name->name) && functions_ > 0) captured.insert(name->name);
                       assigns.insert(name->name);
                     } else {
                       expr(s.target.get());
                     }
                   },
                   [&](const ast::ParamStmt& s) {
                     if (auto* shape = std::get_if<ast::ShapeAnnotation>(&s.type)) annotation(*shape);
                     if (auto* like = std::get_if<ast::LikeAnnotation>(&s.type)) expr(like->of.get());
                     if (s.stored) layout(*s.stored);
                     expr(s.value.get());
                     bind(s.name.name);
                   },
                   [&](const ast::FnStmt& s) {
                     bind(s.name.name);
                     enter(s.parameters, s.result);
                     if (auto* body = std::get_if<ast::Block>(&s.body)) block(*body);
                     if (auto* body = std::get_if<ast::ExprPtr>(&s.body)) expr(body->get());
                     leave();
                   },
                   [&](const ast::ModelStmt& s) {
                     bind(s.name.name);
                     enter(s.parameters, std::nullopt);
                     block(s.body);
                     leave();
                   },
                   [&](const ast::ForStmt& s) {
                     expr(s.iterable.get());
                     bound_.emplace_back();
                     pattern(*s.pattern);
                     block(s.body);
                     bound_.pop_back();
                   },
                   [&](const ast::WhileStmt& s) {
                     expr(s.condition.get());
                     block(s.body);
                   },
                   [&](const ast::IfStmt& s) {
                     for (const auto& branch : s.branches) {
                       expr(branch.condition.get());
                       block(branch.body);
                     }
                     if (s.otherwise) block(*s.otherwise);
                   },
                   [&](const ast::NoGradStmt& s) { block(s.body); },
                   [&](const ast::ReturnStmt& s) { expr(s.value.get()); },
                   [&](const ast::AssertStmt& s) {
                     expr(s.condition.get());
                     expr(s.message.get());
                   },
                   [&](const ast::ExprStmt& s) { expr(s.value.get()); },
               },
               stmt.node);
  }

  void expr(const ast::Expr* e) {
    if (e == nullptr) return;
    std::visit(Overloaded{
                   [&](const ast::IntExpr&) {}, [&](const ast::FloatExpr&) {}, [&](const ast::BoolExpr&) {},
                   [&](const ast::ElementTypeExpr&) {}, [&](const ast::RestExpr&) {},
                   [&](const ast::StringExpr& s) {
                     for (const auto& part : s.parts) expr(part.value.get());
                   },
                   [&](const ast::NameExpr& n) { mention(n.name); },
                   [&](const ast::UnaryExpr& u) { expr(u.operand.get()); },
                   [&](const ast::BinaryExpr& b) {
                     expr(b.left.get());
                     expr(b.right.get());
                   },
                   [&](const ast::RangeExpr& r) {
                     expr(r.begin.get());
                     expr(r.end.get());
                   },
                   [&](const ast::ListExpr& l) {
                     for (const auto& element : l.elements) expr(element.get());
                   },
                   [&](const ast::TupleExpr& t) {
                     for (const auto& element : t.elements) expr(element.get());
                   },
                   [&](const ast::ComprehensionExpr& c) {
                     expr(c.iterable.get());
                     bound_.emplace_back();
                     pattern(*c.pattern);
                     expr(c.element.get());
                     bound_.pop_back();
                   },
                   [&](const ast::CallExpr& c) {
                     if (info && functions_ == 0) info->calls.push_back(c.callee.get());
                     expr(c.callee.get());
                     arguments(c.arguments);
                   },
                   [&](const ast::IndexExpr& i) {
                     if (info && functions_ == 0) {
                       for (const auto& argument : i.arguments) {
                         if (argument.label && argument.value->as<ast::RangeExpr>()) {
                           info->slices.push_back(&i);
                           break;
                         }
                       }
                     }
                     expr(i.object.get());
                     arguments(i.arguments);
                   },
                   [&](const ast::AttributeExpr& a) { expr(a.object.get()); },
                   [&](const ast::AtExpr& a) {
                     expr(a.object.get());
                     layout(a.layout);
                   },
                   [&](const ast::LambdaExpr& l) {
                     enter(l.parameters, l.result);
                     expr(l.body.get());
                     leave();
                   },
                   [&](const ast::CountersExpr& c) { block(c.body); },
               },
               e->node);
  }

 private:
  void arguments(const std::vector<ast::Argument>& list) {
    for (const auto& argument : list) {
      if (argument.label) mention(argument.label->name);
      expr(argument.value.get());
      expr(argument.target.get());
    }
  }
  void annotation(const ast::Annotation& a) {
    if (auto* shape = std::get_if<ast::ShapeAnnotation>(&a)) annotation(*shape);
  }
  void annotation(const ast::ShapeAnnotation& shape) {
    for (const auto& item : shape.items) expr(item.dim.get());
  }
  void layout(const ast::LayoutRef& ref) {
    if (auto* named = std::get_if<ast::ExprPtr>(&ref.layout)) expr(named->get());
    if (auto* literal = std::get_if<ast::LayoutLiteral>(&ref.layout)) {
      for (const auto& rule : literal->rules) mention(rule.dim.name);
    }
  }
  void enter(const std::vector<ast::Parameter>& parameters, const std::optional<ast::Annotation>& result) {
    bound_.emplace_back();
    if (++functions_ == 1) outermost_ = bound_.size() - 1;
    for (const auto& parameter : parameters) bind(parameter.name.name);
    for (const auto& parameter : parameters) {
      if (parameter.annotation) annotation(*parameter.annotation);
      expr(parameter.default_value.get());
    }
    if (result) annotation(*result);
  }
  void leave() {
    bound_.pop_back();
    --functions_;
  }
  void pattern(const ast::Pattern& p) {
    std::vector<ast::Ident> names;
    names_of(p, names);
    for (const ast::Ident& ident : names) bind(ident.name);
  }
  void bind(Name name) {
    if (!bound_.empty()) bound_.back().insert(name);
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
    static const Name kGrad("grad");
    if (info && name == kGrad) info->mentions_grad = true;
  }

  std::vector<NameSet> bound_;
  int functions_ = 0;
  size_t outermost_ = 0;
};

}  // namespace

const BlockInfo& BlockInfos::of(const ast::Block& block) {
  std::unique_ptr<BlockInfo>& info = infos_[&block];
  if (info) return *info;
  info = std::make_unique<BlockInfo>();
  for (size_t i = 0; i < block.statements.size(); ++i) {
    const ast::Stmt& stmt = block.statements[i];
    Walk walk;
    walk.info = info.get();
    walk.statement(stmt);
    for (Name name : walk.mentions) info->last_mention[name] = i;
    info->mentions.insert(walk.mentions.begin(), walk.mentions.end());
    info->assigns.insert(walk.assigns.begin(), walk.assigns.end());
    info->captured.insert(walk.captured.begin(), walk.captured.end());
    info->statements.push_back({std::move(walk.mentions), std::move(walk.assigns),
                                stmt.as<ast::ForStmt>() != nullptr || stmt.as<ast::WhileStmt>() != nullptr});
  }
  return *info;
}

NameSet mentions_of(const ast::Expr& expr) {
  Walk walk;
  walk.expr(&expr);
  return std::move(walk.mentions);
}

void names_of(const ast::Pattern& pattern, std::vector<ast::Ident>& names) {
  if (auto* ident = std::get_if<ast::Ident>(&pattern.node)) {
    names.push_back(*ident);
  } else {
    for (const auto& part : std::get<ast::TuplePattern>(pattern.node).parts) names_of(*part, names);
  }
}

}  // namespace mtf
