#include "sample/sample_op.h"

#include <stdexcept>

#include "mlx/backend/cpu/encoder.h"
#include "mlx/primitives.h"

namespace llm_host {

namespace mx = mlx::core;

namespace {

class Sample final : public mx::UnaryPrimitive {
 public:
  Sample(mx::Stream stream, const SamplingParams& params, uint64_t step)
      : UnaryPrimitive(stream), params_(params), step_(step) {}

  void eval_cpu(const std::vector<mx::array>& inputs, mx::array& out) override {
    out.set_data(mx::allocator::malloc(out.nbytes()));
    auto& encoder = mx::cpu::get_command_encoder(stream());
    encoder.set_input_array(inputs[0]);
    encoder.set_output_array(out);
    encoder.dispatch([logits = mx::array::unsafe_weak_copy(inputs[0]),
                      out = mx::array::unsafe_weak_copy(out), params = params_,
                      step = step_]() mutable {
      *out.data<int32_t>() = sample({logits.data<float>(), logits.size()}, params, step);
    });
  }
  void eval_gpu(const std::vector<mx::array>&, mx::array&) override {
    throw std::logic_error("Sample runs on a CPU stream");
  }
  const char* name() const override { return "Sample"; }

 private:
  SamplingParams params_;
  uint64_t step_;
};

}  // namespace

mx::array sample_op(const mx::array& logits, const SamplingParams& params, uint64_t step) {
  if (params.temperature == 0) return mx::reshape(mx::astype(mx::argmax(logits), mx::int32), {1});
  mx::array input = mx::contiguous(mx::astype(logits, mx::float32));
  mx::Stream stream = mx::default_stream(mx::Device::cpu);
  return mx::array(mx::Shape{1}, mx::int32, std::make_shared<Sample>(stream, params, step), {input});
}

}  // namespace llm_host
