// A convolution and the gradient of its window on blocks with any order of dims.
//
// Each dim that is not spatial is one of:
//   *batch*    in input and output
//   *group*    in input, output and window
//   *input*    channels, in the window and the input
//   *output*   channels, in the window and the output
//
// Dims of a kind that are adjacent in all tensors are joined. If some are not adjacent, the kernel walks all but the
// largest, and computes one convolution at each position. Summed dims that are not adjacent are made so by a copy.
#include <algorithm>
#include <array>

#include "graph/op.h"
#include "kernels/kernel_table.h"
#include "kernels/scratch.h"
#include "ops/blocks.h"
#include "ops/convolution.h"

namespace mtf::ops {
namespace {

/// The tensors of a convolution.
enum Side : size_t { kOfInput, kOfOutput, kOfWindow, kSides };

/// Joined dims: one size, and one stride in each side; 0 if the side lacks the dims.
struct Together {
  int64_t size = 1;
  std::array<int64_t, kSides> strides{};
};

/// A dim by name that is not spatial.
struct Label {
  Name name;
  std::array<bool, kSides> in{};
  Together here;
};

class BlockConvolution {
 public:
  /// `summed` is the side that is computed.
  BlockConvolution(graph::KernelCall& call, Side summed)
      : call_(call), made_(call.operation.attributes.get<ConvolutionAttributes>()), result_(summed) {
    const graph::Operation& operation = call.operation;
    if (result_ == kOfWindow) {
      add(kOfOutput, call.operands[0], operation.operands[0].dims);
      add(kOfInput, call.operands[1], operation.operands[1].dims);
      add(kOfWindow, call.results[0], operation.results[0].dims);
    } else {
      add(result_ == kOfInput ? kOfOutput : kOfInput, call.operands[0], operation.operands[0].dims);
      add(kOfWindow, call.operands[1], operation.operands[1].dims);
      add(result_, call.results[0], operation.results[0].dims);
    }
  }

  void run() {
    call_.flops += 2 * points_read(call_);
    if (kind(of_summed()).size() > 1)
      for (size_t side = 0; side < kSides; ++side)
        if (side != result_) pack(static_cast<Side>(side));
    std::vector<Together> walked;
    const Together batch = largest(kind({true, true, false}), walked),
                   groups = largest(kind({true, true, true}), walked),
                   inputs = largest(kind({true, false, true}), walked),
                   outputs = largest(kind({false, true, true}), walked);
    std::vector<kernels::ConvolutionDim> dims;
    for (size_t d = 0; d < made_.over.size(); ++d)
      dims.push_back(convolution_dim(made_.along(d), space_[kOfInput][d], space_[kOfOutput][d], taps_[d].stride));
    kernels::Convolution all;
    all.batch = batch.size, all.groups = groups.size, all.inputs = inputs.size, all.outputs = outputs.size;
    all.dims = dims;
    all.input = {element_[kOfInput], data_[kOfInput], batch.strides[kOfInput], inputs.strides[kOfInput],
                 groups.strides[kOfInput]};
    all.output = {element_[kOfOutput], data_[kOfOutput], batch.strides[kOfOutput], outputs.strides[kOfOutput],
                  groups.strides[kOfOutput]};
    all.window = {element_[kOfWindow], data_[kOfWindow], inputs.strides[kOfWindow], outputs.strides[kOfWindow],
                  groups.strides[kOfWindow]};
    all.progress = call_.progress;
    Walk<kSides> walk;
    for (const Together& each : walked) walk.add(each.size, each.strides);
    walk.seek(0);
    for (int64_t position = 0; position < walk.count(); ++position, walk.next()) compute(all, walk);
  }

 private:
  void add(Side side, const kernels::Block& block, const Dims& dims) {
    element_[side] = block.element;
    data_[side] = static_cast<char*>(block.data);
    space_[side].resize(made_.over.size());
    taps_.resize(made_.over.size());
    for (size_t i = 0; i < dims.size(); ++i) {
      const auto d =
          static_cast<size_t>(std::find(made_.over.begin(), made_.over.end(), dims[i].name) - made_.over.begin());
      const int tap = side == kOfWindow ? find_dim(made_.window, dims[i].name) : -1;
      if (tap >= 0) {
        taps_[static_cast<size_t>(tap)] = block.dims[i];
      } else if (d < made_.over.size()) {
        space_[side][d] = block.dims[i];
      } else {
        auto label =
            std::find_if(labels_.begin(), labels_.end(), [&](const Label& l) { return l.name == dims[i].name; });
        if (label == labels_.end()) label = labels_.insert(label, Label{dims[i].name, {}, {}});
        label->in[side] = true;
        label->here.size = block.dims[i].size;
        label->here.strides[side] = block.dims[i].stride;
      }
    }
  }

