#include <algorithm>
#include <vector>

#include "kernels/base/cpu_op.h"
#include "kernels/base/thread_pool.h"
#include "kernels/encoder_ops.h"
#include "kernels/simd/simd.h"

namespace llm_host::cpu {
namespace {

// Queries computed together: their scores stay in the CPU's cache.
constexpr int kQueries = 32;
// Keys are padded to whole vectors of any instruction set.
constexpr int kVector = 16;

// A text's q, k and v in one head: rows of `stride` floats.
struct Head {
  const float *q, *k, *v;
  int64_t stride;
  int length, head_dim;
  float scale;
  float* out;
  int64_t out_stride;
};

// k [length, head_dim] -> [head_dim, padded], so that scores are sums of whole vectors.
void transpose_keys(const Head& head, int padded, float* out) {
  for (int first = 0; first < padded; first += kVector) {
    int count = std::min(kVector, head.length - first);
    for (int d = 0; d < head.head_dim; ++d) {
      float* row = out + int64_t{d} * padded + first;
      for (int i = 0; i < count; ++i) row[i] = head.k[(first + i) * head.stride + d];
      std::fill(row + count, row + kVector, 0.0f);
    }
  }
}

void attend(const Head& head) {
  static thread_local std::vector<float> keys, scores;
  int padded = (head.length + kVector - 1) / kVector * kVector;
  keys.resize(static_cast<size_t>(head.head_dim) * static_cast<size_t>(padded));
  scores.resize(static_cast<size_t>(kQueries) * static_cast<size_t>(padded));
  transpose_keys(head, padded, keys.data());
  int stride = static_cast<int>(head.stride), out_stride = static_cast<int>(head.out_stride);
  for (int first = 0; first < head.length; first += kQueries) {
    int count = std::min(kQueries, head.length - first);
    simd().weighted_sum(head.q + first * head.stride, stride, count, keys.data(), padded,
                        head.head_dim, padded, scores.data(), padded);
    for (int i = 0; i < count; ++i) {
      float* row = scores.data() + int64_t{i} * padded;
      float top = simd().maximum(row, head.length);
      float factor = 1 / simd().exponentials(row, head.length, head.scale, top);
      for (int key = 0; key < head.length; ++key) row[key] *= factor;
    }
    simd().weighted_sum(scores.data(), padded, count, head.v, stride, head.length, head.head_dim,
                        head.out + first * head.out_stride, out_stride);
  }
}

void run(const TextAttentionShape& shape, const std::vector<int>& lengths, const float* projected,
         float* out) {
  std::vector<int64_t> starts;
  int64_t tokens = 0;
  for (int length : lengths) {
    starts.push_back(tokens);
    tokens += length;
  }
  int64_t width = int64_t{shape.heads} * shape.head_dim;
  parallel_for(static_cast<int>(lengths.size()) * shape.heads, [&](int item) {
    auto text = static_cast<size_t>(item / shape.heads);
    int64_t channel = int64_t{item % shape.heads} * shape.head_dim;
    const float* q = projected + starts[text] * 3 * width + channel;
    attend({q, q + width, q + 2 * width, 3 * width, lengths[text], shape.head_dim, shape.scale,
            out + starts[text] * width + channel, width});
  });
}

}  // namespace

mx::array attend_texts(const mx::array& projected, const std::vector<int>& lengths,
                       const TextAttentionShape& shape) {
  return cpu_op("TextAttention", {1, projected.shape(1), shape.heads * shape.head_dim}, {projected},
                [lengths, shape](const std::vector<mx::array>& in, mx::array& out) {
                  run(shape, lengths, in[0].data<float>(), out.data<float>());
                });
}

}  // namespace llm_host::cpu
