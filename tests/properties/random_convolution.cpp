#include "random_convolution.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>

#include "generator.h"

namespace mtf::properties {
namespace {

using Along = RandomConvolution::Along;
using Operation = RandomConvolution::Operation;

std::string shape(const std::vector<std::string>& dims) { return fmt::format("[{}]", fmt::join(dims, ", ")); }

int64_t fits(const Along& a, bool transposed) {
  const int64_t reach = (a.taps - 1) * a.dilation + 1;
  if (transposed) {
    const int64_t padded = (a.size - 1) * a.stride + reach - a.before - a.behind;
    return padded < 1 ? 0 : (padded - 1 + a.base - 1) / a.base + 1;
  }
  const int64_t padded = (a.size - 1) * a.base + 1 + a.before + a.behind;
  return padded < reach ? 0 : (padded - reach) / a.stride + 1;
}

void shuffle(std::vector<std::string>& dims, Dice& dice) {
  for (size_t i = dims.size(); i > 1; --i)
    std::swap(dims[i - 1], dims[static_cast<size_t>(dice.below(static_cast<int64_t>(i)))]);
}

template <typename Member>
std::string list(const std::vector<Along>& space, Member member) {
  std::vector<int64_t> numbers;
  for (const Along& along : space) numbers.push_back(along.*member);
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

/// A tensor whose elements are found by the indices of named dims.
struct Indexed {
  std::vector<int64_t> sizes;
  std::vector<size_t> places;  ///< the index of each dim among all indices
  int64_t at(const std::vector<int64_t>& index) const {
    int64_t place = 0;
    for (size_t d = 0; d < sizes.size(); ++d) place = place * sizes[d] + index[places[d]];
    return place;
  }
  int64_t count() const {
    int64_t n = 1;
    for (int64_t size : sizes) n *= size;
    return n;
  }
};

}  // namespace

RandomConvolution random_convolution(uint64_t seed) {
  Dice dice(seed);
  for (;;) {
    RandomConvolution made;
    made.operation = dice.chance(60)
                         ? Operation::kConvolution
                         : dice.pick<Operation>({Operation::kTransposed, Operation::kMaxPool, Operation::kMeanPool});
    const bool pools = made.operation == Operation::kMaxPool || made.operation == Operation::kMeanPool;
    const bool transposed = made.operation == Operation::kTransposed;
    made.counts_padding = made.operation == Operation::kMeanPool && dice.chance(50);
    made.element = dice.chance(50) ? "f32" : "f64";
    const int64_t order = dice.chance(50) ? 1 : dice.between(2, 3);
    bool fit = true;
    for (int64_t d = 0; d < order; ++d) {
      Along along{fmt::format("s{}", d), fmt::format("t{}", d)};
      along.size = dice.between(1, order == 1 ? 23 : order == 2 ? 9 : 5);
      along.taps = dice.between(1, order == 1 ? 9 : 4);
      along.stride = dice.chance(50) ? 1 : dice.between(2, 4);
      along.dilation = dice.chance(60) ? 1 : dice.between(2, 3);
      along.base = pools || dice.chance(60) ? 1 : dice.between(2, 3);
      along.before = dice.between(-1, order == 1 ? 7 : 3);
      along.behind = dice.between(-1, order == 1 ? 7 : 3);
      const int64_t places = fits(along, transposed);
      fit = fit && places >= 1 && places <= 60;
      made.space.push_back(along);
    }
    if (!fit) continue;
    const auto add = [&](const std::string& stem, int64_t most, std::vector<std::vector<std::string>*> to) {
      for (int64_t i = dice.between(0, most); i > 0; --i) {
        const std::string name = fmt::format("{}{}", stem, i);
        made.sizes[name] = dice.between(1, 5);
        for (std::vector<std::string>* dims : to) dims->push_back(name);
      }
    };
    for (const Along& along : made.space) {
      made.x.push_back(along.dim), made.y.push_back(along.dim);
      if (!pools) made.w.push_back(along.tap);
    }
    add("b", 2, {&made.x, &made.y});
    if (!pools) {
      if (dice.chance(30)) add("g", 2, {&made.x, &made.w, &made.y});
      add("i", 2, {&made.x, &made.w});
      add("o", 2, {&made.w, &made.y});
    }
    shuffle(made.x, dice), shuffle(made.w, dice);
    if (pools) made.y = made.x;
    else shuffle(made.y, dice);
    return made;
  }
}

std::vector<std::string> RandomConvolution::dims() const {
  std::vector<std::string> all;
  for (const Along& along : space) all.push_back(along.dim);
  for (const auto& [name, size] : sizes) all.push_back(name);
  return all;
}

Script RandomConvolution::script() const {
  const bool pools = w.empty();
  Script script;
  std::string labels, pad;
  for (const Along& along : space) {
    script.inputs += fmt::format("dim {} = {}\n", along.dim, along.size);
    if (!pools) script.inputs += fmt::format("dim {} = {}\n", along.tap, along.taps);
    labels += fmt::format(", {}: {}", along.dim, pools ? std::to_string(along.taps) : along.tap);
    pad += fmt::format("{}({}, {})", pad.empty() ? "" : ", ", along.before, along.behind);
  }
  for (const auto& [name, size] : sizes) script.inputs += fmt::format("dim {} = {}\n", name, size);
  script.inputs += fmt::format("seed 3\nlet x = random.uniform({}, low: -1, high: 1, {})\n", shape(x), element);
  if (!pools) script.inputs += fmt::format("let w = random.uniform({}, low: -1, high: 1, {})\n", shape(w), element);
  std::string arguments = fmt::format("{}, stride: {}, pad: [{}], dilation: {}", labels, list(space, &Along::stride),
                                      pad, list(space, &Along::dilation));
  if (pools) {
    if (counts_padding) arguments += ", counts_padding: true";
    script.body =
        fmt::format("let y = {}(x{})\n", operation == Operation::kMaxPool ? "max_pool" : "mean_pool", arguments);
  } else {
    script.body = fmt::format("let y = conv(x, w{}, base_dilation: {}{} -> {})\n", arguments, list(space, &Along::base),
                              operation == Operation::kTransposed ? ", transposed: true" : "", shape(y));
  }
  // The greatest element of an empty window is -inf, with a gradient of NaN.
  script.body += operation == Operation::kMaxPool
                     ? "let finite = where(y > -10, y, 0)\nlet loss = sum(finite * (finite + 1))\n"
                     : "let loss = sum(y * (y + 1))\n";
  script.results = {"y", "d_x"};
  if (pools) {
    script.body += "let d_x = grad(loss, [x])[0]\n";
  } else {
    script.body += "let slopes = grad(loss, [x, w])\nlet d_x = slopes[0]\nlet d_w = slopes[1]\n";
    script.results.push_back("d_w");
  }
  return script;
}

std::vector<std::vector<double>> RandomConvolution::plain(const plan::HostTensor& of_x,
                                                          const plan::HostTensor& of_w) const {
  const bool transposed = operation == Operation::kTransposed, pools = w.empty();
  // One index for each dim that is not a dim of space, then for each dim of space the indices of x, of the window, and
  // of y.
  std::vector<std::string> labels;
  std::vector<int64_t> counts;
  for (const auto& [name, size] : sizes) labels.push_back(name), counts.push_back(size);
  const size_t first = labels.size();
  const auto tensor = [&](const std::vector<std::string>& dims, int which) {
    Indexed indexed;
    for (const std::string& dim : dims) {
      size_t place = static_cast<size_t>(std::find(labels.begin(), labels.end(), dim) - labels.begin());
      int64_t size = place < first ? counts[place] : 0;
      for (size_t d = 0; d < space.size(); ++d) {
        if (dim != (which == 1 ? space[d].tap : space[d].dim)) continue;
        place = first + 3 * d + static_cast<size_t>(which);
        size = which == 0 ? space[d].size : which == 1 ? space[d].taps : fits(space[d], transposed);
      }
      indexed.sizes.push_back(size), indexed.places.push_back(place);
    }
    return indexed;
  };
  const Indexed in = tensor(x, 0), window = tensor(w, 1), out = tensor(y, 2);
  std::vector<double> values(static_cast<size_t>(out.count())), met(values.size(), 0),
      d_x(static_cast<size_t>(in.count())), d_w(static_cast<size_t>(window.count()));
  if (operation == Operation::kMaxPool) std::fill(values.begin(), values.end(), -INFINITY);
  std::vector<int64_t> index(first + 3 * space.size());
  const auto each_product = [&](const std::function<void(size_t, size_t, size_t)>& fn) {
    std::function<void(size_t)> labels_from, space_from;
    space_from = [&](size_t d) {
      if (d == space.size())
        return fn(static_cast<size_t>(in.at(index)), static_cast<size_t>(window.at(index)),
                  static_cast<size_t>(out.at(index)));
      const Along& a = space[d];
      int64_t &i = index[first + 3 * d], &t = index[first + 3 * d + 1], &o = index[first + 3 * d + 2];
      for (o = 0; o < fits(a, transposed); ++o)
        for (t = 0; t < a.taps; ++t)
          for (i = 0; i < a.size; ++i)
            if (transposed ? i * a.stride + t * a.dilation - a.before == o * a.base
                           : o * a.stride + t * a.dilation - a.before == i * a.base)
              space_from(d + 1);
    };
    labels_from = [&](size_t label) {
      if (label == first) return space_from(0);
      for (index[label] = 0; index[label] < counts[label]; ++index[label]) labels_from(label + 1);
    };
    labels_from(0);
  };
  each_product([&](size_t i, size_t t, size_t o) {
    const double input = of_x.number(static_cast<int64_t>(i));
    if (operation == Operation::kMaxPool)
      met[o] = input > values[o] ? 1 : met[o] + (input == values[o]), values[o] = std::max(values[o], input);
    else if (pools) values[o] += input, ++met[o];
    else values[o] += input * of_w.number(static_cast<int64_t>(t));
  });
  if (operation == Operation::kMeanPool) {
    double taps = 1;
    for (const Along& along : space) taps *= static_cast<double>(along.taps);
    for (size_t o = 0; o < values.size(); ++o) values[o] /= met[o] = counts_padding ? taps : std::max(1.0, met[o]);
  }
  each_product([&](size_t i, size_t t, size_t o) {
    const double slope = 2 * values[o] + 1, input = of_x.number(static_cast<int64_t>(i));
    if (operation == Operation::kMaxPool) d_x[i] += input == values[o] ? slope / met[o] : 0;
    else if (pools) d_x[i] += slope / met[o];
    else d_x[i] += slope * of_w.number(static_cast<int64_t>(t)), d_w[t] += slope * input;
  });
  std::vector<std::vector<double>> results{values, d_x};
  if (!pools) results.push_back(d_w);
  return results;
}

}  // namespace mtf::properties
