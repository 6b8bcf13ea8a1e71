#pragma once
// Pictures of layouts: each tensor as the tiles into which its layout cuts it, with the processors that hold each tile
// (Figures 2 to 5 of Shazeer et al. 2018).
//
// The last two dims are the rows and columns of a matrix drawn to scale. Each block of the other dims is a matrix of
// its own; these matrices are drawn small, in order.
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

/// Returns pictures of the values of expressions in a session, without computing; for a model, of all its params.
std::vector<Picture> pictures_of(session::Session& session, const std::vector<std::string>& expressions);
/// Returns the same pictures after a script has been evaluated.
std::vector<Picture> pictures_of(const Script& script, const eval::Settings& settings,
                                 const std::vector<std::string>& expressions);

/// Returns a self-contained SVG document with all pictures, one below the other. Throws UserError (limit_exceeded) for
/// a tensor with too many tiles to draw.
std::string svg_of(const std::vector<Picture>& pictures);
/// Returns the same as text, in lines of at most `width` columns.
std::string text_of(const std::vector<Picture>& pictures, std::size_t width);

/// Returns the start of a self-contained SVG on white. The class of its element is `of`, the kind of picture that mtf
/// draws. `is_svg_of` recognizes a picture by this class.
std::string svg_begin(std::string_view of, double width, double height);
bool is_svg_of(std::string_view of, std::string_view text);

/// Returns the text for XML: `<`, `&` and quotes are escaped.
std::string xml_text(std::string_view text);

}  // namespace mtf::tool
