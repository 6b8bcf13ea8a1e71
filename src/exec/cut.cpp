#include "exec/cut.h"

#include <algorithm>
#include <bit>
#include <map>
#include <string_view>
#include <unordered_map>

#include "ops/op.h"

namespace mtf {
namespace {

/// Two independent mixes of a stream of numbers.
class Hasher {
 public:
  void add(uint64_t x) {
    a_ = (std::rotl(a_, 27) ^ x) * 0x9e3779b97f4a7c15u;
    b_ = (std::rotl(b_, 31) + x) * 0xc2b2ae3d27d4eb4fu;
    b_ ^= b_ >> 29;
  }
  void add(std::string_view text) {
    uint64_t h = 0xcbf29ce484222325u;
    for (char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    add(h);
  }
  void add(const Dim& dim) {
    add(dim.name.text());
    add(static_cast<uint64_t>(dim.size));
  }
  void add(const AxisList& axes) {
    uint64_t x = 1;
    for (int axis : axes) x = x * 16 + static_cast<uint64_t>(axis);
    add(x);
  }
  void add(const Sharding& sharding) {
    for (const AxisList& axes : sharding.dims) add(axes);
    add(sharding.partial);
  }
  void add(const TensorType& type) {
    add(static_cast<uint64_t>(type.element));
    add(type.dims.size());
    for (const Dim& dim : type.dims) add(dim);
  }
  PlanKey key() const {
    uint64_t a = a_, b = b_;
    for (uint64_t* x : {&a, &b}) {
      *x ^= *x >> 32;
      *x *= 0xd6e8feb86659fd93u;
      *x ^= *x >> 32;
    }
    return {a, b};
  }

 private:
  uint64_t a_ = 0x243f6a8885a308d3u, b_ = 0x13198a2e03707344u;
};

class Numberer {
 public:
  explicit Numberer(Cut& cut) : cut_(cut) {}

  void run(const Values& roots) {
    for (size_t i = 0; i < cut_.nodes.size(); ++i) place_[cut_.nodes[i].get()] = static_cast<int>(i);
    for (const NodePtr& node : cut_.nodes) add(*node);
    for (Leaf& leaf : cut_.leaves) leaf.dies = dies(leaf.value);
    for (const Leaf& leaf : cut_.leaves) {
      const Tensor& tensor = *leaf.value.node->computed[leaf.value.result];
      hash_.add(leaf.value.type());
      hash_.add(tensor.sharding);
      for (int8_t d : tensor.order) hash_.add(static_cast<uint64_t>(d));
      add_mesh(leaf.value.node->mesh);
      hash_.add(leaf.dies);
    }
    for (const Value& root : roots) add_value(root);
    cut_.key = hash_.key();
  }

 private:
  using Key = std::pair<const Node*, int>;
  struct KeyHash {
    size_t operator()(const Key& key) const { return std::hash<const void*>()(key.first) + static_cast<size_t>(key.second) * 0x9e3779b9; }
  };

  void add(const Node& node) {
    hash_.add(node.op->name);
    const Attributes& attributes = node.attributes;
    hash_.add(attributes.dims.size());
    for (const Dim& dim : attributes.dims) hash_.add(dim);
    hash_.add(attributes.ints.size());
    for (int64_t x : attributes.ints) hash_.add(static_cast<uint64_t>(x));
    hash_.add(static_cast<uint64_t>(attributes.element));
    hash_.add(node.operands.size());
    for (const Value& operand : node.operands) add_value(operand);
    for (size_t r = 0; r < node.types.size(); ++r) {
      hash_.add(node.types[r]);
      hash_.add(node.shardings[r]);
    }
    add_mesh(node.mesh);
    if (node.replica != 0) hash_.add(static_cast<uint64_t>(replicas_.emplace(node.replica, replicas_.size() + 1).first->second));
    if (!node.inputs.empty()) {
      std::vector<uint64_t> bits;
      for (double x : node.inputs) bits.push_back(std::bit_cast<uint64_t>(x));
      if (node.op->expand != nullptr)
        for (uint64_t x : bits) hash_.add(x);
      hash_.add(static_cast<uint64_t>(numbers_.emplace(std::pair(node.op, std::move(bits)), numbers_.size() + 1).first->second));
    }
  }

  void add_value(const Value& value) {
    auto at = value.node->is_computed(value.result) ? place_.end() : place_.find(value.node.get());
    if (at != place_.end()) {
      hash_.add(static_cast<uint64_t>(at->second) * 8 + static_cast<uint64_t>(value.result) * 2);
      return;
    }
    auto [leaf, is_new] = leaf_.emplace(Key{value.node.get(), value.result}, cut_.leaves.size());
    if (is_new) cut_.leaves.push_back({value, false});
    ++edges_[value.node.get()];
    hash_.add(leaf->second * 2 + 1);
  }

  void add_mesh(const MeshPtr& mesh) {
    auto [at, is_new] = meshes_.emplace(mesh.get(), meshes_.size());
    hash_.add(at->second);
    if (!is_new || !mesh) return;
    hash_.add(mesh->name().text());
    for (const Axis& axis : mesh->axes()) {
      hash_.add(axis.name.text());
      hash_.add(static_cast<uint64_t>(axis.size));
    }
  }

  bool dies(const Value& leaf) const {
    const Node& node = *leaf.node;
    if (!node.superseded.is_known() || node.computed.size() != 1) return false;
    // The cut's nodes hold it once an operand, the list of leaves once.
    long held = static_cast<long>(edges_.at(&node)) + 1;
    return leaf.node.use_count() == held && node.computed[0].use_count() == 1 &&
           node.computed[0]->storage.use_count() == 1;
  }

  Cut& cut_;
  Hasher hash_;
  std::unordered_map<const Node*, int> place_;
  std::unordered_map<Key, size_t, KeyHash> leaf_;
  std::unordered_map<const Node*, int> edges_;
  std::unordered_map<const Mesh*, size_t> meshes_;
  std::unordered_map<int64_t, size_t> replicas_;
  std::map<std::pair<const Op*, std::vector<uint64_t>>, size_t> numbers_;  // by their bits
};

}  // namespace

Cut cut(const Values& roots) {
  Cut result;
  result.nodes = pending(roots);
  Numberer(result).run(roots);
  return result;
}

PlanKey key_of(std::string_view text) {
  Hasher hasher;
  hasher.add(text);
  return hasher.key();
}

}  // namespace mtf
