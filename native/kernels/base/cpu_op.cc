#include "kernels/base/cpu_op.h"

#include <cstring>
#include <stdexcept>
#include <string>

#include "mlx/backend/cpu/encoder.h"
#include "mlx/primitives.h"

namespace llm_host {
namespace {

// Bytes above which a result belongs to a prompt rather than to a single token.
constexpr size_t kLargeResult = size_t{1} << 18;

// MLX stops scheduling ahead when too many tasks hold memory, but counts ten operations as one
// task: for a prompt, several layers. An operation with a large result is counted as a task of its
// own.
void count_as_task(mx::Stream stream) {
  mx::scheduler::notify_new_task(stream);
  mx::scheduler::enqueue(stream, [stream] { mx::scheduler::notify_task_completion(stream); });
}

// Operations behind one that failed run all the same, some of them already queued: with zeros, as
// what memory held before may be an index far beyond what it is read from.
void run_or_clear(const CpuBody& body, const std::vector<mx::array>& inputs, mx::array& out) {
  try {
    body(inputs, out);
  } catch (...) {
    std::memset(out.data<char>(), 0, out.nbytes());
    throw;
  }
}

class CpuOp final : public mx::UnaryPrimitive {
 public:
  CpuOp(mx::Stream stream, const char* name, CpuBody body)
      : UnaryPrimitive(stream), name_(name), body_(std::move(body)) {}

  void eval_cpu(const std::vector<mx::array>& inputs, mx::array& out) override {
    out.set_data(mx::allocator::malloc(out.nbytes()));
    auto& encoder = mx::cpu::get_command_encoder(stream());
    // The encoder keeps the buffers alive until the task has run; the views only point into them.
    std::vector<mx::array> views;
    for (const mx::array& input : inputs) {
      if (!input.flags().row_contiguous) {
        throw std::logic_error(std::string(name_) + " needs contiguous inputs");
      }
      encoder.set_input_array(input);
      views.push_back(mx::array::unsafe_weak_copy(input));
    }
    encoder.set_output_array(out);
    encoder.dispatch(
        [body = std::move(body_), views = std::move(views),
         out = mx::array::unsafe_weak_copy(out)]() mutable { run_or_clear(body, views, out); });
    if (out.nbytes() >= kLargeResult) count_as_task(stream());
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
