#pragma once
// Scopes: the names that a block binds.
//
// A scope keeps its bindings in the order in which they were made. A second `let` of a name hides the first binding but
// does not end it: a function sees the bindings that existed where it was written. So a lookup says how many of the
// bindings it sees. The functions and models of a scope (`hoisted`) are visible to every lookup.
//
// In the outermost scope a hidden binding keeps its value as long as a function or model lives that names it (Named).
// If no function or model names a binding, a second `let` overwrites it; no program can tell the difference. Inner
// scopes die with their block, or with the functions that see them (cuts.h says which bindings those functions keep).
//
// A name in the text keeps the slot at which it was found last (ast::Slot). A lookup there passes the scopes that lack
// the name, as their lists tell, and checks the slot. Undo, hidden names, and bindings that a check makes after an
// error change slots, so then the scopes are searched. A scope has few bindings and is searched from the last one; a
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
  bool is_aside = false;                    ///< its value is set aside: set_aside.h
  bool is_iterations_number = false;        ///< a number that differs in each loop iteration: Number in replay.h
  std::weak_ptr<const void> named_by = {};  ///< in the outermost scope: expires with the last Named that names it
};

/// Bindings in the order in which they were made.
class Bindings : public std::vector<Binding> {
 public:
  template <typename... Parts>
  Binding& emplace_back(Parts&&... parts) {
    Binding& binding = vector::emplace_back(std::forward<Parts>(parts)...);
    names_ |= bit_of(binding.name);
    return binding;
  }
  void push_back(Binding binding) { emplace_back(std::move(binding)); }
  void clear() {
    vector::clear();
    names_ = 0;
    may_repeat = false;
  }
  bool may_repeat = false;  ///< several bindings may have one name
  /// True if there is a binding at this index. Compares bytes, because `size` divides.
  bool has(size_t index) const {
    const auto begin = reinterpret_cast<uintptr_t>(data()),
               end = reinterpret_cast<uintptr_t>(std::to_address(this->end()));
    return index * sizeof(Binding) < end - begin;
  }
  /// False if no binding has this name.
  bool may_have(Name name) const { return (names_ & bit_of(name)) != 0; }

 private:
  static uint64_t bit_of(Name name) { return uint64_t{1} << (name.id() % 64); }
  uint64_t names_ = 0;  ///< the bits of all names, and maybe of erased ones
};

/// Keeps alive the bindings of the outermost scope that the text of a function or model names.
using Named = std::vector<std::shared_ptr<const void>>;

class Scope : public std::enable_shared_from_this<Scope> {
  static constexpr int64_t kFewBytes = int64_t{1} << 20;  ///< too few bytes for a search to pay off

 public:
  Scope(const std::shared_ptr<Scope>& outer, size_t outer_limit, int uncertain_depth) {
    begin(outer, outer_limit, uncertain_depth);
  }
  ~Scope();  ///< releases its values one after another (let_go.cpp)

  /// Makes a scope that has ended as good as new.
  void begin(const std::shared_ptr<Scope>& outer, size_t outer_limit, int uncertain_depth) {
    number = graph::last_node_id();
    parent = outer;
    outermost = parent ? parent->outermost : this;
    parent_limit = outer_limit;
    uncertain = uncertain_depth;
    stacked_over.clear();
    called = nullptr;
  }
  /// Releases all that the scope holds, as its destructor would. Only for an inner scope that no function sees.
  void end();
  /// Releases only the bindings: the next iteration of a loop makes them anew.
  void forget_names();
  /// True if `others` references hold the scope besides those of functions and models that only the scope holds. This
  /// finds most cycles as soon as their block has ended; let_go_of_cycles() finds all.
  bool is_held_by_its_functions_and(long others) const;
  /// Like end(), for a captured scope that only its own functions see.
  void end_captured();

