#include "exec/hosting.h"

#include "support/diagnostics.h"

namespace mtf {

Hosting::Hosting(MeshPtr mesh, int rank, int ranks, const std::vector<int64_t>& placement)
    : mesh_(std::move(mesh)), rank_(rank), ranks_(ranks), hosted_(ranks) {
  int64_t size = mesh_->size();
  bool placed = static_cast<int64_t>(placement.size()) == size;
  rank_of_.resize(size);
  index_of_.resize(size);
  int64_t share = size / ranks, more = size % ranks, next = 0;
  for (int r = 0; r < ranks; ++r)
    for (int64_t i = 0, n = share + (r < more); i < n; ++i, ++next) {
      int64_t processor = placed ? placement[next] : next;
      rank_of_[processor] = r;
      index_of_[processor] = static_cast<int>(i);
      hosted_[r].push_back(processor);
    }
  for (int64_t processor : hosted_[rank]) coordinates_.push_back(mesh_->coordinates(processor));
}

int64_t Hosting::key(int64_t processor, AxisSet axes) const {
  int64_t key = 0;
  for (int a = 0; a < mesh_->order(); ++a)
    if (axes & axis_bit(a)) key += processor / mesh_->stride(a) % mesh_->axis_size(a) * mesh_->stride(a);
  return key;
}

const Hosting::Numbered& Hosting::numbered(int rank, AxisSet axes) const {
  std::unique_ptr<Numbered>& entry = places_[{rank, axes}];
  if (entry) return *entry;
  entry = std::make_unique<Numbered>();
  const std::vector<int64_t>& processors = hosted_[rank];
  for (size_t i = 0; i < processors.size(); ++i) {
    auto [at, is_new] = entry->by_key.emplace(key(processors[i], axes), entry->places.count());
    if (is_new) entry->places.first.push_back(static_cast<int>(i));
    entry->places.of.push_back(at->second);
  }
  return *entry;
}

const Places& Hosting::places(int rank, AxisSet axes) const { return numbered(rank, axes).places; }

int Hosting::find_place(int rank, AxisSet axes, int64_t processor) const {
  const Numbered& entry = numbered(rank, axes);
  auto at = entry.by_key.find(key(processor, axes));
  return at == entry.by_key.end() ? -1 : at->second;
}

const Hosting& Hostings::of(const MeshPtr& mesh) {
  std::unique_ptr<Hosting>& hosting = hostings_[mesh.get()];
  if (hosting) return *hosting;
  if (!mesh) {
    auto alone = std::make_shared<Mesh>(Name(""), std::vector<Axis>{{Name("all"), ranks_}});
    hosting = std::make_unique<Hosting>(alone, rank_, ranks_, std::vector<int64_t>{});
    return *hosting;
  }
  if (mesh->size() < ranks_)
    fail(Diagnostic(Kind::mesh_too_small, {}, fmt::format("{} has {} processors, there are {} ranks", to_string(*mesh),
                                                          mesh->size(), ranks_))
             .help(fmt::format("start it with `mpirun -n {}`, or declare a mesh of at least {} processors", mesh->size(), ranks_)));
  hosting = std::make_unique<Hosting>(mesh, rank_, ranks_, placement_);
  return *hosting;
}

}  // namespace mtf
