#pragma once
// What host values hold one another, and which of it nothing else holds.
//
// The objects (scopes, functions, models, instances, lists, params and states) that are reached from some references
// are counted: how many references there are to each, and how many of them come from within, from those some and from
// what was reached (trial deletion, as CPython's collector does it). What has others is held from outside, by the
// evaluator or a name, and so is all that it holds.
#include <memory>
#include <unordered_map>
#include <variant>
#include <vector>

#include "eval/scope.h"

namespace mtf::eval {

class Reached {
 public:
  using Object = std::variant<Scope*, Function*, ModelClass*, Instance*, List*, Place*>;

  /// Begins at what a reference of the caller's points to.
  template <typename T>
  void from(const std::shared_ptr<T>& reference) {
    reach(reference);
  }
  /// Begins at what a value of the caller's is or points to.
  void from(const HostValue& value);
  /// Finds what is reached, and what of it is held from outside. Once, after all `from`.
  void decide();

  bool is_held_outside(const void* object) const;
  /// Calls `visit` with every Object.
  template <typename Visit>
  void each(const Visit& visit) const {
    for (const Counted& object : objects_) visit(object.what);
  }
  /// Calls `visit` with every Object that nothing outside holds.
  template <typename Visit>
  void each_of_our_own(const Visit& visit) const {
    for (const Counted& object : objects_)
      if (!object.held) visit(object.what);
  }

 private:
  struct Counted {
    Object what;
    long references = 0;
    long inside = 0;
    bool held = false;
  };

  template <typename T>
  void reach(const std::shared_ptr<T>& reference) {
    auto [at, fresh] = index_.emplace(reference.get(), objects_.size());
    if (fresh) objects_.push_back({reference.get(), reference.use_count(), 0, false});
    ++objects_[at->second].inside;
  }
  template <typename Visit>
  static void reference_of(const HostValue& value, const Visit& visit);
  /// Calls `visit` with each shared pointer that an object holds to another.
  template <typename Visit>
  static void each_reference(const Object& object, const Visit& visit);

  std::vector<Counted> objects_;
  std::unordered_map<const void*, size_t> index_;
};

}  // namespace mtf::eval
