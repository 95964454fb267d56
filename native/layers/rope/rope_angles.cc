#include "layers/rope/rope_angles.h"

#include "common/launch_groups.h"

namespace llm_host {

RopeAngles::RopeAngles(std::vector<float> f, float a, bool pairs)
    : frequencies(std::move(f)), amplitude(a), interleaved(pairs) {
  std::vector<float> periods;
  for (float frequency : frequencies) periods.push_back(1 / frequency);
  periods_ = mx::array(periods.begin(), mx::Shape{static_cast<int>(periods.size())});
}

mx::array RopeAngles::rotate(const mx::array& x, int offset) const {
  if (frequencies.empty()) return x;
  int dims = 2 * static_cast<int>(frequencies.size()), size = x.shape(-1);
  mx::array input = x;
  if (amplitude != 1) {
    mx::array factor(amplitude, x.dtype());
    if (dims == size) {
      input = mx::multiply(x, factor);
    } else {
      std::vector<mx::array> parts = mx::split(x, mx::Shape{dims}, -1);
      input = mx::concatenate({mx::multiply(parts[0], factor), parts[1]}, -1);
    }
  }
  return one_launch("RoPE", {input, *periods_}, [&] {
    return mx::fast::rope(input, dims, interleaved, std::nullopt, 1.0f, offset, periods_);
  });
}

mx::array RopeAngles::rotate_each(const mx::array& heads, const mx::array& positions) const {
  if (frequencies.empty()) return heads;
  int dims = 2 * static_cast<int>(frequencies.size());
  return one_launch("RoPE", {heads, positions, *periods_}, [&] {
    return mx::fast::rope(heads, dims, interleaved, std::nullopt, 1.0f, positions, periods_);
  });
}

}  // namespace llm_host
