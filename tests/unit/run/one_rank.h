#pragma once
// For tests of frames and executors: a machine of one rank without MPI, and schedules from texts of the local program.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "plan/compilation.h"
#include "run/hosting.h"
#include "run/step_executor.h"
#include "types/text_reader.h"

namespace mtf::run {

/// Gives the loops in a program's loops the meshes around them; in a text each body declares its own.
inline void share_meshes(schedule::Schedule& schedule) {
  for (schedule::Step& step : schedule.steps) {
    if (!step.iteration) continue;
    for (schedule::Step& inner : step.iteration->steps)
      if (inner.iteration)
        for (spmd::LocalValue& value : inner.iteration->program.values)
          value.mesh = step.iteration->program.values[0].mesh;
    share_meshes(*step.iteration);
  }
}

/// Compiles a program as `mtf trace --stage split` prints it.
inline std::shared_ptr<const schedule::Schedule> schedule_of_text(const std::string& text) {
  const auto file = SourceFile::create("text", "after split\n" + text);
  TextReader reader(*file);
  reader.next_line();
  plan::PassOptions options;
  options.verify = true;
  plan::Compilation compilation = plan::Compilation::read(reader, options);
  compilation.run();
  share_meshes(compilation.schedule);
  return std::make_shared<const schedule::Schedule>(std::move(compilation.schedule));
}

struct OneRank {
  Transport transport{false, false};
  Hostings hostings{0, 1, {}};
  kernels::Threads threads{1};
  SharedMemory shared{transport};
  Machine machine{hostings, transport, threads, std::make_shared<MemoryPool>(), shared};

  /// Returns an input with the same block on each processor: numbers that grow by one.
  std::shared_ptr<plan::Tensor> counting(const Frame& frame, int value, float first) {
    const spmd::LocalValue& of = frame.value(value);
    auto tensor = std::make_shared<plan::Tensor>(plan::Tensor{of.type(), of.mesh, of.sharding(), of.order, {}, {}});
    const int64_t bytes = frame.most_bytes(value);
    tensor->storage = machine.pool->allocate(bytes * frame.slots(value).count(), bytes);
    for (int slot : frame.slots(value).of) {
      std::byte* const block = tensor->storage->data() + slot * bytes;
      for (int64_t i = 0; i < bytes / 4; ++i) {
        const float number = first + static_cast<float>(i);
        std::memcpy(block + i * 4, &number, 4);
      }
      tensor->blocks.push_back(block);
    }
    return tensor;
  }

  /// Runs a program of f32 values. Input i of every processor counts from `firsts[i]`. Returns the first output of
  /// processor 0.
  std::vector<float> run(StepExecutor& steps, const std::vector<float>& firsts) {
    Frame& frame = steps.frame();
    plan::PlanInputs inputs;
    std::vector<std::shared_ptr<plan::Tensor>> tensors;
    for (size_t i = 0; i < firsts.size(); ++i) {
      tensors.push_back(counting(frame, frame.program().inputs[i], firsts[i]));
      inputs.values.push_back({tensors.back().get(), 0});
    }
    frame.fit_arena(machine);
    const auto storages = frame.place_ends(machine, inputs.values, {});
    steps.run(inputs, 0);
    const std::shared_ptr<plan::Tensor> output = frame.outputs(storages)[0];
    std::vector<float> numbers(static_cast<size_t>(frame.most_bytes(frame.program().outputs[0][0]) / 4));
    std::memcpy(numbers.data(), output->blocks[0], numbers.size() * 4);
    return numbers;
  }
};

}  // namespace mtf::run
