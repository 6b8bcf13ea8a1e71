#pragma once
// The open blocks, from the program's own block to the innermost, and predictions about their remaining statements.
//
// A remaining statement can only call code that it reaches from a name in its text. The name may stand for a function,
// a model, an instance with its parts, a list, or a module. The walk follows these values and the names in their
// bodies. It skips a name that is not bound yet: the statement that will bind the name is walked itself. A function
// without a name is not seen while it is passed to a call.
#include <functional>
#include <unordered_map>
#include <vector>

#include "eval/gradient_flow.h"
#include "eval/scope.h"

namespace mtf::eval {

class Builtins;  // eval/builtins.h

class OpenBlocks {
 public:
  explicit OpenBlocks(Builtins& builtins) : builtins_(builtins) {}

  /// Called before a program's blocks are opened. Notes the parts of its models.
  void know(const ast::ProgramFacts& program);

  /// Keeps a block open for its lifetime.
  class [[nodiscard]] Entered {
   public:
    ~Entered() { blocks_.open_.pop_back(); }
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;
    /// Called before the block's statement of this number.
    void at(size_t statement) { blocks_.open_.back().statement = statement; }

   private:
    friend class OpenBlocks;
    explicit Entered(OpenBlocks& blocks) : blocks_(blocks) {}
    OpenBlocks& blocks_;
  };
  /// Opens a block. `scope` gets the names that the block binds, and must outlive the result. `lets_go`: the block
  /// releases names that no later statement mentions.
  Entered enter(const ast::BlockFacts& info, const ScopePtr& scope, bool lets_go) {
    open_.push_back({&info, 0, scope.get(), lets_go});
    return Entered(*this);
  }

  /// True in a statement at the top level of the program.
  bool at_program_level() const { return open_.size() == 1; }
  /// The scope of the innermost block; null if there is none.
  const Scope* innermost() const { return open_.empty() ? nullptr : open_.back().scope; }

  /// True unless only the text of the open blocks can read this name of `scope`.
  bool may_be_seen_by_functions(Name name, const Scope& scope) const;

  /// Calls `visit` with the value of each name that no later `grad` can reach, neither as a part of a loss nor as a
  /// target. Follows values from name to name through the text of each open block, from its present statement on, until
  /// nothing changes any more. Assumes that `grad` reaches the names that a function captures. Assumes the same of the
  /// arguments of code that may call `grad` or assign a name of another scope.
  void beyond_gradients(const std::function<void(const HostValue&)>& visit);

  /// Called at a prompt, where unknown statements may follow.
  void expect_more() { expects_more_ = true; }
  /// True if code that still has to run may call `grad`, or if statements of a prompt may follow.
  bool gradients_may_come() { return expects_more_ || text_may_differentiate(); }
  /// True if code that the remaining text reaches mentions `grad`.
  bool text_may_differentiate();
  /// The number of values that the last call of `text_may_differentiate` walked.
  size_t walked() const { return walked_; }
  /// True if a loop iteration may assign a param or state that a later iteration reads. `own` are the loop's variables;
  /// values reached only through them do not count. `scope` is the scope around the loop.
  bool carries_variables(const ast::BlockFacts& body, const std::vector<ast::Ident>& own, const ScopePtr& scope);

 private:
  struct Block {
    const ast::BlockFacts* info = nullptr;
    size_t statement = 0;
    Scope* scope = nullptr;
    bool lets_go = false;
  };
  /// Returns the flows of a block's statements from statement `first` on.
  std::vector<const GradientFlow*> flows(const ast::BlockFacts& info, size_t first);
  /// Returns the names of a block whose values a `grad` may reach. `outer` has these names of the enclosing block in
  /// the same function, or is null.
  NameSet come_to_gradients(const Block& block, const NameSet* outer);

  Builtins& builtins_;
  ast::ProgramFacts programs_;  ///< the declarations of all programs so far, of their models and parts
  std::unordered_map<const ast::BlockFacts*, std::vector<std::vector<GradientFlow>>> flows_;
  std::vector<Block> open_;
  bool expects_more_ = false;
  size_t walked_ = 0;
};

}  // namespace mtf::eval
