#pragma once
// Hosting: the assignment of processors to ranks, and the distinct blocks of each rank.
//
// Each rank hosts consecutive processors. If the division has a remainder, the first ranks host one more. On a mesh of
// 6 processors and 4 ranks: rank 0: 0 1   rank 1: 2 3   rank 2: 4   rank 3: 5. A placement puts other
// processors in these places (types/placement.h).
//
// A value that varies over some axes has one block for each combination of coordinates along these axes. Processors
// that differ only along other axes hold replicas, and share one block on their rank. A *slot* is one distinct block
// of a rank. Slots are numbered by their first hosted processor.
//
//   mesh rows:2;cols:2, one rank, a value that varies over cols:
//     processor  (0,0) (0,1) (1,0) (1,1)
//     slot        0     1     0     1
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "types/mesh.h"
#include "types/placement.h"

namespace mtf::run {

/// The slots of one rank's processors along some axes.
struct Slots {
  std::vector<int> of;     ///< for each hosted processor: its slot
  std::vector<int> first;  ///< for each slot: the index of its first hosted processor on the rank
  int count() const { return static_cast<int>(first.size()); }
};

/// The most processors that one rank hosts.
inline constexpr int64_t kMostHosted = int64_t{1} << 20;

/// The hosting of a mesh as one rank sees it. Its memory grows with the processors of this rank. Data of other ranks is
/// computed when it is asked for.
class Hosting {
 public:
  /// Fails (limit_exceeded) if a rank would host more than kMostHosted processors.
  Hosting(MeshPtr mesh, int rank, int ranks, const Placement& placement);
  /// The hosting of some processors of `around`, on a mesh with one more axis, which comes last. All of them have
  /// `coordinate` along the last axis.
  Hosting(const Hosting& around, MeshPtr mesh, int64_t coordinate, const std::function<bool(int64_t processor)>& has);

  const MeshPtr& mesh() const { return mesh_; }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  /// The processors of a rank, in its order.
  const std::vector<int64_t>& processors(int rank) const;
  const std::vector<int64_t>& processors() const { return processors(rank_); }
  const std::vector<Coordinates>& coordinates() const { return coordinates_; }
  int rank_of(int64_t processor) const {
    return around_ ? around_->rank_of(of_around(processor)) : rank_of_seat(seat_of(processor));
  }
  /// Returns the numbers that this rank's processors have in the enclosing hosting.
  std::shared_ptr<const std::vector<int64_t>> of_around() const {
    auto all = std::make_shared<std::vector<int64_t>>();
    for (const int64_t processor : processors()) all->push_back(of_around(processor));
    return all;
  }
  /// Returns the index of a processor in its rank's list.
  int index_of(int64_t processor) const;
  /// Returns the slots of a rank's processors along `axes`. The result is cached.
  const Slots& slots(int rank, AxisSet axes) const;
  const Slots& slots(AxisSet axes) const { return slots(rank_, axes); }
  /// Returns the slot of `rank` that holds the same block as `processor` for values that vary over `axes`; -1 if there
  /// is none.
  int find_slot(int rank, AxisSet axes, int64_t processor) const;

 private:
  int64_t key(int64_t processor, AxisSet axes) const;
  // Ranks have consecutive seats. A placement assigns processors to seats.
  int64_t first_seat(int64_t rank) const { return rank * share_ + std::min(rank, more_); }
  int64_t seat_of(int64_t processor) const {
    return seats_.empty() ? processor : seats_[static_cast<size_t>(processor)];
  }
  int rank_of_seat(int64_t seat) const;
  int64_t of_around(int64_t processor) const { return processor / mesh_->axis_size(mesh_->order() - 1); }

  const Hosting* around_ = nullptr;
  std::function<bool(int64_t)> has_;  // selects processors of `around_`
  int64_t coordinate_ = 0;            // the coordinate along the last axis
  MeshPtr mesh_;
  int rank_;
  int ranks_;
  int64_t share_ = 0, more_ = 0;    // a rank hosts share_ processors, and each of the first more_ ranks one more
  std::vector<int64_t> placement_;  // the processor on each seat, and the seat of each processor; empty: in order
  std::vector<int64_t> seats_;
  std::vector<Coordinates> coordinates_;
  mutable std::map<int, std::vector<int64_t>> hosted_;
  struct Numbered {
    Slots slots;
    std::map<int64_t, int> by_key;
  };
  mutable std::map<std::pair<int, AxisSet>, std::unique_ptr<Numbered>> slots_;
  const Numbered& numbered(int rank, AxisSet axes) const;
};

/// The hostings of all meshes of a run. Fails (mesh_too_small) if a mesh has fewer processors than there are ranks.
class Hostings {
 public:
  Hostings(int rank, int ranks, Placement placement) : rank_(rank), ranks_(ranks), placement_(std::move(placement)) {}
  /// Extends `around` by one hosting.
  Hostings(Hostings& around, std::unique_ptr<Hosting> more) : around_(&around), some_(more->of_around()) {
    const Mesh* const mesh = more->mesh().get();
    hostings_[mesh] = std::move(more);
  }
  /// A null mesh has one processor on every rank.
  const Hosting& of(const MeshPtr& mesh);
  /// The processors of the additional hosting, by their numbers in `around`; null: there is none.
  const std::shared_ptr<const std::vector<int64_t>>& some() const { return some_; }

 private:
  Hostings* around_ = nullptr;
  std::shared_ptr<const std::vector<int64_t>> some_ = nullptr;
  int rank_ = 0;
  int ranks_ = 1;
  Placement placement_ = {};
  std::map<const Mesh*, std::unique_ptr<Hosting>> hostings_;
};

}  // namespace mtf::run