  /// The tensors that have the summed dims.
  std::array<bool, kSides> of_summed() const {
    std::array<bool, kSides> in{true, true, true};
    in[result_] = false;
    return in;
  }

  /// The dims that exactly these tensors have, outermost first, joined if they are adjacent in all of them.
  std::vector<Together> kind(const std::array<bool, kSides>& in) const {
    std::vector<Together> list;
    for (const Label& label : labels_)
      if (label.in == in && label.here.size != 1) list.push_back(label.here);
    for (const Together& each : list)
      if (each.size == 0) return {Together{0, {}}};
    const size_t leading = in[kOfInput] ? kOfInput : kOfOutput;
    std::stable_sort(list.begin(), list.end(),
                     [&](const Together& a, const Together& b) { return a.strides[leading] > b.strides[leading]; });
    std::vector<Together> joined;
    for (const Together& each : list) {
      bool together = !joined.empty();
      for (size_t side = 0; together && side < kSides; ++side)
        together = joined.back().strides[side] == each.strides[side] * each.size;
      if (together) joined.back() = {joined.back().size * each.size, each.strides};
      else joined.push_back(each);
    }
    return joined;
  }

  static Together largest(const std::vector<Together>& list, std::vector<Together>& walked) {
    if (list.empty()) return {};
    const auto most = std::max_element(list.begin(), list.end(),
                                       [](const Together& a, const Together& b) { return a.size < b.size; });
    for (auto each = list.begin(); each != list.end(); ++each)
      if (each != most) walked.push_back(*each);
    return *most;
  }

  /// Copies an operand so that its summed dims are adjacent and innermost.
  void pack(Side side) {
    struct At {
      int64_t size;
      int64_t* stride;
    };
    std::vector<At> dims;  // innermost first
    for (const bool summed : {true, false})
      for (Label& label : labels_)
        if (label.in[side] && (label.in == of_summed()) == summed)
          dims.push_back({label.here.size, &label.here.strides[side]});
    for (kernels::BlockDim& dim : side == kOfWindow ? taps_ : space_[side]) dims.push_back({dim.size, &dim.stride});
    std::vector<int64_t> sizes, from, to;
    int64_t count = 1;
    for (const At& dim : dims) {
      sizes.push_back(dim.size), from.push_back(*dim.stride), to.push_back(count);
      *dim.stride = count;
      count *= dim.size;
    }
    const int bytes = static_cast<int>(size_of(element_[side]));
    char* const packed = static_cast<char*>(packed_[side].at_least(count * bytes));
    kernels::table().copy_block(sizes, bytes, data_[side], from, packed, to);
    data_[side] = packed;
  }

  void compute(kernels::Convolution one, const Walk<kSides>& walk) {
    const auto at = [&](Side side) { return data_[side] + walk.offset(side) * size_of(element_[side]); };
    one.input.data = at(kOfInput), one.output.data = at(kOfOutput), one.window.data = at(kOfWindow);
    switch (result_) {
      case kOfInput: return kernels::table().convolve_input_gradient(one, call_.threads);
      case kOfOutput: return kernels::table().convolve(one, call_.threads);
      default: return kernels::table().convolve_window_gradient(one, call_.threads);
    }
  }

  graph::KernelCall& call_;
  const ConvolutionAttributes& made_;
  const Side result_;
  std::vector<Label> labels_;
  std::array<std::vector<kernels::BlockDim>, kSides> space_;
  std::vector<kernels::BlockDim> taps_;
  std::array<ElementType, kSides> element_{};
  std::array<char*, kSides> data_{};
  std::array<kernels::Scratch, kSides> packed_;
};

}  // namespace

void convolution_kernel(graph::KernelCall& call) {
  const bool transposed = call.operation.attributes.get<ConvolutionAttributes>().transposed;
  BlockConvolution(call, transposed ? kOfInput : kOfOutput).run();
}

void convolution_window_kernel(graph::KernelCall& call) { BlockConvolution(call, kOfWindow).run(); }

}  // namespace mtf::ops
