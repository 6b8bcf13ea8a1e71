#pragma once
// A machine model: the speed of processors, of their memory and of messages. `mtf calibrate` measures a model. For
// another machine a person writes the file:
//
//     {"name": "my cluster",
//      "flops": {"f32": 1.4e12, "bf16": 2.2e13},          flops a second of one processor, by element type
//      "rates": {"elementwise": {"f32": 2e11},            flops a second of other kinds than products, and of
//                "reduction": {"f32": 1e11},              operations by name; for random numbers and `moving`
//                "tanh": {"f32": 4e10}},                  elements: elements a second
//      "narrow": 32,                                      a shorter side of a product takes as long as this one
//      "memory_bandwidth": 9e11, "step": 5e-6,            bytes a second; seconds to start a kernel
//      "cache": 4e6, "cache_bandwidth": 4e12,             bytes a second for the first `cache` bytes of a kernel
//      "memory": 16e9,                                    bytes of one processor
//      "latency": 2e-6, "bandwidth": 1.2e10,              seconds of a message; bytes a second of a processor
//      "overlap": 0.8,                                    the part of a collective that overlaps with computing
//      "collectives": {"all_to_all": {"latency": 9e-6}},  for one kind of collective
//      "axes": {"cols": {"bandwidth": 1e11}}}             for one axis of the mesh
//
// Every part may be left out. An element type that is not listed is as fast as f32. A kind of operation that is not
// listed is as fast as products. Without `overlap` a processor computes nothing during a collective.
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
  std::map<std::string, Rates> rates;  ///< for `elementwise`, `reduction`, `moving`, and operation names
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

  /// Returns the flops a second of products.
  double flops_of(ElementType element) const { return rate(flops, element); }
  /// Returns the rate of an operation, or of its kind if the operation is not listed; nothing if neither is.
  std::optional<double> rate_of(const std::string& operation, const std::string& kind, ElementType element) const;
  /// Returns latency and bandwidth of a message along all of these axes: the worst values of any of them.
  Link over(const Mesh& mesh, AxisSet axes, spmd::CollectiveKind kind) const;

 private:
  static double rate(const Rates& rates, ElementType element);
};

/// Reads a model. Parts that are left out keep their defaults. Throws a UserError of kind bad_file_format, which names
/// `file`.
MachineModel parse_machine(const std::string& json, const std::string& file);
std::string to_json(const MachineModel& machine);

}  // namespace mtf::cost
