#pragma once
// The approximate time of a script with repeated layers, from two short forms of the script: with two layers and with
// three.
//
// Each further layer is assumed to add as much as the third layer. This is not exact where operations are merged across
// layers: small all_reduces, and fusions that span two layers. In tests the error stayed below kRepeatedError. A search
// only ranks by this time. It costs the best candidates completely before it reports them.
#include "cost/layout_costs.h"

namespace mtf::cost {

/// The largest relative error of a time.
inline constexpr double kRepeatedError = 0.01;

class RepeatedCosts {
 public:
  /// Layers of the short forms.
  static constexpr int64_t kFew = 2, kMore = 3;

  /// `few` and `more` are the costs of the script with kFew and with kMore layers. The script has `layers` layers, more
  /// than both.
  RepeatedCosts(LayoutCosts few, LayoutCosts more, int64_t layers)
      : few_(std::move(few)), more_(std::move(more)), times_(static_cast<double>(layers - kMore)) {}

  /// Returns the number of operations that one cost takes into account.
  double operations() const;

  /// True if the whole script has as many operations and variables as its short forms predict, so its layers do repeat.
  bool stand_for(const LayoutCosts& whole) const;

  struct About {
    double seconds = 0;
    double communication = 0;  ///< seconds of communication, included in `seconds`
    double stored_bytes = 0;   ///< of params and states
  };
  /// Returns the approximate cost, with the arguments of LayoutCosts::in.
  About in(const MeshPtr& mesh, const LayoutPtr& rules) const;

 private:
  double extended(double few, double more) const { return more + times_ * (more - few); }

  LayoutCosts few_, more_;
  double times_;  ///< layers beyond kMore
};

}  // namespace mtf::cost
