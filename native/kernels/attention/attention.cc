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

// Sequences of a step whose angles are computed once for all layers.
constexpr size_t kAnglesKept = 64;

void append(const AttentionTask& task, int head, int index) {
  const AttentionShape& s = task.shape;
  int64_t from = index * task.kv_stride + static_cast<int64_t>(head) * s.head_dim;
  int64_t to = task.offset(head, s.slot + index);
  if (!task.float16) {
    rotate(task, index, task.k + from, static_cast<float*>(task.keys) + to);
    if (!s.keys_are_values) {
      std::copy_n(task.v + from, s.head_dim, static_cast<float*>(task.values) + to);
    }
    return;
  }
  static thread_local std::vector<float> key;
  key.resize(static_cast<size_t>(s.head_dim));
  rotate(task, index, task.k + from, key.data());
  simd().narrow(key.data(), s.head_dim, static_cast<uint16_t*>(task.keys) + to);
  if (s.keys_are_values) return;
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

// Position `index` of the projections and those after it.
void set_projected(AttentionTask& task, const std::vector<mx::array>& in, bool fused, int index) {
  const AttentionShape& s = task.shape;
  int64_t queries = task.out_stride(), keys = static_cast<int64_t>(s.kv_heads) * s.head_dim;
  task.q_stride = fused ? queries + 2 * keys : queries;
  task.kv_stride = fused ? task.q_stride : keys;
  task.q = in[0].data<float>() + index * task.q_stride;
  if (!s.appends) return;
  task.k = fused ? task.q + queries : in[1].data<float>() + index * keys;
  if (s.keys_are_values) return;
  task.v = fused ? task.k + keys : in[2].data<float>() + index * keys;
}

void set_cache(AttentionTask& task, const mx::array& keys, const mx::array& values) {
  task.capacity = keys.shape(2);
  task.keys = const_cast<uint8_t*>(keys.data<uint8_t>());
  task.values = const_cast<uint8_t*>(values.data<uint8_t>());
  task.float16 = keys.dtype() == mx::float16;
}

// Which extras are the last inputs.
struct ExtraInputs {
  bool sinks, query_weights;
};

ExtraInputs add_extras(const AttentionExtras& extras, std::vector<mx::array>& inputs) {
  for (const auto& extra : {extras.sinks, extras.query_weights}) {
    if (extra) inputs.push_back(*extra);
  }
  return {extras.sinks.has_value(), extras.query_weights.has_value()};
}

void set_extras(AttentionTask& task, const std::vector<mx::array>& in, ExtraInputs given) {
  size_t end = in.size();
  if (given.query_weights) task.query_weights = in[--end].data<float>();
  if (given.sinks) task.sinks = in[--end].data<float>();
}

void run(const AttentionTask& task) {
  if (task.shape.appends) append(task);
  if (task.shape.outputs == 1) return attend_last({&task, 1});
  if (!task.shape.allow_bfloat16 || !attend_by_tiles(task)) attend_many(task);
}

}  // namespace

const float* cached_rows(const AttentionTask& task, const void* cache, int kv_head, int slot,
                         int count, std::vector<float>& buffer) {
  int64_t at = task.offset(kv_head, slot);
  if (!task.float16) return static_cast<const float*>(cache) + at;
  int size = count * task.shape.head_dim;
  // From a cache line's beginning, as a vector that crosses two takes twice as long.
  constexpr size_t kLine = 64, kSpare = kLine / sizeof(float);
  if (buffer.size() < static_cast<size_t>(size) + kSpare) {
    buffer.resize(static_cast<size_t>(size) + kSpare);
  }
  uintptr_t address = reinterpret_cast<uintptr_t>(buffer.data());
  float* out = reinterpret_cast<float*>((address + kLine - 1) / kLine * kLine);
  simd().widen(static_cast<const uint16_t*>(cache) + at, size, out);
  return out;
}

