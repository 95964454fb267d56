#include <algorithm>
#include <vector>

#include "kernels/attention/task.h"
#include "kernels/attention/tiles.h"
#include "kernels/base/thread_pool.h"
#include "kernels/simd/simd.h"

namespace llm_host::cpu {
namespace {

// Fewer rows leave most of a tile empty.
constexpr int kMinRows = 16;
// Blocks of queries that amortise converting a block of keys.
constexpr int kMinBlocks = 12;

struct alignas(64) CacheLine {
  float values[16];
};

int parts_of(int count, int part) { return (count + part - 1) / part; }

// How a call is split into parts: blocks of 32 rows, `row_parts` groups of those, and `key_parts`
// ranges of keys.
class Plan {
 public:
  explicit Plan(const AttentionTask& task)
      : task_(task),
        rows_(task.rows()),
        blocks_(parts_of(rows_, kTileQueries)),
        state_size_(tile_state_size(task.shape.head_dim)) {
    int items = 3 * thread_count(), heads = task.shape.kv_heads;
    row_parts_ = std::clamp(blocks_ / kMinBlocks, 1, parts_of(items, heads));
    // With too few rows to occupy all threads, the keys are split as well.
    key_parts_ = thread_count() == 1 ? 1 : std::clamp(items / (heads * row_parts_), 1, kMaxStates);
    queries_ = buffer(0, static_cast<int64_t>(heads) * blocks_ * query_size() / 2);
    states_ = buffer(1, static_cast<int64_t>(heads) * blocks_ * key_parts_ * state_size_);
  }

  int rows() const { return rows_; }
  int blocks() const { return blocks_; }
  int row_parts() const { return row_parts_; }
  int key_parts() const { return key_parts_; }
  int64_t state_size() const { return state_size_; }

  uint16_t* queries(int head, int block) {
    return reinterpret_cast<uint16_t*>(queries_) + (head * blocks_ + block) * query_size();
  }
  // The state over the first part of the keys; those over the others follow it.
  float* states(int head, int block) {
    int64_t index = static_cast<int64_t>(head * blocks_ + block) * key_parts_;
    return reinterpret_cast<float*>(states_) + index * state_size_;
  }

 private:
  // Kept for the thread's next call, since allocating aligned memory anew each time fragments the
  // heap.
  static CacheLine* buffer(int index, int64_t floats) {
    static thread_local std::vector<CacheLine> buffers[2];
    size_t lines = static_cast<size_t>((floats + 15) / 16);
    if (buffers[index].size() < lines) buffers[index].resize(lines);
    return buffers[index].data();
  }
  int64_t query_size() const { return static_cast<int64_t>(kTileQueries) * task_.shape.head_dim; }

