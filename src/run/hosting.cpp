#include "run/hosting.h"

#include "support/diagnostics.h"
#include "support/text.h"

namespace mtf::run {

Hosting::Hosting(MeshPtr mesh, int rank, int ranks, const Placement& placement)
    : mesh_(std::move(mesh)), rank_(rank), ranks_(ranks), share_(mesh_->size() / ranks), more_(mesh_->size() % ranks) {
  if (share_ + (more_ > 0) > kMostHosted)
    fail(Diagnostic(
             Kind::limit_exceeded, {},
             fmt::format("{} has {} processors, each of the {} would host up to {}: the most is {}", to_string(*mesh_),
                         mesh_->size(), count_text(ranks, "rank"), share_ + (more_ > 0), kMostHosted))
             .help("`mtf plan` says what it would cost on a mesh of any size"));
  placement_ = placement.on(*mesh_);
  seats_.resize(placement_.size());
  for (size_t seat = 0; seat < placement_.size(); ++seat)
    seats_[static_cast<size_t>(placement_[seat])] = static_cast<int64_t>(seat);
  for (int64_t processor : processors(rank)) coordinates_.push_back(mesh_->coordinates(processor));
}

Hosting::Hosting(const Hosting& around, MeshPtr mesh, int64_t coordinate, const std::function<bool(int64_t)>& has)
    : around_(&around),
      has_(has),
      coordinate_(coordinate),
      mesh_(std::move(mesh)),
      rank_(around.rank()),
      ranks_(around.ranks()) {
  for (int64_t processor : processors(rank_)) coordinates_.push_back(mesh_->coordinates(processor));
}

const std::vector<int64_t>& Hosting::processors(int rank) const {
  auto [at, is_new] = hosted_.try_emplace(rank);
  if (!is_new) return at->second;
  if (around_) {
    for (int64_t processor : around_->processors(rank))
      if (has_(processor)) at->second.push_back(processor * mesh_->axis_size(mesh_->order() - 1) + coordinate_);
    return at->second;
  }
  for (int64_t seat = first_seat(rank); seat < first_seat(rank + 1); ++seat)
    at->second.push_back(placement_.empty() ? seat : placement_[static_cast<size_t>(seat)]);
  return at->second;
}

int Hosting::rank_of_seat(int64_t seat) const {
  const int64_t larger = more_ * (share_ + 1);  // seats of the ranks with one processor more
  return static_cast<int>(seat < larger ? seat / (share_ + 1) : more_ + (seat - larger) / share_);
}

int Hosting::index_of(int64_t processor) const {
  if (around_) {
    const std::vector<int64_t>& all = processors(rank_of(processor));
    return static_cast<int>(std::find(all.begin(), all.end(), processor) - all.begin());
  }
  const int64_t seat = seat_of(processor);
  return static_cast<int>(seat - first_seat(rank_of_seat(seat)));
}

int64_t Hosting::key(int64_t processor, AxisSet axes) const {
  int64_t key = 0;
  for (int a = 0; a < mesh_->order(); ++a)
    if (axes & axis_bit(a)) key += processor / mesh_->stride(a) % mesh_->axis_size(a) * mesh_->stride(a);
  return key;
}

const Hosting::Numbered& Hosting::numbered(int rank, AxisSet axes) const {
  std::unique_ptr<Numbered>& entry = slots_[{rank, axes}];
  if (entry) return *entry;
  entry = std::make_unique<Numbered>();
  const std::vector<int64_t>& processors = this->processors(rank);
  for (size_t i = 0; i < processors.size(); ++i) {
    auto [at, is_new] = entry->by_key.emplace(key(processors[i], axes), entry->slots.count());
    if (is_new) entry->slots.first.push_back(static_cast<int>(i));
    entry->slots.of.push_back(at->second);
  }
  return *entry;
}

const Slots& Hosting::slots(int rank, AxisSet axes) const { return numbered(rank, axes).slots; }

int Hosting::find_slot(int rank, AxisSet axes, int64_t processor) const {
  const Numbered& entry = numbered(rank, axes);
  auto at = entry.by_key.find(key(processor, axes));
  return at == entry.by_key.end() ? -1 : at->second;
}

const Hosting& Hostings::of(const MeshPtr& mesh) {
  std::unique_ptr<Hosting>& hosting = hostings_[mesh.get()];
  if (hosting) return *hosting;
  if (around_) {
    hostings_.erase(mesh.get());
    return around_->of(mesh);
  }
  if (!mesh) {
    auto alone = std::make_shared<Mesh>(Name(""), std::vector<Axis>{{Name("all"), ranks_}});
    hosting = std::make_unique<Hosting>(alone, rank_, ranks_, Placement());
    return *hosting;
  }
  if (mesh->size() < ranks_)
    fail(Diagnostic(Kind::mesh_too_small, {},
                    fmt::format("{} has {} processors, there are {} ranks", to_string(*mesh), mesh->size(), ranks_))
             .help(fmt::format("start it with `mpirun -n {}`, or declare a mesh of at least {} processors",
                               mesh->size(), ranks_)));
  hosting = std::make_unique<Hosting>(mesh, rank_, ranks_, placement_);
  return *hosting;
}

}  // namespace mtf::run
