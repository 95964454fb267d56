#include <algorithm>
#include <bit>
#include <vector>

#include "kernels/attention/task.h"
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

// Rows of `stride` floats.
struct Rows {
  const float* first;
  int64_t stride;

  const float* at(int row) const { return first + row * stride; }
};

// A text's q, k and v in one head.
struct Head {
  Rows q, k, v;
  int length;
  const TextAttentionShape& shape;
  const Angles* angles;  // null: nothing is rotated
  bool interleaved;
  float* out;
  int64_t out_stride;

  // Token `i` sees tokens [first_seen(i), stop_seen(i)).
  int first_seen(int i) const { return shape.window > 0 ? std::max(0, i - shape.window + 1) : 0; }
  int stop_seen(int i) const {
    if (shape.causal) return i + 1;
    return shape.window > 0 ? std::min(length, i + shape.window) : length;
  }
};

// Rows [first, first + count), rotated into `buffer` if they have to be.
Rows rotated(const Head& head, const Rows& rows, int first, int count, std::vector<float>& buffer) {
  if (head.angles == nullptr) return {rows.at(first), rows.stride};
  int size = head.shape.head_dim;
  buffer.resize(static_cast<size_t>(count) * static_cast<size_t>(size));
  for (int i = 0; i < count; ++i) {
    rotate(*head.angles, head.interleaved, first + i, size, rows.at(first + i),
           buffer.data() + int64_t{i} * size);
  }
  return {buffer.data(), size};
}

// k [length, head_dim] -> [head_dim, padded], so that scores are sums of whole vectors.
void transpose_keys(const Head& head, int padded, float* out) {
  static thread_local std::vector<float> buffer;
  for (int first = 0; first < padded; first += kVector) {
    int count = std::min(kVector, head.length - first);
    Rows k = rotated(head, head.k, first, count, buffer);
    for (int d = 0; d < head.shape.head_dim; ++d) {
      float* row = out + int64_t{d} * padded + first;
      for (int i = 0; i < count; ++i) row[i] = k.at(i)[d];
      std::fill(row + count, row + kVector, 0.0f);
    }
  }
}

// Scores of keys [begin, end) -> their softmax; 0 where a key is not seen.
void softmax(const Head& head, int query, int begin, int end, float* scores) {
  int from = head.first_seen(query) - begin, to = head.stop_seen(query) - begin;
  float top = simd().maximum(scores + from, to - from);
  float factor = 1 / simd().exponentials(scores + from, to - from, head.shape.scale, top);
  for (int key = from; key < to; ++key) scores[key] *= factor;
  std::fill(scores, scores + from, 0.0f);
  std::fill(scores + to, scores + end - begin, 0.0f);
}

void attend(const Head& head) {
  static thread_local std::vector<float> keys, queries, scores;
  int size = head.shape.head_dim;
  int padded = (head.length + kVector - 1) / kVector * kVector;
  keys.resize(static_cast<size_t>(size) * static_cast<size_t>(padded));
  scores.resize(static_cast<size_t>(kQueries) * static_cast<size_t>(padded));
  transpose_keys(head, padded, keys.data());
  for (int first = 0; first < head.length; first += kQueries) {
    int count = std::min(kQueries, head.length - first);
    // The keys that any of these queries sees, from and to whole vectors.
    int begin = head.first_seen(first) / kVector * kVector;
    int end = head.stop_seen(first + count - 1);
    int columns = (end - begin + kVector - 1) / kVector * kVector;
    Rows q = rotated(head, head.q, first, count, queries);
    simd().weighted_sum(q.first, static_cast<int>(q.stride), count, keys.data() + begin, padded,
                        size, columns, scores.data(), padded);
    for (int i = 0; i < count; ++i) {
      softmax(head, first + i, begin, end, scores.data() + int64_t{i} * padded);
    }
    simd().weighted_sum(scores.data(), padded, count, head.v.at(begin),
                        static_cast<int>(head.v.stride), end - begin, size,
                        head.out + first * head.out_stride, static_cast<int>(head.out_stride));
  }
}

// The first token's queries, keys and values.
struct Projected {
  Rows q, k, v;
};

Projected projected_rows(const std::vector<mx::array>& in, const TextAttentionShape& s) {
  int64_t queries = int64_t{s.heads} * s.head_dim, keys = int64_t{s.kv_heads} * s.head_dim;
  const float* q = in[0].data<float>();
  if (in.size() == 1) {
    int64_t stride = queries + 2 * keys;
    return {{q, stride}, {q + queries, stride}, {q + queries + keys, stride}};
  }
  return {{q, queries}, {in[1].data<float>(), keys}, {in[2].data<float>(), keys}};
}

// The angles of the longest text, for a few lengths only: they are kept for the next batches.
std::shared_ptr<const Angles> angles_of(const std::vector<int>& lengths, const Rotation& rotation) {
  if (rotation.frequencies.empty()) return nullptr;
  auto longest = static_cast<unsigned>(*std::max_element(lengths.begin(), lengths.end()));
  return angles_at(0, static_cast<int>(std::bit_ceil(longest)), rotation);
}

void run(const TextAttentionShape& shape, const std::vector<int>& lengths, const Rotation& rotation,
         const std::vector<mx::array>& in, float* out) {
  std::vector<int64_t> starts;
  int64_t tokens = 0;
  for (int length : lengths) {
    starts.push_back(tokens);
    tokens += length;
  }
  Projected all = projected_rows(in, shape);
  std::shared_ptr<const Angles> angles = angles_of(lengths, rotation);
  int64_t width = int64_t{shape.heads} * shape.head_dim;
  parallel_for(static_cast<int>(lengths.size()) * shape.heads, [&](int item) {
    auto text = static_cast<size_t>(item / shape.heads);
    int head = item % shape.heads, kv_head = head / (shape.heads / shape.kv_heads);
    auto rows = [&](const Rows& of, int h) {
      return Rows{of.first + starts[text] * of.stride + int64_t{h} * shape.head_dim, of.stride};
    };
    float* to = out + starts[text] * width + int64_t{head} * shape.head_dim;
    attend({rows(all.q, head), rows(all.k, kv_head), rows(all.v, kv_head), lengths[text], shape,
            angles.get(), rotation.interleaved, to, width});
  });
}

}  // namespace

mx::array attend_texts(const std::vector<mx::array>& projected, const std::vector<int>& lengths,
                       const TextAttentionShape& shape, const Rotation& rotation) {
  return cpu_op(
      "TextAttention", {1, projected[0].shape(1), shape.heads * shape.head_dim}, projected,
      [lengths, shape, frequencies = rotation.frequencies, amplitude = rotation.amplitude,
       interleaved = rotation.interleaved](const std::vector<mx::array>& in, mx::array& out) {
        run(shape, lengths, {frequencies, amplitude, interleaved}, in, out.data<float>());
      });
}

}  // namespace llm_host::cpu