  const AttentionTask& task_;
  int rows_, blocks_, row_parts_, key_parts_;
  int64_t state_size_;
  CacheLine *queries_, *states_;
};

// Rows [first_row, stop_row) and the slots that they see.
struct Visible {
  int first_row, stop_row;
  int first_key, stop_key;  // slots that at least one of them sees
  int all_from, all_to;     // slots that every one of them sees
};

Visible visible_to(const AttentionTask& task, const Plan& plan, int first_row, int stop_row) {
  int first = task.query_of(first_row), last = task.query_of(stop_row - 1);
  int slot = task.shape.slot;
  return {first_row,
          stop_row,
          task.first_visible(first),
          slot + last + 1,
          task.first_visible(last),
          slot + first + 1};
}

Visible visible_to(const AttentionTask& task, const Plan& plan, int block) {
  int first = block * kTileQueries;
  return visible_to(task, plan, first, std::min(plan.rows(), first + kTileQueries));
}

void convert_queries(const AttentionTask& task, const AttentionTiles& kernels, Plan& plan, int head,
                     int block) {
  static thread_local std::vector<float> rows;
  int head_dim = task.shape.head_dim, first = block * kTileQueries;
  int count = std::min(kTileQueries, plan.rows() - first);
  rows.assign(static_cast<size_t>(kTileQueries) * head_dim, 0.0f);
  for (int i = 0; i < count; ++i) {
    rotate_query(task, task.head_of(head, first + i), task.query_of(first + i),
                 rows.data() + i * head_dim);
  }
  for (float& x : rows) x *= task.shape.scale * kLog2E;
  kernels.convert_queries(rows.data(), head_dim, plan.queries(head, block));
  std::fill_n(plan.states(head, block), plan.key_parts() * plan.state_size(), 0.0f);
}

// A block of one head's keys and values as bfloat16 tiles.
struct Keys {
  std::vector<CacheLine> keys, values;
  int first, count;  // slots
};

// Slots [first, first + count) of one head in the caches.
NextKeys cached(const AttentionTask& task, int head, int first, int count) {
  int64_t size = task.float16 ? 2 : 4, at = task.offset(head, first) * size;
  return {static_cast<const uint8_t*>(task.keys) + at,
          static_cast<const uint8_t*>(task.values) + at, count * task.shape.head_dim * size};
}

void convert_keys(const AttentionTask& task, const AttentionTiles& kernels, int head, Keys& block) {
  const AttentionShape& s = task.shape;
  size_t lines = static_cast<size_t>(kBlockKeys) * s.head_dim / 32;
  block.keys.resize(lines);
  block.values.resize(lines);
  NextKeys from = cached(task, head, block.first, block.count);
  kernels.convert_keys(from.keys, task.float16, block.count, s.head_dim,
                       reinterpret_cast<uint16_t*>(block.keys.data()));
  kernels.convert_values(from.values, task.float16, block.count, s.head_dim,
                         reinterpret_cast<uint16_t*>(block.values.data()));
}

// A step with the range of keys that each query sees.
struct Step {
  TileStep tiles;
  int first[kTileQueries], stop[kTileQueries];
};

// The step of one block of queries over one block of keys; false if all of these are masked.
bool make_step(const AttentionTask& task, Plan& plan, int head, int block, const Keys& keys,
               int key_part, Step& step) {
  Visible visible = visible_to(task, plan, block);
  int end = keys.first + keys.count, stop = std::min(end, visible.stop_key);
  if (visible.first_key >= end || stop <= keys.first) return false;
  int count = visible.stop_row - visible.first_row;
  TileStep& next = step.tiles;
  next = {};
  next.queries = plan.queries(head, block);
  next.keys = reinterpret_cast<const uint16_t*>(keys.keys.data());
  next.values = reinterpret_cast<const uint16_t*>(keys.values.data());
  next.head_dim = task.shape.head_dim;
  next.columns = count > kTileQueries / 2 ? 2 : 1;
  next.tiles = parts_of(stop - keys.first, kTileKeys);
  next.state = plan.states(head, block) + key_part * plan.state_size();
  if (visible.all_from <= keys.first && visible.all_to >= keys.first + next.tiles * kTileKeys)
    return true;
  for (int i = 0; i < kTileQueries; ++i) {
    int query = task.query_of(visible.first_row + std::min(i, count - 1));
    step.first[i] = task.first_visible(query) - keys.first;
    step.stop[i] = task.shape.slot + query + 1 - keys.first;
  }
  next.first = step.first;
  next.stop = step.stop;
  return true;
}

// Attention of one part of a head's rows over one part of the keys that they see.
void attend(const AttentionTask& task, const AttentionTiles& kernels, Plan& plan, int head,
            int row_part, int key_part) {
  static thread_local Keys keys;
  static thread_local std::vector<Step> steps;
  static thread_local std::vector<TileStep> run;
  int first = plan.blocks() * row_part / plan.row_parts();
  int stop = plan.blocks() * (row_part + 1) / plan.row_parts();
  steps.resize(static_cast<size_t>(stop - first));
  Visible visible =
      visible_to(task, plan, first * kTileQueries, std::min(plan.rows(), stop * kTileQueries));
  int blocks = parts_of(visible.stop_key - visible.first_key, kBlockKeys);
  int last = blocks * (key_part + 1) / plan.key_parts();
  for (int i = blocks * key_part / plan.key_parts(); i < last; ++i) {
    keys.first = visible.first_key + i * kBlockKeys;
    keys.count = std::min(kBlockKeys, visible.stop_key - keys.first);
    convert_keys(task, kernels, head, keys);
    run.clear();
    for (int block = first; block < stop; ++block) {
      Step& step = steps[run.size()];
      if (make_step(task, plan, head, block, keys, key_part, step)) run.push_back(step.tiles);
    }
    int next = keys.first + keys.count;
    int more = i + 1 < last ? std::min(kBlockKeys, visible.stop_key - next) : 0;
    kernels.run(run.data(), static_cast<int>(run.size()), cached(task, head, next, more));
  }
}

void finish(const AttentionTask& task, const AttentionTiles& kernels, Plan& plan, int head,
            int block) {
  float* out[kTileQueries] = {};
  float sinks[kTileQueries] = {};
  int first = block * kTileQueries;
  int count = std::min(kTileQueries, plan.rows() - first);
  for (int i = 0; i < count; ++i) {
    out[i] = task.out_of(head, first + i);
    if (task.sinks != nullptr) sinks[i] = task.sinks[task.head_of(head, first + i)];
  }
  TileStates states{plan.states(head, block), plan.state_size(), plan.key_parts(),
                    task.shape.head_dim};
  kernels.finish(states, task.sinks == nullptr ? nullptr : sinks, out);
}

}  // namespace

bool attend_by_tiles(const AttentionTask& task) {
  const AttentionTiles* kernels = attention_tiles();
  const AttentionShape& s = task.shape;
  if (kernels == nullptr || task.rows() < kMinRows || s.head_dim % 32 != 0 || s.cap > 0) {
    return false;
  }
  Plan plan(task);
  parallel_for(s.kv_heads * plan.blocks(), [&](int item) {
    convert_queries(task, *kernels, plan, item / plan.blocks(), item % plan.blocks());
  });
  int heads = s.kv_heads, key_parts = plan.key_parts();
  parallel_for(heads * key_parts * plan.row_parts(), [&](int item) {
    // The last rows see the most keys. They go first, for an even load at the end.
    int row_part = plan.row_parts() - 1 - item / (heads * key_parts);
    attend(task, *kernels, plan, item / key_parts % heads, row_part, item % key_parts);
  });
  parallel_for(heads * plan.blocks(), [&](int item) {
    finish(task, *kernels, plan, item / plan.blocks(), item % plan.blocks());
  });
  return true;
}

}  // namespace llm_host::cpu
