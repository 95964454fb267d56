#include "layers/attention/query_growth.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace llm_host {

// Up to `length` the factor is 1. Rotation is linear, so either may come first.
mx::array QueryGrowth::apply(const mx::array& q, std::span<const int> positions) const {
  bool grows = std::any_of(positions.begin(), positions.end(),
                           [&](int position) { return position >= length; });
  if (beta == 0 || !grows) return q;
  std::vector<float> factors;
  for (int position : positions) {
    double periods = std::floor(position / length);
    factors.push_back(static_cast<float>(1 + beta * std::log(1 + periods)));
  }
  mx::array column(factors.begin(), mx::Shape{static_cast<int>(factors.size()), 1});
  return mx::multiply(q, mx::astype(column, q.dtype()));
}

std::vector<int> positions_from(int first, int count) {
  std::vector<int> positions(static_cast<size_t>(count));
  std::iota(positions.begin(), positions.end(), first);
  return positions;
}

}  // namespace llm_host
