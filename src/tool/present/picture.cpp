#include "tool/present/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "run/dry_runtime.h"
#include "session/session.h"
#include "support/text.h"

namespace mtf::tool {
namespace {

constexpr std::string_view kSvg = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"mtf-";

constexpr std::size_t kMostTiles = 4096;   // of one tensor
constexpr std::int64_t kMostNamed = 4096;  // processors of a mesh that are named in its tiles

/// The tiles of a tensor in a picture.
struct Tiles {
  std::vector<std::vector<Interval>> cuts;         ///< for each dim: its blocks
  std::vector<std::vector<std::int64_t>> holders;  ///< for each tile, row-major over the blocks: its processors
  std::int64_t each = 0;                           ///< number of processors per tile, if they are too many to be named
};

std::vector<Interval> blocks_of(const eval::LaidOut& tensor, std::size_t d) {
  const AxisList& axes = tensor.sharding.dims[d];
  const Mesh& mesh = *tensor.mesh;
  std::vector<Interval> blocks;
  Coordinates at{};
  // Counts through the axes of the dim, the last axis fastest, which gives the blocks in their order.
  while (true) {
    const Interval block = block_of(tensor.type.dims[d].size, axes, mesh, at);
    if (block.size() > 0 && (blocks.empty() || blocks.back().first != block.first)) blocks.push_back(block);
    if (blocks.size() > kMostTiles)
      fail(Kind::limit_exceeded, {}, "{} is cut into more than {} blocks", to_string(tensor.type.dims[d]), kMostTiles);
    int i = axes.size() - 1;
    for (; i >= 0 && ++at[axes[i]] == mesh.axis_size(axes[i]); --i) at[axes[i]] = 0;
    if (i < 0) return blocks;
  }
}

Tiles tiles_of(const eval::LaidOut& tensor) {
  Tiles tiles;
  std::size_t count = 1;
  for (std::size_t d = 0; d < tensor.type.dims.size(); ++d) {
    tiles.cuts.push_back(blocks_of(tensor, d));
    count *= tiles.cuts.back().size();
    if (count > kMostTiles)
      fail(Kind::limit_exceeded, {}, "{} is cut into more than {} tiles", to_string(tensor.type), kMostTiles);
  }
  tiles.holders.resize(count);
  const Mesh& mesh = *tensor.mesh;
  if (mesh.size() > kMostNamed) {
    tiles.each = mesh.size() / static_cast<std::int64_t>(count);
    return tiles;
  }
  for (std::int64_t p = 0; p < mesh.size(); ++p) {
    const Coordinates at = mesh.coordinates(p);
    std::size_t tile = 0;
    bool holds = true;
    for (std::size_t d = 0; d < tiles.cuts.size(); ++d) {
      const Interval block = block_of(tensor.type.dims[d].size, tensor.sharding.dims[d], mesh, at);
      const auto found = std::find(tiles.cuts[d].begin(), tiles.cuts[d].end(), block);
      holds = holds && found != tiles.cuts[d].end();  // a block may be empty
      if (holds) tile = tile * tiles.cuts[d].size() + static_cast<std::size_t>(found - tiles.cuts[d].begin());
    }
    if (holds) tiles.holders[tile].push_back(p);
  }
  return tiles;
}

/// Writes consecutive processors as ranges: `0-3 8`.
std::string processors_text(const std::vector<std::int64_t>& processors) {
  std::vector<std::string> runs;
  for (std::size_t i = 0; i < processors.size();) {
    std::size_t end = i + 1;
    while (end < processors.size() && processors[end] == processors[end - 1] + 1) ++end;
    runs.push_back(end - i == 1 ? std::to_string(processors[i])
                                : fmt::format("{}{}{}", processors[i], end - i == 2 ? " " : "-", processors[end - 1]));
    i = end;
  }
  return join(runs, " ");
}

std::string label_of(const Tiles& tiles, std::size_t tile) {
  if (tiles.each > 0) return count_text(tiles.each, "processor");
  return processors_text(tiles.holders[tile]);
}

/// A matrix of a tensor: one block for each dim before the last two.
struct Matrix {
  std::string title;      ///< `batch 0..4, heads 2..3`; empty if there are no such dims
  std::size_t first = 0;  ///< index of its first tile
};

std::vector<Matrix> matrices_of(const eval::LaidOut& tensor, const Tiles& tiles) {
  const std::size_t leading = tiles.cuts.size() > 2 ? tiles.cuts.size() - 2 : 0;
  std::size_t inside = 1;
  for (std::size_t d = leading; d < tiles.cuts.size(); ++d) inside *= tiles.cuts[d].size();
  std::vector<Matrix> matrices;
  for (std::size_t first = 0; first < tiles.holders.size(); first += inside) {
    std::vector<std::string> parts(leading);
    std::size_t rest = first / inside;
    for (std::size_t d = leading; d-- > 0; rest /= tiles.cuts[d].size()) {
      const Interval& block = tiles.cuts[d][rest % tiles.cuts[d].size()];
      parts[d] = fmt::format("{} {}..{}", tensor.type.dims[d].name.text(), block.first, block.last);
    }
    matrices.push_back({join(parts, ", "), first});
  }
  return matrices;
}

const std::vector<Interval> kOne{{0, 1}};

/// The blocks of the rows and of the columns; a tensor with one dim is a row.
const std::vector<Interval>& rows_of(const Tiles& tiles) {
  return tiles.cuts.size() < 2 ? kOne : tiles.cuts[tiles.cuts.size() - 2];
}
const std::vector<Interval>& columns_of(const Tiles& tiles) { return tiles.cuts.empty() ? kOne : tiles.cuts.back(); }

// ---- SVG ------------------------------------------------------------------------------------------------------------

constexpr double kLongest = 320, kShortest = 28, kGap = 26, kPage = 760, kLetter = 6.7;

std::string colour_of(const Tiles& tiles, std::size_t tile) {
  return fmt::format("hsl({:.0f} 62% 86%)",
                     360.0 * static_cast<double>(tile) / static_cast<double>(tiles.holders.size()));
}

/// Appends a picture that begins at `y`. Returns its end.
double draw(std::string& out, const Picture& picture, double y) {
  const eval::LaidOut& tensor = picture.tensor;
  const Tiles tiles = tiles_of(tensor);
  const std::size_t order = tensor.type.dims.size();
  const double rows = order < 2 ? 1 : static_cast<double>(tensor.type.dims[order - 2].size);
  const double columns = order < 1 ? 1 : static_cast<double>(tensor.type.dims[order - 1].size);
  const double scale = kLongest / std::max(rows, columns);
  const double width = std::max(columns * scale, kShortest),
               height = order < 2 ? kShortest : std::max(rows * scale, kShortest);
  const bool to_scale = order < 2 || std::min(rows, columns) * scale >= kShortest;
  out += fmt::format("<text x=\"8\" y=\"{:.0f}\" class=\"name\">{}</text>\n", y + 14,
                     xml_text(picture.name + ": " + to_string(tensor.type, tensor.sharding, *tensor.mesh) + " on " +
                              to_string(*tensor.mesh) + (to_scale ? "" : "   (not to scale)")));
  y += 22;
  double x = 30;
  const std::vector<Matrix> matrices = matrices_of(tensor, tiles);
  const double above = matrices[0].title.empty() ? 16 : 30;
  for (const Matrix& matrix : matrices) {
    if (x > 30 && x + width > kPage) x = 30, y += height + above + kGap;
    if (!matrix.title.empty())
      out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x, y + 12, xml_text(matrix.title));
    const double top = y + above;
    if (order >= 1)
      out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"dim\">{}</text>\n", x, top - 4,
                         xml_text(to_string(tensor.type.dims[order - 1])));
    if (order >= 2)
      out += fmt::format("<text transform=\"translate({:.1f} {:.1f}) rotate(-90)\" class=\"dim\">{}</text>\n", x - 6,
                         top + height, xml_text(to_string(tensor.type.dims[order - 2])));
    std::size_t tile = matrix.first;
    for (const Interval& row : rows_of(tiles)) {
      for (const Interval& column : columns_of(tiles)) {
        const double left = x + width * static_cast<double>(column.first) / columns,
                     right = x + width * static_cast<double>(column.last) / columns;
        const double up = top + height * static_cast<double>(row.first) / rows,
                     down = top + height * static_cast<double>(row.last) / rows;
        std::string label = label_of(tiles, tile);
        const std::string full = label;
        const auto fits = static_cast<std::size_t>(std::max(0.0, (right - left - 4) / kLetter));
        if (label.size() > fits) label = fits < 2 ? "" : label.substr(0, fits - 1) + "…";
        out += fmt::format(
            "<g><title>{}</title><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>",
            xml_text("processors " + full), left, up, right - left, down - up, colour_of(tiles, tile));
        if (!label.empty() && down - up >= 12)
          out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"tile\">{}</text>", (left + right) / 2,
                             (up + down) / 2 + 4, xml_text(label));
        out += "</g>\n";
        ++tile;
      }
    }
    x += width + kGap + 12;
  }
  return y + above + height + kGap;
}

