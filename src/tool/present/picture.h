#pragma once
// Pictures of where tensors lie: each as the tiles that its layout cuts it into, with the processors that hold them
// (Figures 2 to 5 of Shazeer et al. 2018).
//
// The last two dims are the rows and columns of a matrix drawn to scale; each block of the dims before them is a matrix
// of its own, small multiples in their order.
#include <string>
#include <vector>

#include "eval/settings.h"
#include "session/held.h"
#include "tool/shell/script.h"

namespace mtf::session {
class Session;
}

namespace mtf {}

namespace mtf::tool {

struct Picture {
  std::string name;
  eval::LaidOut tensor;
};

/// The tensors that expressions stand for in a session, computing nothing; of a model, all its params.
std::vector<Picture> pictures_of(session::Session& session, const std::vector<std::string>& expressions);
/// The same when a script has been evaluated.
std::vector<Picture> pictures_of(const Script& script, const eval::Settings& settings,
                                 const std::vector<std::string>& expressions);

/// A self-contained SVG document with all of them, one below the other. Throws UserError (limit_exceeded) for a tensor
/// that is cut into more tiles than can be told apart.
std::string svg_of(const std::vector<Picture>& pictures);
/// The same in characters, lines of at most `width`.
std::string text_of(const std::vector<Picture>& pictures, std::size_t width);

/// How a self-contained SVG on white begins. Its class says what mtf has drawn in it, `of`: `is_svg_of` tells by it
/// whether a text is one.
std::string svg_begin(std::string_view of, double width, double height);
bool is_svg_of(std::string_view of, std::string_view text);

/// As text of XML: `<`, `&` and quotes escaped.
std::string xml_text(std::string_view text);

}  // namespace mtf::tool
