#pragma once
// Scopes: the names that a block binds.
//
// A scope's bindings are kept in the order in which they were made; a second `let` of a name hides the first but does
// not end it, since a function sees the bindings in force where it is written. So whoever looks a name up says how many
// of the bindings he sees; functions and models of a scope (`hoisted`) are seen by all.
//
// In the outermost scope a hidden binding lives as long as a function, or a model, whose text names it (Named): one
// that nobody names is replaced where it stands, which nobody can tell from a new one, and what was named loses its
// value when it no longer is. Inner scopes die with their block, or with their functions (cuts.h says what of them
// these keep).
//
// Names are looked up at each use; no earlier step resolves them to slots. Slots would have to follow undo, hidden
// names, and bindings that a check makes after an error. A scope has few bindings and is searched from the last one; a
// scope with many has an index.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "eval/host_value.h"
#include "types/saturating.h"

namespace mtf::eval {

class Undo;  // undo.h

struct Binding {
  Binding(Name bound, HostValue&& now, Span where) : name(bound), value(std::move(now)), span(where) {}

  Name name;
  HostValue value;
  Span span;
  bool is_setting = false;                  ///< `with` changes it, `:=` does not
  bool is_aside = false;                    ///< what it holds is set aside: set_aside.h
  bool is_turns_number = false;             ///< which each turn of a loop has anew, to be handed on alone: replay.h
  std::weak_ptr<const void> named_by = {};  ///< of the outermost scope: what every Named holds that names it
};

/// The bindings of the outermost scope that the text of a function or model names: they live as long as this.
using Named = std::vector<std::shared_ptr<const void>>;

class Scope : public std::enable_shared_from_this<Scope> {
  static constexpr int64_t kFewBytes = int64_t{1} << 20;  ///< are not worth a search

 public:
  Scope(std::shared_ptr<Scope> outer, size_t outer_limit, int uncertain_depth) {
    begin(std::move(outer), outer_limit, uncertain_depth);
  }
  ~Scope();  ///< lets go of its values one after another (let_go.cpp)

  /// A scope that has ended is as a new one.
  void begin(std::shared_ptr<Scope> outer, size_t outer_limit, int uncertain_depth) {
    number = graph::last_node_id();
    parent = std::move(outer);
    outermost = parent ? parent->outermost : this;
    parent_limit = outer_limit;
    uncertain = uncertain_depth;
    stacked_over.clear();
  }
  /// Lets go of all that it holds, as if it died. Of an inner scope that no function sees.
  void end();
  /// Lets go of its names alone: the next turn of a loop binds them anew.
  void forget_names();

  int64_t number = 0;  ///< of the last node before it was made
  std::shared_ptr<Scope> parent;
  Scope* outermost = nullptr;
  size_t parent_limit = 0;
  std::vector<Binding> bindings;
  std::vector<Binding> hoisted;
  int uncertain = 0;                      ///< how many unknown conditions and loops walked once it stands in
  bool captured = false;                  ///< a function sees its bindings
  const ast::ModelStmt* model = nullptr;  ///< of an instance's scope: of which model
  std::shared_ptr<const Named> named;     ///< of a call's or an instance's scope: what the function or model holds
  std::vector<Name> stacked_over;         ///< dims of loops whose turn has made it: its tensors have these dims
  Undo* changes = nullptr;                ///< of a prompt's outermost scope: where what is bound is written down

  /// The captured scopes of a program, its own and its modules'.
  struct Captured {
    std::vector<std::weak_ptr<Scope>> scopes;
    size_t next_search = 64;  ///< at so many
    int64_t new_bytes = 0;    ///< since the last search
    int64_t next_bytes = kFewBytes;
  };
  /// Of an outermost scope: the captured scopes of its program.
  const std::shared_ptr<Captured>& captured_inside() {
    if (!captured_) captured_ = std::make_shared<Captured>();
    return captured_;
  }
  /// Of an outermost scope: those of the program of `other`, an outermost scope too.
  void is_of_the_program_of(Scope& other) { captured_ = other.captured_inside(); }

