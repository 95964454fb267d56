#include "kernels/cpu_op.h"

#include <stdexcept>
#include <string>

#include "mlx/backend/cpu/encoder.h"
#include "mlx/primitives.h"

namespace llm_host {
namespace {

class CpuOp final : public mx::UnaryPrimitive {
 public:
  CpuOp(mx::Stream stream, const char* name, CpuBody body)
      : UnaryPrimitive(stream), name_(name), body_(std::move(body)) {}

  void eval_cpu(const std::vector<mx::array>& inputs, mx::array& out) override {
    out.set_data(mx::allocator::malloc(out.nbytes()));
    auto& encoder = mx::cpu::get_command_encoder(stream());
    // The encoder keeps the buffers alive until the task has run; these only point into them.
    std::vector<mx::array> views;
    for (const mx::array& input : inputs) {
      if (!input.flags().row_contiguous) {
        throw std::logic_error(std::string(name_) + " needs contiguous inputs");
      }
      encoder.set_input_array(input);
      views.push_back(mx::array::unsafe_weak_copy(input));
    }
    encoder.set_output_array(out);
    encoder.dispatch([body = std::move(body_), views = std::move(views),
                      out = mx::array::unsafe_weak_copy(out)]() mutable { body(views, out); });
  }
  void eval_gpu(const std::vector<mx::array>&, mx::array&) override {
    throw std::logic_error(std::string(name_) + " runs on a CPU stream");
  }
  const char* name() const override { return name_; }

 private:
  const char* name_;
  CpuBody body_;
};

}  // namespace

mx::array cpu_op(const char* name, mx::Shape shape, std::vector<mx::array> inputs, CpuBody body,
                 mx::Dtype dtype) {
  mx::Stream stream = mx::default_stream(mx::Device::cpu);
  return mx::array(std::move(shape), dtype, std::make_shared<CpuOp>(stream, name, std::move(body)),
                   std::move(inputs));
}

}  // namespace llm_host
