#include "sample/sample_op.h"

#include "kernels/cpu_op.h"

namespace llm_host {

mx::array sample_op(const mx::array& logits, const SamplingParams& params, uint64_t step) {
  bool greedy = params.temperature == 0;
  if (greedy && mx::default_device() != mx::Device::cpu) {
    return mx::reshape(mx::astype(mx::argmax(logits), mx::int32), {1});
  }
  mx::array input = mx::contiguous(mx::astype(logits, mx::float32));
  return cpu_op(
      "Sample", mx::Shape{1}, {input},
      [params, step](const std::vector<mx::array>& inputs, mx::array& out) {
        std::span<const float> values(inputs[0].data<float>(), inputs[0].size());
        *out.data<int32_t>() = sample(values, params, step);
      },
      mx::int32);
}

}  // namespace llm_host