// ---- characters -----------------------------------------------------------------------------------------------------

std::string draw_text(const Picture& picture, std::size_t width) {
  const eval::LaidOut& tensor = picture.tensor;
  const Tiles tiles = tiles_of(tensor);
  std::string out = picture.name + ": " + to_string(tensor.type, tensor.sharding, *tensor.mesh) + "\n";
  const std::size_t columns = columns_of(tiles).size();
  std::size_t cell = 1;
  for (std::size_t tile = 0; tile < tiles.holders.size(); ++tile) cell = std::max(cell, label_of(tiles, tile).size());
  cell = std::min(cell, std::max<std::size_t>(width / columns, 4) - 3);
  const auto line = [&](const char* left, const char* middle, const char* right) {
    std::string text = std::string("  ") + left;
    for (std::size_t c = 0; c < columns; ++c) {
      for (std::size_t i = 0; i < cell + 2; ++i) text += "─";
      text += c + 1 < columns ? middle : right;
    }
    return text + "\n";
  };
  for (const Matrix& matrix : matrices_of(tensor, tiles)) {
    if (!matrix.title.empty()) out += "  " + matrix.title + "\n";
    std::size_t tile = matrix.first;
    for (std::size_t r = 0; r < rows_of(tiles).size(); ++r) {
      out += r == 0 ? line("┌", "┬", "┐") : line("├", "┼", "┤");
      out += "  │";
      for (std::size_t c = 0; c < columns; ++c, ++tile) {
        std::string label = label_of(tiles, tile);
        if (label.size() > cell) label = label.substr(0, cell - 1) + "+";
        out += fmt::format(" {:^{}} │", label, cell);
      }
      out += "\n";
    }
    out += line("└", "┴", "┘");
  }
  return out;
}

}  // namespace

