// data.idx: examples with labels.
#include <cstring>

#include "io/idx.h"
#include "library/batches.h"
#include "library/files.h"
#include "library/functions.h"
#include "plan/runtime.h"
#include "support/text.h"

namespace mtf::library {
namespace {

/// The numbers of the files, shared by all parts of a dataset; empty in a check.
struct Examples {
  std::vector<std::byte> pixels;
  std::vector<std::byte> labels;
  Dims dims;           ///< of one example
  int64_t count = -1;  ///< -1: the files are missing, in a check
};

class Dataset : public ExampleList {
 public:
  Dataset(std::shared_ptr<const Examples> examples, int64_t first, int64_t count)
      : ExampleList(first, count), examples_(std::move(examples)) {}

 private:
  eval::HostValue part(int64_t first, int64_t count) const override {
    return eval::ObjectPtr(std::make_shared<Dataset>(examples_, first, count));
  }

  eval::HostValue batches(eval::Caller& caller, const eval::Bound& call) override {
    if (call.value(0).is_unknown()) return unknown(eval::UnknownKind::kAny);
    const Dim& batch = call.dim(0);
    if (has_dim(examples_->dims, batch.name))
      fail(Kind::dim_twice, call.span(0), "`{}` is a dimension of each example", batch.name.text());
    const auto order = order_of(caller, call.integer(1), count_);
    BatchSource source{"batches of a dataset",
                       batches_in(count_, batch, call),
                       {{ElementType::kF32, examples_->dims}, {ElementType::kI32, {batch}}},
                       {},
                       false,
                       mtf::count_text(count_, "example")};
    source.types[0].dims.insert(source.types[0].dims.begin(), batch);
    source.prepare = [self = std::static_pointer_cast<Dataset>(shared_from_this()), order](
                         int64_t first, Interval rows, std::vector<plan::HostTensor>& tensors) {
      self->prepare(order.get(), first, rows, tensors);
    };
    return batches_of(caller, std::move(source), call.span());
  }

  void prepare(const std::vector<int64_t>* order, int64_t first, Interval rows,
               std::vector<plan::HostTensor>& tensors) const {
    const int64_t size = size_of(examples_->dims);
    auto* pixels = reinterpret_cast<float*>(tensors[0].bytes.data());
    for (int64_t row = rows.first; row < rows.last; ++row) {
      const int64_t place = first + row;
      const int64_t example = first_ + (order ? (*order)[static_cast<size_t>(place)] : place);
      const std::byte* from = examples_->pixels.data() + example * size;
      for (int64_t k = 0; k < size; ++k)
        pixels[row * size + k] = static_cast<float>(std::to_integer<int>(from[k])) / 255.0F;
      ints(tensors[1])[row] = std::to_integer<int32_t>(examples_->labels[static_cast<size_t>(example)]);
    }
  }

  std::shared_ptr<const Examples> examples_;
};

/// data.idx(images, labels, dims)
eval::HostValue idx(eval::Caller& caller, const eval::Bound& call) {
  const std::string paths[2] = {call.text(0), call.text(1)};
  auto examples = std::make_shared<Examples>();
  examples->dims = caller.convert.to_dims(call.value(2), call.span(2));
  io::ArrayHeader headers[2];
  io::StoredArray arrays[2];
  const bool is_there = !may_be_written(caller, paths[0]) && !may_be_written(caller, paths[1]);
  const bool found = is_there && on_rank_0(caller, call.span(), [&] {
                       for (int i = 0; i < 2; ++i) {
                         headers[i] = io::read_idx_header(paths[i]);
                         if (caller.is_abstract()) continue;
                         arrays[i] = io::read_idx(paths[i], memory_for_data(caller));
                       }
                     });
  auto shared = [&](const std::string& bytes) {
    return caller.is_abstract() ? bytes : caller.runtime().broadcast(bytes, call.span());
  };
  if (found) {
    for (int i = 0; i < 2; ++i) {
      std::string head(1, static_cast<char>(headers[i].type));
      head.append(reinterpret_cast<const char*>(headers[i].sizes.data()), headers[i].sizes.size() * 8);
      head = shared(head);
      headers[i].type = static_cast<io::StoredType>(head[0]);
      headers[i].sizes.resize((head.size() - 1) / 8);
      std::memcpy(headers[i].sizes.data(), head.data() + 1, head.size() - 1);
      if (headers[i].type != io::StoredType::kU8) {
        fail(Kind::bad_file_format, call.span(i), "expected u8 numbers, found {} in {}", name(headers[i].type),
             paths[i]);
      }
    }
    std::vector<int64_t> wanted{headers[0].sizes.empty() ? 0 : headers[0].sizes[0]};
    for (const Dim& dim : examples->dims) wanted.push_back(dim.size);
    if (headers[0].sizes != wanted) {
      fail(Kind::file_shape_mismatch, call.span(2), "expected examples of {}, found {} in {}",
           to_string(examples->dims), io::to_text(headers[0].sizes), paths[0]);
    }
    if (headers[1].sizes != std::vector<int64_t>{wanted[0]}) {
      fail(Kind::file_shape_mismatch, call.span(1), "expected {} labels, as many as images, found {} in {}", wanted[0],
           io::to_text(headers[1].sizes), paths[1]);
    }
    examples->count = wanted[0];
    if (!caller.is_abstract()) {
      for (int i = 0; i < 2; ++i) {
        auto& to = i == 0 ? examples->pixels : examples->labels;
        to = std::move(arrays[i].bytes);
        broadcast_bytes(caller, to, call.span());
      }
    }
  }
  const int64_t count = examples->count;
  return eval::ObjectPtr(std::make_shared<Dataset>(std::move(examples), 0, count));
}

}  // namespace

std::vector<eval::HostFunction> dataset_functions() {
  return {{"idx(images: string, labels: string, dims: shape) -> value", "", eval::Effects::kReads, idx}};
}

}  // namespace mtf::library
