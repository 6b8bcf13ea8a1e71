#pragma once
// About how long a script takes whose layers repeat, from two short forms of it: with two layers and with three.
//
// What a layer more adds is taken to be what every further layer adds. That is so of all but what is merged across
// layers: small all_reduces, and loops that reach over a layer's end. So the time is a little off, by less than
// kRepeatedError where tests compared it; what a search ranks by it, it costs whole before it says so.
#include "cost/layout_costs.h"

namespace mtf::cost {

/// The most by which a time may be off, as a part of it.
inline constexpr double kRepeatedError = 0.01;

class RepeatedCosts {
 public:
  /// Layers of the short forms.
  static constexpr int64_t kFew = 2, kMore = 3;

  /// `few`, `more`: the script with kFew layers and with kMore; it has `layers`, more than both.
  RepeatedCosts(LayoutCosts few, LayoutCosts more, int64_t layers)
      : few_(std::move(few)), more_(std::move(more)), times_(static_cast<double>(layers - kMore)) {}

  /// The script, whole, has as many operations and numbers as its short forms say: its layers do repeat.
  bool stand_for(const LayoutCosts& whole) const;

  struct About {
    double seconds = 0;
    double communication = 0;  ///< of them, seconds
    double stored_bytes = 0;   ///< of params and states
  };
  /// As LayoutCosts::in.
  About in(const MeshPtr& mesh, const LayoutPtr& rules) const;

 private:
  double extended(double few, double more) const { return more + times_ * (more - few); }

  LayoutCosts few_, more_;
  double times_;  ///< layers beyond kMore
};

}  // namespace mtf::cost
