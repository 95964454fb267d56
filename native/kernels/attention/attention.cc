#include "kernels/attention/attention.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/attention/task.h"
#include "kernels/base/cpu_op.h"
#include "kernels/base/reproducible.h"
#include "kernels/base/thread_pool.h"
#include "kernels/simd/simd.h"

namespace llm_host::cpu {
namespace {

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
  if (!task.shape.allow_bfloat16 || !attend_by_tiles(task)) attend_many(task);
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
  return cpu_op("Attention", std::move(out_shape), std::move(inputs),
                [shape, fused, same = reproducible(), frequencies = rotation.frequencies,
                 amplitude = rotation.amplitude, interleaved = rotation.interleaved](
                    const std::vector<mx::array>& in, mx::array& out) {
                  AttentionTask task{};
                  task.shape = shape;
                  task.shape.allow_bfloat16 = shape.allow_bfloat16 && !same;
                  task.interleaved = interleaved;
                  task.out = out.data<float>();
                  set_inputs(task, in, fused);
                  task.angles =
                      angles_at(shape.position, task.length, {frequencies, amplitude, interleaved});
                  run(task);
                });
}

}  // namespace llm_host::cpu
