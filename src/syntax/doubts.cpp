#include "syntax/doubts.h"

#include <unordered_map>
#include <utility>

#include "support/text.h"
#include "syntax/walk.h"

namespace mtf::syntax {
namespace {

class Doubts : private ast::Walk {
 public:
  explicit Doubts(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}
  void program(const ast::Program& program) { block(program.body); }

 private:
  struct Scope {
    std::unordered_map<Name, Span> names, dims;
  };

  void open_scope() override { scopes_.emplace_back(); }
  void close_scope() override { scopes_.pop_back(); }
  void bind(const ast::Ident& ident) override { scopes_.back().names.insert_or_assign(ident.name, ident.span); }
  void name(Name name, Span) override { reads_watched_ |= name == watched_; }

  // The statements of a function are not in an iteration of an enclosing loop.
  void function(const ast::FunctionText& text) override {
    const std::size_t loop = std::exchange(loop_, kNone);
    Walk::function(text);
    loop_ = loop;
  }

  void statement(const ast::Stmt& stmt) override {
    if (const auto* dim = stmt.as<ast::DimStmt>()) refuse_twice(*dim);
    const bool is_loop = stmt.as<ast::ForStmt>() || stmt.as<ast::WhileStmt>();
    const std::size_t outer = loop_;
    if (is_loop) loop_ = scopes_.size();
    if (const auto* let = stmt.as<ast::LetStmt>()) check(*let, stmt);
    else Walk::statement(stmt);
    loop_ = outer;
  }

  void refuse_twice(const ast::DimStmt& stmt) {
    for (const ast::DimStmt::Item& item : stmt.items) {
      const auto [first, is_new] = scopes_.back().dims.emplace(item.name.name, item.name.span);
      if (is_new) continue;
      diagnostics_.add(Diagnostic(Kind::dim_declared_twice, item.name.span,
                                  fmt::format("{} again", mtf::code(item.name.name.text())))
                           .related(first->second, "first here")
                           .help("tensors made before keep the first size; give one of the two another name"));
    }
  }

  // Warns of `let x = … x …` in a loop, if x is a name from outside.
  void check(const ast::LetStmt& let, const ast::Stmt& stmt) {
    const auto* ident = std::get_if<ast::Ident>(&let.pattern->node);
    const Span* outside = ident != nullptr && loop_ != kNone ? outside_of_loop(ident->name) : nullptr;
    if (outside == nullptr) return Walk::statement(stmt);
    const Span place = *outside;
    const Name before = std::exchange(watched_, ident->name);
    const bool read_before = std::exchange(reads_watched_, false);
    Walk::statement(stmt);
    const bool reads = std::exchange(reads_watched_, read_before);
    watched_ = before;
    if (!reads) return;
    const std::string_view value = let.value->span.text();
    const bool is_short = value.size() <= 60 && value.find('\n') == std::string_view::npos;
    diagnostics_.add(
        Diagnostic(Kind::let_in_loop, ident->span, fmt::format("{} of this turn only", mtf::code(ident->name.text())))
            .related(place, "the one outside")
            .help(fmt::format("`{} := {}` gives the one outside a new value", ident->name.text(),
                              is_short ? value : "…")));
  }

  // The span at which a name is bound outside the innermost loop, unless the loop binds it.
  const Span* outside_of_loop(Name name) const {
    for (std::size_t i = scopes_.size(); i-- > 0;) {
      const auto found = scopes_[i].names.find(name);
      if (found != scopes_[i].names.end()) return i < loop_ ? &found->second : nullptr;
    }
    return nullptr;
  }

  static constexpr std::size_t kNone = ~std::size_t{0};

  Diagnostics& diagnostics_;
  std::vector<Scope> scopes_;
  std::size_t loop_ = kNone;  // the first scope of the innermost loop of this function
  Name watched_;              // the name whose `let` is being walked
  bool reads_watched_ = false;
};

}  // namespace

void warn_of_doubts(const ast::Program& program, Diagnostics& diagnostics) { Doubts(diagnostics).program(program); }

}  // namespace mtf::syntax
