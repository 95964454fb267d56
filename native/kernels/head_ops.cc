#include "kernels/head_ops.h"

#include <algorithm>

#include "kernels/base/cpu_op.h"
#include "kernels/base/thread_pool.h"
#include "kernels/simd/simd.h"

namespace llm_host::cpu {
namespace {

// Rows of a head's matrix that a thread takes at once: few heads are shared out too.
constexpr int kRows = 64;

struct HeadProducts {
  int heads, out, in, length;
  int64_t x_width;
  const float* x;  // the first value that the first head takes
  const void* weight;
  bool float16;
  float* y;

  int parts() const { return (out + kRows - 1) / kRows; }

  void run(int task) const {
    int head = task / parts(), row = task % parts() * kRows, count = std::min(kRows, out - row);
    int lda = static_cast<int>(x_width), ldc = heads * out;
    const float* a = x + head * (x_width / heads);
    float* c = y + static_cast<int64_t>(head) * out + row;
    int64_t at = (static_cast<int64_t>(head) * out + row) * in;
    if (float16) {
      simd().dots_float16(a, lda, length, static_cast<const uint16_t*>(weight) + at, in, count, in,
                          c, ldc);
    } else {
      simd().dots(a, lda, length, static_cast<const float*>(weight) + at, in, count, in, c, ldc);
    }
  }
};

}  // namespace

mx::array head_products(const mx::array& x, const mx::array& weight, int offset) {
  int length = x.shape(1), heads = weight.shape(0), out = weight.shape(1);
  return cpu_op("HeadProducts", {1, length, heads, out}, {x, weight},
                [offset](const std::vector<mx::array>& inputs, mx::array& y) {
                  const mx::array &rows = inputs[0], &w = inputs[1];
                  HeadProducts products{w.shape(0),        w.shape(1),
                                        w.shape(2),        rows.shape(1),
                                        rows.shape(2),     rows.data<float>() + offset,
                                        w.data<uint8_t>(), w.dtype() == mx::float16,
                                        y.data<float>()};
                  parallel_for(products.heads * products.parts(),
                               [&](int task) { products.run(task); });
                });
}

}  // namespace llm_host::cpu
