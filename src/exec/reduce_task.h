#pragma once
// An all_reduce of one array among the ranks of a group.
#include <cstddef>
#include <memory>

#include "exec/combine.h"
#include "exec/reduce_groups.h"
#include "exec/transport.h"

namespace mtf {

/// What is added up, and how.
struct ReduceElements {
  ElementType type;
  Reduction reduction;
  int64_t size() const { return size_of(type); }
};

class ReduceTask {
 public:
  virtual ~ReduceTask() = default;
  virtual int64_t staging_bytes() const = 0;
  /// `own` are the arrays of this rank's terms, one a term, padded to 64 bytes. It may be `result` where there is one.
  virtual void begin(const std::byte* own, std::byte* result, std::byte* staging, int tag, Transport& transport) = 0;
  /// Does what can be done without waiting, or, if `wait`, all; true when all is done.
  virtual bool advance(Transport& transport, bool wait) = 0;
};

/// Of `count` elements. Every rank of the group gets the sum of the group's terms, in their order.
std::unique_ptr<ReduceTask> make_reduce_task(const ReduceGroup& group, ReduceElements elements, int64_t count);

}  // namespace mtf
