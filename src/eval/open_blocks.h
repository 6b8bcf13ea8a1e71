#pragma once
// The blocks under way, from the program's own to the innermost, and what the statements that they still have may do.
//
// Whatever can still be called is reached from a name that such a statement mentions: a function, a model, an instance
// with its parts, the elements of a list, the functions of a module. The walk goes through them and through what their
// bodies mention; a name that is not bound yet leaves the question open only for the statement in which it is bound.
#include <functional>
#include <unordered_map>
#include <vector>

#include "eval/block_info.h"
#include "eval/gradient_flow.h"
#include "eval/scope.h"

namespace mtf::eval {

class Builtins;  // eval/builtins.h

class OpenBlocks {
 public:
  explicit OpenBlocks(Builtins& builtins) : builtins_(builtins) {}

  /// The facts of blocks, from their text.
  const BlockInfo& info(const ast::Block& block) { return infos_.of(block); }

  /// A block under way, for as long as this lives.
  class [[nodiscard]] Entered {
   public:
    ~Entered() { blocks_.open_.pop_back(); }
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;
    /// The block's statement of this number begins.
    void at(size_t statement) { blocks_.open_.back().statement = statement; }

   private:
    friend class OpenBlocks;
    explicit Entered(OpenBlocks& blocks) : blocks_(blocks) {}
    OpenBlocks& blocks_;
  };
  /// `scope`: whose names the block binds; it lives longer.
  /// `lets_go`: of names that no later statement mentions.
  Entered enter(const BlockInfo& info, const ScopePtr& scope, bool lets_go) {
    open_.push_back({&info, 0, scope.get(), lets_go});
    return Entered(*this);
  }

  /// True in a statement that stands in no other block than the program.
  bool at_program_level() const { return open_.size() == 1; }
  /// The scope of the innermost block; null if there is none.
  const Scope* innermost() const { return open_.empty() ? nullptr : open_.back().scope; }

  /// True unless only the text of the blocks under way reads the name of the scope.
  bool may_be_seen_by_functions(Name name, const Scope& scope) const;

  /// Calls `visit` with the value of each name whose value no `grad` that is still to run can come to, neither as a
  /// part of a loss nor as a target. Follows the values of names through the rest of the text of each block under way,
  /// from its present statement on, as often as loops repeat it. A name that a function captures counts as one that
  /// comes to a `grad`, and so does an argument of whatever may call one or assign a name of another scope.
  void beyond_gradients(const std::function<void(const HostValue&)>& visit);

  /// At a prompt more statements may come, whatever they will say.
  void expect_more() { expects_more_ = true; }
  /// True unless nothing that is still to run mentions `grad`, nor may come at a prompt.
  bool gradients_may_come() { return expects_more_ || text_may_differentiate(); }
  /// True unless nothing of the program's own text that is still to run mentions `grad`.
  bool text_may_differentiate();
  /// How many values the last answer took to find.
  size_t walked() const { return walked_; }
  /// True if a turn of a loop may assign a param or state that a later turn reads. `own`: the loop's variables; what is
  /// reached through them alone does not count. `scope`: where the loop stands.
  bool carries_variables(const BlockInfo& body, const std::vector<ast::Ident>& own, const ScopePtr& scope);

 private:
  struct Block {
    const BlockInfo* info = nullptr;
    size_t statement = 0;
    Scope* scope = nullptr;
    bool lets_go = false;
  };
  /// The flows of a block's statements from one on.
  std::vector<const GradientFlow*> flows(const BlockInfo& info, size_t first);
  /// The names of a block whose values may come to a `grad`; `outer`: those of the block around it in the same
  /// function, or null.
  NameSet come_to_gradients(const Block& block, const NameSet* outer);

  Builtins& builtins_;
  BlockInfos infos_;
  std::unordered_map<const BlockInfo*, std::vector<std::vector<GradientFlow>>> flows_;
  std::vector<Block> open_;
  bool expects_more_ = false;
  size_t walked_ = 0;
};

}  // namespace mtf::eval
