#pragma once

#include <vector>

namespace llm_host {

// One pass of the model over its weights.
struct Pass {
  int sequences = 0;
  int rows = 0;  // tokens: one for each sequence, and what they propose
};

// The time of passes by their rows, learned from earlier ones: a pass of one row for each sequence,
// during which the next one is built, takes `plain_ms`. If the next one waits for its tokens, as it
// must with proposals, it takes `wait_ms` more, and `row_ms` more for each proposed token.
class PassCosts {
 public:
  void passed(const Pass& pass, bool waited, double ms);

  double plain_ms(int sequences) const;
  // Whether that was measured, with so many or fewer sequences.
  bool measured(int sequences) const;
  struct More {
    double wait_ms, row_ms;
  };
  More more(int sequences) const;
  // Proposed tokens of a pass whose cost can be told from what was measured: few at first.
  int known() const;

 private:
  // Sums over (x, y) = (proposed tokens, milliseconds above `plain_ms`) of passes that were waited
  // for; those of long ago count less.
  struct Sums {
    double n = 0, x = 0, xx = 0, y = 0, xy = 0;
    void scale(double factor);
    void add(double weight, double at, double value);
  };

  std::vector<double> plain_ms_;  // by sequences; 0 = not measured yet
  Sums waited_;
};

}  // namespace llm_host
