#pragma once
// A machine model: the speed of processors, of their memory and of messages. `mtf calibrate` measures a model. For
// another machine a person writes the file:
//
//     {"name": "my cluster", "like": "h100",              all that is left out is as of another machine
//      "flops": {"f32": 1.4e12, "bf16": 2.2e13},          flops a second of one processor, by element type
//      "rates": {"elementwise": {"f32": 2e11},            flops a second of other kinds than products, and of
//                "reduction": {"f32": 1e11},              operations by name; for random numbers and `moving`
//                "tanh": {"f32": 4e10}},                  elements: elements a second
//      "narrow": 32,                                      a shorter side of a product takes as long as this one
//      "ramp": 200,                                       and as long as with so many more terms in its sums
//      "unaligned": 3.5,                                  so many times as long, if rows of a matrix are not whole
//                                                         units of 16 bytes, as its kernel loads them
//      "memory_bandwidth": 9e11, "step": 5e-6,            bytes a second; seconds to start a kernel
//      "host": 2e-6,                                      seconds of the host for each run of a plan
//      "cache": 4e6, "cache_bandwidth": 4e12,             bytes a second for the first `cache` bytes of a kernel
//      "memory": 16e9,                                    bytes of one processor
//      "latency": 2e-6, "bandwidth": 1.2e10,              seconds of a message; bytes a second of a processor
//      "fuses": false,                                    each element-wise operation is a kernel of its own
//      "stores_scores": true,                             attention is products, a softmax and kernels for dropout
//      "node": 8,                                         processors in a node; then the two figures above are
//      "between": {"latency": 5e-6, "bandwidth": 5e10},   for messages in a node, and these for others
//      "peak": {"bf16": 3.1e13},                          flops a second of the data sheet, for the share of the peak
//      "overlap": 0.8,                                    the part of a collective that overlaps with computing
//      "collectives": {"all_to_all": {"latency": 9e-6}},  for one kind of collective
//      "axes": {"cols": {"bandwidth": 1e11}},             for one axis of the mesh
//      "sources": {"memory": "data sheet"}}               for people: where the figures come from
//
// Every part may be left out. An element type that is not listed is as fast as f32. A kind of operation that is not
// listed is as fast as products. Without `overlap` a processor computes nothing during a collective. Consecutive
// processors of the mesh share a node; the last axis is the fastest to change.
//
// The files of well-known machines are part of the library (stdlib/machines).
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

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
  double ramp = 0;
  double unaligned = 1;  ///< at least 1
  double memory_bandwidth = 1e11;
  double cache = 0;
  double cache_bandwidth = 0;
  double step = 1e-6;
  double host = 0;
  double overlap = 0;          ///< from 0 to 1
  bool fuses = true;           ///< false: each element-wise operation is a kernel of its own
  bool stores_scores = false;  ///< attention is several kernels, which store its scores in memory
  std::optional<int64_t> memory;
  Link link;                                   ///< between processors, or those of one node
  int64_t node = 0;                            ///< processors of a node; 0: all processors have the same link
  Link between;                                ///< between nodes, for one processor of each
  Rates peak;                                  ///< of the data sheet; empty: `flops`
  std::map<std::string, std::string> sources;  ///< by the names of the parts
  std::map<spmd::CollectiveKind, Link> collectives;
  std::map<std::string, Link> axes;

  /// Returns the flops a second of products.
  double flops_of(ElementType element) const { return rate(flops, element); }
  /// Returns the flops a second that the data sheet promises for products.
  double peak_of(ElementType element) const { return rate(peak.empty() ? flops : peak, element); }
  /// Returns the rate of an operation, or of its kind if the operation is not listed; nothing if neither is.
  std::optional<double> rate_of(const std::string& operation, const std::string& kind, ElementType element) const;
  /// Returns latency and bandwidth of a collective along all of these axes: the worst values of any of them. Where a
  /// group has several processors in each of several nodes, they send between the nodes side by side.
  Link over(const Mesh& mesh, AxisSet axes, spmd::CollectiveKind kind) const;

 private:
  /// Returns the link of a group of processors, of which `together` share each node.
  Link between_nodes(const Link& inside, spmd::CollectiveKind kind, int64_t group, int64_t together) const;
  static double rate(const Rates& rates, ElementType element);
};

/// Reads a model. Parts that are left out keep their defaults. Throws a UserError of kind bad_file_format, which names
/// `file`.
MachineModel parse_machine(const std::string& json, const std::string& file);
std::string to_json(const MachineModel& machine);

/// The names of the machines of the library, sorted: `h100`.
std::vector<std::string> known_machines();
/// Reads the machine of the library with this name, or a file. Throws a UserError that names the known machines if
/// there is neither.
MachineModel read_machine(const std::string& name);
/// Returns the file of a machine of the library, or nothing if there is none with this name.
std::optional<std::string> known_machine_text(const std::string& name);

}  // namespace mtf::cost
