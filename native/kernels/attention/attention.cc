#include "kernels/attention/attention.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/attention/task.h"
#include "kernels/base/cpu_op.h"
#include "kernels/base/thread_pool.h"
#include "kernels/simd/simd.h"

namespace llm_host::cpu {
namespace {

// Rows computed together, and keys of a block: a block is widened once for all the rows.
constexpr int kRows = 32;
constexpr int kKeys = 128;

void append(const AttentionTask& task, int head, int index) {
  const AttentionShape& s = task.shape;
  int64_t from = index * task.kv_stride + static_cast<int64_t>(head) * s.head_dim;
  int64_t to = task.offset(head, s.slot + index);
  if (!task.float16) {
    rotate(task, index, task.k + from, static_cast<float*>(task.keys) + to);
    std::copy_n(task.v + from, s.head_dim, static_cast<float*>(task.values) + to);
    return;
  }
  static thread_local std::vector<float> key;
  key.resize(static_cast<size_t>(s.head_dim));
  rotate(task, index, task.k + from, key.data());
  simd().narrow(key.data(), s.head_dim, static_cast<uint16_t*>(task.keys) + to);
  simd().narrow(task.v + from, s.head_dim, static_cast<uint16_t*>(task.values) + to);
}

void append(const AttentionTask& task) {
  int heads = task.shape.kv_heads;
  if (task.length == 1) {
    for (int head = 0; head < heads; ++head) append(task, head, 0);
    return;
  }
  parallel_for(task.length, [&](int index) {
    for (int head = 0; head < heads; ++head) append(task, head, index);
  });
}

// Rows [begin, begin + count) of one kv head with their running softmax.
struct Rows {
  int kv_head, begin, count;
  std::vector<float> queries;       // [count, head_dim], rotated
  std::vector<float> outs;          // [count, head_dim], not normalised yet
  std::vector<float> block_outs;    // [count, head_dim], of the last block of keys
  std::vector<float> scores;        // [count, kKeys], of the last block of keys
  std::vector<float> maxima, sums;  // [count], of the scores and of e^(score - maximum)
  std::vector<float> widened;       // keys or values as float32
};

void start(const AttentionTask& task, Rows& rows) {
  size_t size = static_cast<size_t>(rows.count) * task.shape.head_dim;
  rows.queries.resize(size);
  rows.block_outs.resize(size);
  rows.outs.assign(size, 0.0f);
  rows.scores.resize(static_cast<size_t>(rows.count) * kKeys);
  rows.maxima.resize(static_cast<size_t>(rows.count));
  rows.sums.resize(static_cast<size_t>(rows.count));
  for (int i = 0; i < rows.count; ++i) {
    int row = rows.begin + i, head = task.head_of(rows.kv_head, row);
    rotate_query(task, head, task.query_of(row),
                 rows.queries.data() + static_cast<int64_t>(i) * task.shape.head_dim);
    // A sink acts as a key with this logit and a value of 0.
    size_t at = static_cast<size_t>(i);
    rows.maxima[at] = task.sinks != nullptr ? task.sinks[head] / task.shape.scale : -INFINITY;
    rows.sums[at] = task.sinks != nullptr ? 1.0f : 0.0f;
  }
}

// Turns row i's scores of slots [first, first + n) into e^(score - maximum so far) in place; masked
// keys get 0.
void softmax(const AttentionTask& task, Rows& rows, int i, int first, int n) {
  int query = task.query_of(rows.begin + i);
  int from = std::max(0, task.first_visible(query) - first);
  int to = std::min(n, task.shape.slot + query + 1 - first);
  float* row = rows.scores.data() + static_cast<int64_t>(i) * kKeys;
  if (to <= from) return std::fill(row, row + n, 0.0f);
  float& maximum = rows.maxima[static_cast<size_t>(i)];
  float& sum = rows.sums[static_cast<size_t>(i)];
  float highest = std::max(maximum, simd().maximum(row + from, to - from));
  if (highest > maximum) {
    float factor = std::exp((maximum - highest) * task.shape.scale);
    float* out = rows.outs.data() + static_cast<int64_t>(i) * task.shape.head_dim;
    for (int c = 0; c < task.shape.head_dim; ++c) out[c] *= factor;
    sum *= factor;
    maximum = highest;
  }
  sum += simd().exponentials(row + from, to - from, task.shape.scale, maximum);
  std::fill(row, row + from, 0.0f);
  std::fill(row + to, row + n, 0.0f);
}

// Adds slots [first, first + n) to the rows' output.
void add_keys(const AttentionTask& task, Rows& rows, int first, int n) {
  int head_dim = task.shape.head_dim;
  simd().dots(rows.queries.data(), head_dim, rows.count,
              cached_rows(task, task.keys, rows.kv_head, first, n, rows.widened), head_dim, n,
              head_dim, rows.scores.data(), kKeys);
  for (int i = 0; i < rows.count; ++i) softmax(task, rows, i, first, n);
  simd().weighted_sum(rows.scores.data(), kKeys, rows.count,
                      cached_rows(task, task.values, rows.kv_head, first, n, rows.widened),
                      head_dim, n, head_dim, rows.block_outs.data(), head_dim);
  for (size_t i = 0; i < rows.outs.size(); ++i) rows.outs[i] += rows.block_outs[i];
}

// Online softmax over blocks of keys, so that scores stay in the CPU cache and widened keys take
// little memory at any context length (Milakov and Gimelshein 2018, arXiv:1805.02867).
void attend(const AttentionTask& task, int kv_head, int begin, int end) {
  static thread_local Rows rows;
  rows.kv_head = kv_head;
  rows.begin = begin;
  rows.count = end - begin;
  start(task, rows);
  int stop = task.shape.slot + task.query_of(end - 1) + 1;
  for (int first = task.first_visible(task.query_of(begin)); first < stop; first += kKeys) {
    add_keys(task, rows, first, std::min(kKeys, stop - first));
  }
  int head_dim = task.shape.head_dim;
  for (int i = 0; i < rows.count; ++i) {
    const float* from = rows.outs.data() + static_cast<int64_t>(i) * head_dim;
    float* out = task.out_of(kv_head, begin + i);
    float factor = 1 / rows.sums[static_cast<size_t>(i)];
    for (int c = 0; c < head_dim; ++c) out[c] = from[c] * factor;
  }
}

void attend_blocks(const AttentionTask& task) {
  int heads = task.shape.kv_heads, blocks = (task.rows() + kRows - 1) / kRows;
  parallel_for(heads * blocks, [&](int item) {
    // The last blocks see the most keys. They go first, for an even load at the end.
    int begin = (blocks - 1 - item / heads) * kRows;
    attend(task, item % heads, begin, std::min(task.rows(), begin + kRows));
  });
}

void set_inputs(AttentionTask& task, const std::vector<mx::array>& in, bool fused) {
  const AttentionShape& s = task.shape;
  int64_t queries = task.out_stride(), keys = static_cast<int64_t>(s.kv_heads) * s.head_dim;
  task.length = in[0].shape(1);
  task.q = in[0].data<float>();
  task.k = fused ? task.q + queries : in[1].data<float>();
  task.v = fused ? task.k + keys : in[2].data<float>();
  task.q_stride = fused ? queries + 2 * keys : queries;
  task.kv_stride = fused ? task.q_stride : keys;
  size_t next = fused ? 1 : 3;
  task.capacity = in[next].shape(2);
  task.keys = const_cast<uint8_t*>(in[next].data<uint8_t>());
  task.values = const_cast<uint8_t*>(in[next + 1].data<uint8_t>());
  task.float16 = in[next].dtype() == mx::float16;
  task.sinks = in.size() > next + 2 ? in[next + 2].data<float>() : nullptr;
}

void run(const AttentionTask& task) {
  append(task);
  if (task.shape.outputs == 1) return attend_one(task);
  if (!task.shape.allow_bfloat16 || !attend_by_tiles(task)) attend_blocks(task);
}

}  // namespace

const float* cached_rows(const AttentionTask& task, const void* cache, int kv_head, int slot,
                         int count, std::vector<float>& buffer) {
  int64_t at = task.offset(kv_head, slot);
  if (!task.float16) return static_cast<const float*>(cache) + at;
  int size = count * task.shape.head_dim;
  if (buffer.size() < static_cast<size_t>(size)) buffer.resize(static_cast<size_t>(size));
  simd().widen(static_cast<const uint16_t*>(cache) + at, size, buffer.data());
  return buffer.data();
}

std::shared_ptr<const Angles> angles_at(int position, int length, const Rotation& rotation) {
  static thread_local std::shared_ptr<const Angles> last;
  if (last && last->position == position && last->length == length &&
      last->amplitude == rotation.amplitude && last->frequencies == rotation.frequencies) {
    return last;
  }
  auto angles = std::make_shared<Angles>(
      Angles{position, length, rotation.amplitude, rotation.frequencies, {}, {}});
  for (int i = 0; i < length; ++i) {
    for (float frequency : rotation.frequencies) {
      float angle = static_cast<float>(position + i) * frequency;
      angles->cosines.push_back(rotation.amplitude * std::cos(angle));
      angles->sines.push_back(rotation.amplitude * std::sin(angle));
    }
  }
  return last = angles;
}

void rotate(const AttentionTask& task, int index, const float* source, float* target) {
  int pairs = static_cast<int>(task.angles->frequencies.size());
  const float* cosines = task.angles->cosines.data() + static_cast<int64_t>(index) * pairs;
  const float* sines = task.angles->sines.data() + static_cast<int64_t>(index) * pairs;
  // Channel c is rotated with c + pairs or, interleaved, 2c with 2c + 1.
  if (task.interleaved) {
    for (int c = 0; c < pairs; ++c) {
      float a = source[2 * c], b = source[2 * c + 1];
      target[2 * c] = a * cosines[c] - b * sines[c];
      target[2 * c + 1] = b * cosines[c] + a * sines[c];
    }
  } else {
    for (int c = 0; c < pairs; ++c) {
      float a = source[c], b = source[c + pairs];
      target[c] = a * cosines[c] - b * sines[c];
      target[c + pairs] = b * cosines[c] + a * sines[c];
    }
  }
  std::copy(source + 2 * pairs, source + task.shape.head_dim, target + 2 * pairs);
}

mx::array attention(const std::vector<mx::array>& projected, const mx::array& keys,
                    const mx::array& values, const AttentionShape& shape, const Rotation& rotation,
                    const std::optional<mx::array>& sinks) {
  std::vector<mx::array> inputs = projected;
  inputs.insert(inputs.end(), {keys, values});
  if (sinks) inputs.push_back(*sinks);
  bool fused = projected.size() == 1;
  mx::Shape out_shape{1, shape.outputs, shape.heads * shape.head_dim};
  return cpu_op(
      "Attention", std::move(out_shape), std::move(inputs),
      [shape, fused, frequencies = rotation.frequencies, amplitude = rotation.amplitude,
       interleaved = rotation.interleaved](const std::vector<mx::array>& in, mx::array& out) {
        AttentionTask task{};
        task.shape = shape;
        task.interleaved = interleaved;
        task.out = out.data<float>();
        set_inputs(task, in, fused);
        task.angles = angles_at(shape.position, task.length, {frequencies, amplitude, interleaved});
        run(task);
      });
}

}  // namespace llm_host::cpu