std::shared_ptr<const Angles> angles_at(int position, int length, const Rotation& rotation) {
  static thread_local std::vector<std::shared_ptr<const Angles>> kept;
  static thread_local size_t next = 0;
  for (const auto& one : kept) {
    if (one->position == position && one->length == length &&
        one->amplitude == rotation.amplitude && one->frequencies == rotation.frequencies) {
      return one;
    }
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
  if (kept.size() < kAnglesKept) kept.emplace_back();
  next = (next + 1) % kept.size();
  return kept[next] = angles;
}

void rotate(const Angles& angles, bool interleaved, int index, int head_dim, const float* source,
            float* target) {
  int pairs = static_cast<int>(angles.frequencies.size());
  const float* cosines = angles.cosines.data() + static_cast<int64_t>(index) * pairs;
  const float* sines = angles.sines.data() + static_cast<int64_t>(index) * pairs;
  // Channel c is rotated with c + pairs or, interleaved, 2c with 2c + 1.
  if (interleaved) {
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
  std::copy(source + 2 * pairs, source + head_dim, target + 2 * pairs);
}

mx::array attention(const std::vector<mx::array>& projected, const mx::array& keys,
                    const mx::array& values, const AttentionShape& shape, const Rotation& rotation,
                    const AttentionExtras& extras) {
  std::vector<mx::array> inputs = projected;
  inputs.insert(inputs.end(), {keys, values});
  ExtraInputs given = add_extras(extras, inputs);
  size_t caches = projected.size();
  bool fused = shape.appends && caches == 1;
  mx::Shape out_shape{1, shape.outputs, shape.heads * shape.head_dim};
  return cpu_op(
      "Attention", std::move(out_shape), std::move(inputs),
      [shape, fused, caches, given, same = reproducible(), frequencies = rotation.frequencies,
       amplitude = rotation.amplitude,
       interleaved = rotation.interleaved](const std::vector<mx::array>& in, mx::array& out) {
        AttentionTask task{};
        task.shape = shape;
        task.shape.allow_bfloat16 = shape.allow_bfloat16 && !same;
        task.interleaved = interleaved;
        task.out = out.data<float>();
        task.length = in[0].shape(1);
        set_projected(task, in, fused, 0);
        set_cache(task, in[caches], in[caches + 1]);
        set_extras(task, in, given);
        task.angles = angles_at(shape.position, task.length, {frequencies, amplitude, interleaved});
        run(task);
      });
}

namespace {

// A row, with its caches where they are not inputs of the operation.
struct RowPlan {
  int slot, position;
  std::vector<float> frequencies;
  float amplitude;
  bool interleaved;
  std::optional<mx::array> keys, values;
};

// The first `projections` inputs are followed by the caches of each row.
void run_step(AttentionShape shape, const std::vector<RowPlan>& rows, size_t projections,
              ExtraInputs given, const std::vector<mx::array>& in, mx::array& out) {
  std::vector<AttentionTask> tasks;
  shape.outputs = 1;
  size_t cache = projections;
  bool fused = shape.appends && projections == 1;
  for (const RowPlan& row : rows) {
    AttentionTask& task = tasks.emplace_back();
    task.shape = shape;
    task.shape.slot = row.slot;
    task.shape.position = row.position;
    task.length = 1;
    int index = static_cast<int>(tasks.size()) - 1;
    set_projected(task, in, fused, index);
    if (row.keys) {
      set_cache(task, *row.keys, *row.values);
    } else {
      set_cache(task, in[cache], in[cache + 1]);
      cache += 2;
    }
    set_extras(task, in, given);
    task.out = out.data<float>() + index * task.out_stride();
    task.interleaved = row.interleaved;
    task.angles = angles_at(row.position, 1, {row.frequencies, row.amplitude, row.interleaved});
    if (shape.appends) append(task);
  }
  attend_last(tasks);
}

}  // namespace

mx::array attention_step(const std::vector<mx::array>& projected,
                         std::span<const AttentionRow> rows, const AttentionShape& shape,
                         const AttentionExtras& extras) {
  std::vector<mx::array> inputs = projected;
  std::vector<RowPlan> plans;
  for (const AttentionRow& row : rows) {
    const Rotation& r = row.rotation;
    RowPlan& plan = plans.emplace_back(
        RowPlan{row.slot, row.position, r.frequencies, r.amplitude, r.interleaved, {}, {}});
    // MLX takes longer for an input than a short sequence's attention takes, and these wait for
    // nothing.
    if (row.keys.is_available() && row.values.is_available()) {
      plan.keys = row.keys;
      plan.values = row.values;
    } else {
      inputs.insert(inputs.end(), {row.keys, row.values});
    }
  }
  ExtraInputs given = add_extras(extras, inputs);
  mx::Shape out_shape{1, static_cast<int>(rows.size()), shape.heads * shape.head_dim};
  return cpu_op("AttentionStep", std::move(out_shape), std::move(inputs),
                [shape, plans = std::move(plans), projections = projected.size(), given](
                    const std::vector<mx::array>& in, mx::array& out) {
                  run_step(shape, plans, projections, given, in, out);
                });
}

}  // namespace llm_host::cpu
