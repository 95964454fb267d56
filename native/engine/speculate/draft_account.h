#pragma once

#include <algorithm>

namespace llm_host {

// The milliseconds that drafting may still lose: it spends what it gained before, and a small share
// of all time. So whatever is estimated wrongly, all replies together take hardly longer than
// without a draft model.
class DraftAccount {
 public:
  // Sets the milliseconds of a plain pass, the unit of what follows.
  void set_pass(double ms) {
    if (pass_ms_ == 0) left_ += kFirst * ms;
    pass_ms_ = ms;
  }
  // Time spent without it.
  void rested(double ms) { add(kShare * ms); }
  // Time spent with it, in which plain passes would have taken `plain_ms` for the same tokens. Of
  // what takes far too long, most is an interruption.
  void drafted(double ms, double plain_ms) { add(std::max(plain_ms - ms, -kMostLost * pass_ms_)); }
  bool affords(double ms) const { return ms <= left_; }

 private:
  // In passes: what there is at first, what is kept of gains, and what counts as lost at a time.
  static constexpr double kFirst = 3, kKept = 64, kMostLost = 8;
  static constexpr double kShare = 0.01;

  void add(double ms) { left_ = std::min(left_ + ms, kKept * pass_ms_); }

  double pass_ms_ = 0;  // 0 = not measured yet
  double left_ = 0;
};

}  // namespace llm_host