  int64_t number = 0;  ///< the number of the last node that was made before the scope
  std::shared_ptr<Scope> parent;
  Scope* outermost = nullptr;
  size_t parent_limit = 0;
  Bindings bindings;
  Bindings hoisted;
  int uncertain = 0;                      ///< how many unknown conditions and loops walked once enclose it
  bool captured = false;                  ///< a function sees its bindings
  const ast::ModelStmt* model = nullptr;  ///< of an instance's scope: the instance's model
  std::shared_ptr<const Named> named;     ///< of a call's or an instance's scope: what the function or model holds
  const Function* called = nullptr;       ///< of a call's scope that no function sees: it holds what `called` holds
  std::vector<Name> stacked_over;         ///< dims of the loops in which it was made: its tensors have these dims
  Undo* changes = nullptr;                ///< of a prompt's outermost scope: the log of its bindings

  /// The captured scopes of a program, its own and its modules'.
  struct Captured {
    std::vector<std::weak_ptr<Scope>> scopes;
    size_t next_search = 64;  ///< the number of scopes at which the next search is due
    int64_t new_bytes = 0;    ///< since the last search
    int64_t next_bytes = kFewBytes;
  };
  /// For an outermost scope: returns the captured scopes of its program.
  const std::shared_ptr<Captured>& captured_inside() {
    if (!captured_) captured_ = std::make_shared<Captured>();
    return captured_;
  }
  /// Makes an outermost scope share the captured scopes of the program of `other`, another outermost scope.
  void is_of_the_program_of(Scope& other) { captured_ = other.captured_inside(); }

  /// Marks this scope and the scopes around it as seen by a function.
  void capture();
  /// For the outermost scope: the block of a captured scope has ended, and its names hold this many bytes.
  void may_hold(int64_t bytes) {
    int64_t& held = captured_inside()->new_bytes;
    held = saturating_add(held, bytes);
  }
  /// For the outermost scope: true if another search for cycles is due. Enough scopes have been captured since the last
  /// search, or the ended ones may hold as many bytes as all held then.
  bool cycles_are_due() const {
    return captured_ &&
           (captured_->scopes.size() >= captured_->next_search || captured_->new_bytes >= captured_->next_bytes);
  }
  /// Releases the scopes that only their own functions hold: let_go.cpp.
  void let_go_of_cycles();
  /// For the outermost scope, at the end of its program: clears the bindings of all captured scopes. A function and its
  /// scope hold each other, so neither would be released otherwise.
  void release();