  /// Says that a function sees the bindings of this scope, and so those of the scopes around it.
  void capture();
  /// Of the outermost scope: the block of a captured scope has ended, whose names hold so many bytes.
  void may_hold(int64_t bytes) {
    int64_t& held = captured_inside()->new_bytes;
    held = saturating_add(held, bytes);
  }
  /// Of the outermost scope: since the last search so many scopes have been captured, or they may hold as many bytes as
  /// were held then, that another search is due.
  bool cycles_are_due() const {
    return captured_ &&
           (captured_->scopes.size() >= captured_->next_search || captured_->new_bytes >= captured_->next_bytes);
  }
  /// Lets go of scopes that only their own functions hold: let_go.cpp.
  void let_go_of_cycles();
  /// Of the outermost scope, when its program is over: a function holds the scope that holds it, so the names of all
  /// captured scopes are let go.
  void release();

  /// Binds a name anew.
  void bind(Name name, HostValue&& value, Span span);
  /// Adds a function or model, or replaces the one of this name.
  void declare(Name name, HostValue value, Span span);
  /// One of `bindings` is about to change: writes down how to take that back. A function or model is none.
  void note(const Binding& binding, Undo& undo);
  /// What a function or model that is written in this scope, and sees `limit` of its bindings, has to hold of what it
  /// `names`; null inside of another function or model, which holds it.
  std::shared_ptr<const Named> names(const std::unordered_set<Name>& names, size_t limit);
  /// The binding of this scope alone, or null.
  Binding* find_own(Name name, size_t limit = ~size_t{0}) {
    Binding* const binding = find_bound(name, limit);
    return binding != nullptr || hoisted.empty() ? binding : find_hoisted(name);
  }
  /// The function or model of this scope alone, or null.
  Binding* find_hoisted(Name name);
  /// The binding in this scope and those around it, and whose it is.
  struct Found {
    Binding* binding = nullptr;
    Scope* scope = nullptr;
  };
  Found find(Name name, size_t limit = ~size_t{0}) {
    for (Scope* scope = this; scope != nullptr; limit = scope->parent_limit, scope = scope->parent.get())
      if (Binding* binding = scope->find_own(name, limit)) return {binding, scope};
    return {};
  }
  /// Every name visible here, the nearest first.
  void visible_names(std::vector<std::string>& names) const;
  /// To be called by whoever has changed `bindings` or `hoisted` other than by adding to them.
  void rearranged() {
    index_.reset();
    hoisted_index_.reset();
  }

 private:
  std::shared_ptr<Captured> captured_;  ///< of an outermost scope
  std::vector<size_t> hidden_;          ///< of the outermost scope: bindings that are hidden and were named
  size_t next_look_ = 2;                ///< at so many it is looked which are still named
  /// The last binding of each name among the first `count`, where they are many.
  struct Index {
    std::unordered_map<Name, size_t> last;
    size_t count = 0;
  };
  std::unique_ptr<Index> index_;          ///< of `bindings`
  std::unique_ptr<Index> hoisted_index_;  ///< of `hoisted`

  /// The place of the last of them that has the name, where they are many.
  static std::optional<size_t> last_place(std::unique_ptr<Index>& index, const std::vector<Binding>& all, Name name);
  /// Of hidden bindings that nobody names any more the values go.
  void let_go_of_hidden();
  /// The last of the first `limit` bindings that has the name, or null.
  Binding* find_bound(Name name, size_t limit) {
    limit = std::min(limit, bindings.size());
    if (bindings.size() > kMany) limit = limit_by_index(name, limit);
    Binding* const first = bindings.data();
    for (Binding* binding = first + limit; binding != first;)
      if ((--binding)->name == name) return binding;
    return nullptr;
  }
  /// So many bindings at most have to be searched, where they are many.
  size_t limit_by_index(Name name, size_t limit);
  static constexpr size_t kMany = 32;
};

/// The bytes of the tensors that names of the scope stand for, of all processors.
int64_t bytes_named_in(const Scope& scope);

/// The function that a call of the instance runs; null if its model has no `fn call`.
Binding* call_of(const Instance& instance);

}  // namespace mtf::eval
