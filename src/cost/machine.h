#pragma once
// A machine model: how fast processors compute, reach their memory and talk to each other. `mtf calibrate` measures
// one; for another machine a person writes the file:
//
//     {"name": "my cluster",
//      "flops": {"f32": 1.4e12, "bf16": 2.2e13},          flops a second of one processor, by element type
//      "rates": {"elementwise": {"f32": 2e11},            the same of other kinds of operations than products, and of
//                "reduction": {"f32": 1e11},              single ones by their names; of random numbers and `moving`
//                "tanh": {"f32": 4e10}},                  elements: elements a second
//      "narrow": 32,                                      a product with a shorter side takes as long as with this one
//      "memory_bandwidth": 9e11, "step": 5e-6,            bytes a second; seconds that a kernel takes to begin
//      "cache": 4e6, "cache_bandwidth": 4e12,             of the first `cache` bytes that a kernel touches
//      "memory": 16e9,                                    bytes of one processor
//      "latency": 2e-6, "bandwidth": 1.2e10,              of a message; bytes a second that a processor sends
//      "overlap": 0.8,                                    of a collective, the part that goes on beside computing
//      "collectives": {"all_to_all": {"latency": 9e-6}},  where a kind of collective differs
//      "axes": {"cols": {"bandwidth": 1e11}}}             where an axis of the mesh differs
//
// All of it may be left out. An element type that is not listed computes as f32 does, a kind of operation that is not
// listed as products do. Without `overlap` processors move what they communicate themselves, and compute nothing
// meanwhile.
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "spmd/collective_kind.h"
#include "types/dim.h"
#include "types/mesh.h"

namespace mtf::cost {

struct Link {
  double latency = 2e-6;
  double bandwidth = 1e10;
};

/// Flops a second, by element type.
using Rates = std::map<ElementType, double>;

struct MachineModel {
  std::string name = "1 Tflop/s, 100 GB/s of memory, 10 GB/s between processors";
  Rates flops = {{ElementType::kF32, 1e12}};
  std::map<std::string, Rates> rates;  ///< of `elementwise`, `reduction`, `moving`, and of operations by name
  double narrow = 0;
  double memory_bandwidth = 1e11;
  double cache = 0;
  double cache_bandwidth = 0;
  double step = 1e-6;
  double overlap = 0;  ///< from 0 to 1
  std::optional<int64_t> memory;
  Link link;
  std::map<spmd::CollectiveKind, Link> collectives;
  std::map<std::string, Link> axes;

  /// Of products.
  double flops_of(ElementType element) const { return rate(flops, element); }
  /// Of an operation, or, where that is not listed, of its kind; nothing if neither is.
  std::optional<double> rate_of(const std::string& operation, const std::string& kind, ElementType element) const;
  /// What a message of such a collective along all of these axes has: the most latency and the least bandwidth of any.
  Link over(const Mesh& mesh, AxisSet axes, spmd::CollectiveKind kind) const;

 private:
  static double rate(const Rates& rates, ElementType element);
};

/// Reads a model; what it leaves out is as above. Throws a UserError of kind bad_file_format, which names `file`.
MachineModel parse_machine(const std::string& json, const std::string& file);
std::string to_json(const MachineModel& machine);

}  // namespace mtf::cost