  void bind(Name name, HostValue&& value, Span span) {
    if (bindings.may_have(name) || changes) bind_again(name, std::move(value), span);
    else bindings.emplace_back(name, std::move(value), span);
  }
  /// Adds a function or model, or replaces the one of this name.
  void declare(Name name, HostValue value, Span span);
  /// Logs how to undo a change of `binding`, which is about to happen. Does nothing unless it is one of `bindings`.
  void note(const Binding& binding, Undo& undo);
  /// Returns the Named for a function or model that is written in this scope, sees `limit` of its bindings, and
  /// mentions `names`. Returns null inside another function or model: the outer one holds the bindings.
  std::shared_ptr<const Named> names(const std::unordered_set<Name>& names, size_t limit);
  /// The binding of a name in this scope, without the scopes around it; or null.
  Binding* find_own(Name name, size_t limit = ~size_t{0}) {
    Binding* const binding = find_bound(name, limit);
    return binding != nullptr || !hoisted.may_have(name) ? binding : find_hoisted(name);
  }
  /// The function or model of this name in this scope, without the scopes around it; or null.
  Binding* find_hoisted(Name name);
  /// A binding found in this scope or one around it, with the scope that has it.
  struct Found {
    Binding* binding = nullptr;
    Scope* scope = nullptr;
  };
  Found find(Name name, size_t limit = ~size_t{0}) {
    for (Scope* scope = this; scope != nullptr; limit = scope->parent_limit, scope = scope->parent.get())
      if (scope->bindings.may_have(name) || scope->hoisted.may_have(name)) [[unlikely]]
        if (Binding* binding = scope->find_own(name, limit)) return {binding, scope};
    return {};
  }
  /// Does the same for a name in the text, with the help of its slot.
  [[gnu::always_inline]] Found find(Name name, const ast::Slot& slot) {
    const ast::Slot::At at = slot.get();
    const bool is_hoisted = at.depth >= kHoisted;
    size_t limit = ~size_t{0};
    Scope* scope = this;
    for (size_t depth = at.depth % kHoisted; depth > 0; --depth) {
      if (scope->bindings.may_have(name) || scope->hoisted.may_have(name) || scope->parent == nullptr) [[unlikely]]
        return find_anew(name, slot);
      limit = scope->parent_limit;
      scope = scope->parent.get();
    }
    Bindings& all = is_hoisted ? scope->hoisted : scope->bindings;
    const bool is_last = is_hoisted ? !scope->bindings.may_have(name) : at.index < limit && !all.may_repeat;
    if (is_last && all.has(at.index) && all[at.index].name == name) [[likely]]
      return {&all[at.index], scope};
    return find_anew(name, slot);
  }
  /// Every name visible here, the nearest first.
  void visible_names(std::vector<std::string>& names) const;
  /// Must be called after each change of `bindings` or `hoisted` other than an addition at the end.
  void rearranged() {
    if (index_ || hoisted_index_) [[unlikely]]
      forget_indices();
  }

 private:
  /// Binds a name that may be bound already, or whose change is logged.
  void bind_again(Name name, HostValue&& value, Span span);
  static constexpr uint16_t kHoisted = uint16_t{1} << 15;  ///< added to a slot's depth: the index is one of `hoisted`
  /// Searches for a name, and keeps in `slot` where it was found.
  Found find_anew(Name name, const ast::Slot& slot);
  std::shared_ptr<Captured> captured_;  ///< of an outermost scope
  std::vector<size_t> hidden_;          ///< of the outermost scope: hidden bindings that something named
  size_t next_look_ = 2;                ///< number of hidden bindings at which the next check for unnamed ones is due
  /// The last binding of each name among the first `count` bindings. Only a scope with many bindings has an index.
  struct Index {
    std::unordered_map<Name, size_t> last;
    size_t count = 0;
  };
  std::unique_ptr<Index> index_;          ///< of `bindings`
  std::unique_ptr<Index> hoisted_index_;  ///< of `hoisted`

  void forget_indices();
  /// Releases the values of all names one after another.
  void let_go_of_names();
  /// Returns the index of the last binding in `all` with this name, by way of `index`.
  static std::optional<size_t> last_place(std::unique_ptr<Index>& index, const std::vector<Binding>& all, Name name);
  /// Releases the values of hidden bindings that no function or model names any more.
  void let_go_of_hidden();
  /// The last binding with this name among the first `limit` bindings, or null.
  Binding* find_bound(Name name, size_t limit) { return bindings.may_have(name) ? search(name, limit) : nullptr; }
  Binding* search(Name name, size_t limit) {
    limit = std::min(limit, bindings.size());
    if (bindings.size() > kMany) limit = limit_by_index(name, limit);
    Binding* const first = bindings.data();
    for (Binding* binding = first + limit; binding != first;)
      if ((--binding)->name == name) return binding;
    return nullptr;
  }
  /// Lowers `limit` to just after the name's last binding, or to 0 if there is none. For scopes with many bindings.
  size_t limit_by_index(Name name, size_t limit);
  static constexpr size_t kMany = 32;
};

/// The bytes, on all processors, of the tensors that names of the scope stand for.
int64_t bytes_named_in(const Scope& scope);

/// The function that a call of the instance runs; null if its model has no `fn call`.
Binding* call_of(const Instance& instance);

}  // namespace mtf::eval
