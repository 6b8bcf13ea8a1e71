#pragma once
// Trial deletion, as in CPython's collector: finds the objects that nothing outside of a given set holds.
//
// The walk starts at some references and follows the references between objects: scopes, functions, models, instances,
// lists, params and states. For each object it counts all references, and the inside ones: the starting references and
// those from reached objects. An object with more references than inside ones is held from outside, by the evaluator or
// a name. So are all objects that it holds.
#include <memory>
#include <unordered_map>
#include <variant>
#include <vector>

#include "eval/scope.h"

namespace mtf::eval {

class Reached {
 public:
  using Object = std::variant<Scope*, Function*, ModelClass*, Instance*, List*, Variable*>;

  /// Adds a starting reference, which the caller holds.
  template <typename T>
  void from(const std::shared_ptr<T>& reference) {
    reach(reference);
  }
  /// Adds the reference in a value that the caller holds, if the value has one.
  void from(const HostValue& value);
  /// Walks to all reachable objects and finds the objects held from outside. Call it once, after all `from`.
  void decide();

  bool is_held_outside(const void* object) const;
  /// Calls `visit` with every Object.
  template <typename Visit>
  void each(const Visit& visit) const {
    for (const Counted& object : objects_) visit(object.what);
  }
  /// Calls `visit` with every Object that is not held from outside.
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
  /// Calls `visit` with each shared pointer from an object to another object.
  template <typename Visit>
  static void each_reference(const Object& object, const Visit& visit);

  std::vector<Counted> objects_;
  std::unordered_map<const void*, size_t> index_;
};

}  // namespace mtf::eval
