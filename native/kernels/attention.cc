#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/cpu_op.h"
#include "kernels/ops.h"
#include "kernels/simd.h"
#include "kernels/thread_pool.h"

namespace llm_host::cpu {
namespace {

// Queries of one head that are answered together, so that a key is loaded once for all of them.
constexpr int kQueries = 16;

struct Task {
  AttentionShape shape;
  int length;
  int capacity;
  std::vector<float> cosines, sines;  // [length, pairs]
  int pairs;                          // rotated channel pairs of a head
  bool interleaved;
  const float *q, *k, *v, *sinks;
  int64_t q_stride, kv_stride;  // from a position to the next
  float *keys, *values, *out;
};

void fill_angles(Task& task, const std::vector<float>& frequencies, float amplitude) {
  task.pairs = static_cast<int>(frequencies.size());
  for (int i = 0; i < task.length; ++i) {
    for (float frequency : frequencies) {
      float angle = static_cast<float>(task.shape.position + i) * frequency;
      task.cosines.push_back(amplitude * std::cos(angle));
      task.sines.push_back(amplitude * std::sin(angle));
    }
  }
}

void rotate(const Task& task, int position, const float* source, float* target) {
  const float* cosines = task.cosines.data() + static_cast<int64_t>(position) * task.pairs;
  const float* sines = task.sines.data() + static_cast<int64_t>(position) * task.pairs;
  // Channel c pairs with c + pairs, or 2c with 2c + 1.
  int step = task.interleaved ? 2 : 1, distance = task.interleaved ? 1 : task.pairs;
  for (int c = 0; c < task.pairs; ++c) {
    float a = source[c * step], b = source[c * step + distance];
    target[c * step] = a * cosines[c] - b * sines[c];
    target[c * step + distance] = b * cosines[c] + a * sines[c];
  }
  std::copy(source + 2 * task.pairs, source + task.shape.head_dim, target + 2 * task.pairs);
}

void append(const Task& task, int head) {
  const AttentionShape& s = task.shape;
  for (int i = 0; i < task.length; ++i) {
    int64_t from = i * task.kv_stride + static_cast<int64_t>(head) * s.head_dim;
    int64_t to = (static_cast<int64_t>(head) * task.capacity + s.slot + i) * s.head_dim;
    rotate(task, i, task.k + from, task.keys + to);
    std::copy_n(task.v + from, s.head_dim, task.values + to);
  }
}

// Queries [begin, end) of one head.
void attend(const Task& task, int head, int begin, int end) {
  static thread_local std::vector<float> queries, scores;
  const AttentionShape& s = task.shape;
  int count = end - begin, last = s.slot + end;  // keys before `last` are seen by some query
  int first = s.window > 0 ? std::max(0, s.slot + begin + 1 - s.window) : 0;
  int span = last - first;
  int stride_of_scores = span + 1;  // room for a sink behind the last key
  queries.resize(static_cast<size_t>(count) * s.head_dim);
  scores.resize(static_cast<size_t>(count) * stride_of_scores);
  int64_t stride = static_cast<int64_t>(s.heads) * s.head_dim;
  for (int i = 0; i < count; ++i) {
    rotate(task, begin + i, task.q + (begin + i) * task.q_stride + head * s.head_dim,
           queries.data() + static_cast<int64_t>(i) * s.head_dim);
  }
  int64_t cache =
      (static_cast<int64_t>(head / (s.heads / s.kv_heads)) * task.capacity + first) * s.head_dim;
  simd().dots(queries.data(), s.head_dim, count, task.keys + cache, s.head_dim, span, s.head_dim,
              scores.data(), stride_of_scores);
  for (int i = 0; i < count; ++i) {
    float* row = scores.data() + static_cast<int64_t>(i) * stride_of_scores;
    int stop = s.slot + begin + i + 1 - first;
    int start = s.window > 0 ? std::max(0, stop - s.window) : 0;
    if (task.sinks != nullptr) row[stop] = task.sinks[head] / s.scale;
    simd().softmax(row + start, stop - start + (task.sinks != nullptr ? 1 : 0), s.scale);
    std::fill(row, row + start, 0.0f);
    std::fill(row + stop, row + span, 0.0f);
  }
  simd().weighted_sum(scores.data(), stride_of_scores, count, task.values + cache, s.head_dim, span,
                      s.head_dim, task.out + begin * stride + head * s.head_dim,
                      static_cast<int>(stride));
}

void set_inputs(Task& task, const std::vector<mx::array>& in, bool side_by_side) {
  const AttentionShape& s = task.shape;
  int64_t queries = static_cast<int64_t>(s.heads) * s.head_dim;
  int64_t keys = static_cast<int64_t>(s.kv_heads) * s.head_dim;
  task.length = in[0].shape(1);
  task.q = in[0].data<float>();
  task.k = side_by_side ? task.q + queries : in[1].data<float>();
  task.v = side_by_side ? task.k + keys : in[2].data<float>();
  task.q_stride = side_by_side ? queries + 2 * keys : queries;
  task.kv_stride = side_by_side ? task.q_stride : keys;
  size_t next = side_by_side ? 1 : 3;
  task.capacity = in[next].shape(2);
  task.keys = const_cast<float*>(in[next].data<float>());
  task.values = const_cast<float*>(in[next + 1].data<float>());
  task.sinks = in.size() > next + 2 ? in[next + 2].data<float>() : nullptr;
}

void run(Task& task) {
  const AttentionShape& s = task.shape;
  for (int head = 0; head < s.kv_heads; ++head) append(task, head);
  int blocks = (task.length + kQueries - 1) / kQueries;
  parallel_for(s.heads * blocks, [&](int item) {
    // The last blocks see the most keys: they go first, so that no thread is left with one at the
    // end.
    int block = blocks - 1 - item / s.heads;
    int begin = block * kQueries;
    attend(task, item % s.heads, begin, std::min(task.length, begin + kQueries));
  });
}

}  // namespace

mx::array attention(const std::vector<mx::array>& projected, const mx::array& keys,
                    const mx::array& values, const AttentionShape& shape, const Rotation& rotation,
                    const std::optional<mx::array>& sinks) {
  std::vector<mx::array> inputs = projected;
  inputs.insert(inputs.end(), {keys, values});
  if (sinks) inputs.push_back(*sinks);
  bool side_by_side = projected.size() == 1;
  mx::Shape out_shape{1, projected[0].shape(1), shape.heads * shape.head_dim};
  return cpu_op("Attention", std::move(out_shape), std::move(inputs),
                [shape, side_by_side, frequencies = rotation.frequencies,
                 amplitude = rotation.amplitude, interleaved = rotation.interleaved](
                    const std::vector<mx::array>& in, mx::array& out) {
                  Task task{};
                  task.shape = shape;
                  task.interleaved = interleaved;
                  task.out = out.data<float>();
                  set_inputs(task, in, side_by_side);
                  fill_angles(task, frequencies, amplitude);
                  run(task);
                });
}

}  // namespace llm_host::cpu
