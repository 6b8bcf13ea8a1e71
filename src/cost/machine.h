#pragma once
// A machine model: how fast processors compute, reach their memory and talk to each other. A file describes one:
//
//     {"name": "my cluster",
//      "flops": {"f32": 1.4e12, "bf16": 2.2e13},          flops a second of one processor, by element type
//      "memory_bandwidth": 9e11, "step": 5e-6,            bytes a second; seconds that a kernel takes to begin
//      "memory": 16e9,                                    bytes of one processor; may be left out
//      "latency": 2e-6, "bandwidth": 1.2e10,              of a message; bytes a second that a processor sends
//      "axes": {"cols": {"bandwidth": 1e11}}}             where an axis of the mesh differs
//
// An element type that is not listed computes as f32 does.
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "types/dim.h"
#include "types/mesh.h"

namespace mtf {

struct Link {
  double latency = 2e-6;
  double bandwidth = 1e10;
};

struct Machine {
  std::string name = "1 Tflop/s, 100 GB/s of memory, 10 GB/s between processors";
  std::map<ElementType, double> flops = {{ElementType::kF32, 1e12}};
  double memory_bandwidth = 1e11;
  double step = 1e-6;
  std::optional<int64_t> memory;
  Link link;
  std::map<std::string, Link> axes;

  double flops_of(ElementType element) const;
  /// What a message along all of these axes has: the most latency and the least bandwidth of any.
  Link over(const Mesh& mesh, AxisSet axes) const;
};

/// Reads a model; what it leaves out is as above. Throws a UserError of kind bad_file_format, which names `file`.
Machine parse_machine(const std::string& json, const std::string& file);
std::string to_json(const Machine& machine);

}  // namespace mtf
