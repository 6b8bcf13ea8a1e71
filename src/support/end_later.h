#pragma once
#include <memory>

namespace mtf {

/// Ends an object on another thread, and does not wait for its end. For a large object of a computation that was
/// interrupted: it may take as long to free its memory as the computation took until then. Nobody else may hold any
/// part of it. If several are ending already, or no thread can be started, it ends at once. The process waits for all.
void end_later(std::shared_ptr<void> object);

}  // namespace mtf