std::string svg_begin(std::string_view of, double width, double height) {
  return fmt::format(
      "{0}{1}\" width=\"{2}\" height=\"{3}\" viewBox=\"0 0 {2} {3}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      kSvg, of, width, height);
}

bool is_svg_of(std::string_view of, std::string_view text) { return text.starts_with(fmt::format("{}{}\"", kSvg, of)); }

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? ' ' : c;
    }
  }
  return out;
}

std::vector<Picture> pictures_of(session::Session& session, const std::vector<std::string>& expressions) {
  std::vector<Picture> pictures;
  for (const std::string& expression : expressions) {
    for (auto& [path, tensor] : session.lies(expression)) {
      std::string name = path.empty() || path.starts_with('[') ? expression + path : expression + "." + path;
      tensor.type.dims = settled(std::move(tensor.type.dims));
      pictures.push_back({std::move(name), std::move(tensor)});
    }
  }
  return pictures;
}

std::vector<Picture> pictures_of(const Script& script, const eval::Settings& settings,
                                 const std::vector<std::string>& expressions) {
  if (expressions.empty()) return {};
  run::DryRuntime runtime;
  plan::Execution execution(runtime);
  std::ostream nowhere(nullptr);
  session::Session session(settings, &execution, nowhere);
  session.execute(script.text, script.name);
  return pictures_of(session, expressions);
}

std::string svg_of(const std::vector<Picture>& pictures) {
  std::string body;
  double y = 8;
  for (const Picture& picture : pictures) y = draw(body, picture, y);
  return svg_begin("tensors", std::round(kPage + 40), std::round(y)) +
         "<style>text { font: 12px sans-serif; fill: #222 } .name { font-weight: bold } .dim { fill: #666; font-size: "
         "11px } .tile { text-anchor: middle } "
         "g rect { stroke: #444 }</style>\n" +
         body + "</svg>\n";
}

std::string text_of(const std::vector<Picture>& pictures, std::size_t width) {
  std::string out;
  for (const Picture& picture : pictures) out += draw_text(picture, width);
  return out;
}

}  // namespace mtf::tool
