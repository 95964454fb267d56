#include <algorithm>
#include <vector>

#include "kernels/attention/task.h"
#include "kernels/attention/tiles.h"
#include "kernels/base/thread_pool.h"
#include "kernels/simd/simd.h"

namespace llm_host::cpu {
namespace {

// Fewer rows would leave most of a tile empty.
constexpr int kFewestRows = 16;
// Blocks of queries for which it is worth to pack the keys once more.
constexpr int kFewestBlocks = 12;

struct alignas(64) Line {
  float values[16];
};

int parts_of(int count, int part) { return (count + part - 1) / part; }

// How a call is cut up.
class Plan {
 public:
  explicit Plan(const AttentionTask& task)
      : task_(task),
        rows_(task.rows()),
        blocks_(parts_of(rows_, kTileQueries)),
        state_size_(tile_state_size(task.shape.head_dim)) {
    int items = 3 * thread_count(), heads = task.shape.kv_heads;
    row_parts_ = std::clamp(blocks_ / kFewestBlocks, 1, parts_of(items, heads));
    // Where there are too few rows for all threads, each takes some of the keys.
    key_parts_ = thread_count() == 1 ? 1 : std::clamp(items / (heads * row_parts_), 1, kMostStates);
    queries_ = room(0, static_cast<int64_t>(heads) * blocks_ * query_size() / 2);
    states_ = room(1, static_cast<int64_t>(heads) * blocks_ * key_parts_ * state_size_);
  }

  int rows() const { return rows_; }
  int blocks() const { return blocks_; }
  int row_parts() const { return row_parts_; }
  int key_parts() const { return key_parts_; }
  int64_t state_size() const { return state_size_; }

  uint16_t* queries(int head, int block) {
    return reinterpret_cast<uint16_t*>(queries_) + (head * blocks_ + block) * query_size();
  }
  // Of the first part of the keys; those of the others are behind it.
  float* states(int head, int block) {
    int64_t index = static_cast<int64_t>(head * blocks_ + block) * key_parts_;
    return reinterpret_cast<float*>(states_) + index * state_size_;
  }

 private:
  // It stays with the thread: a step needs the same again, and aligned memory that comes and goes
  // leaves gaps.
  static Line* room(int index, int64_t floats) {
    static thread_local std::vector<Line> rooms[2];
    size_t lines = static_cast<size_t>((floats + 15) / 16);
    if (rooms[index].size() < lines) rooms[index].resize(lines);
    return rooms[index].data();
  }
  int64_t query_size() const { return static_cast<int64_t>(kTileQueries) * task_.shape.head_dim; }

  const AttentionTask& task_;
  int rows_, blocks_, row_parts_, key_parts_;
  int64_t state_size_;
  Line *queries_, *states_;
};

// Rows [first, stop) and what they see.
struct Seen {
  int first_row, stop_row;
  int first_key, stop_key;  // slots that any of them sees
  int all_from, all_to;     // slots that all of them see
};

Seen seen_by(const AttentionTask& task, const Plan& plan, int first_row, int stop_row) {
  int first = task.query_of(first_row), last = task.query_of(stop_row - 1);
  int slot = task.shape.slot;
  return {first_row,       stop_row, task.first_seen(first), slot + last + 1, task.first_seen(last),
          slot + first + 1};
}

Seen seen_by(const AttentionTask& task, const Plan& plan, int block) {
  int first = block * kTileQueries;
  return seen_by(task, plan, first, std::min(plan.rows(), first + kTileQueries));
}

void pack_queries(const AttentionTask& task, const AttentionTiles& kernels, Plan& plan, int head,
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
  kernels.pack_queries(rows.data(), head_dim, plan.queries(head, block));
  std::fill_n(plan.states(head, block), plan.key_parts() * plan.state_size(), 0.0f);
}

// A block of one head's keys and values, packed.
struct Keys {
  std::vector<Line> keys, values;
  int first, count;  // slots
};

// Where slots [first, first + count) of one head are.
Ahead stored(const AttentionTask& task, int head, int first, int count) {
  int64_t size = task.halves ? 2 : 4, at = task.offset(head, first) * size;
  return {static_cast<const uint8_t*>(task.keys) + at,
          static_cast<const uint8_t*>(task.values) + at, count * task.shape.head_dim * size};
}

void pack_keys(const AttentionTask& task, const AttentionTiles& kernels, int head, Keys& block) {
  const AttentionShape& s = task.shape;
  size_t lines = static_cast<size_t>(kBlockKeys) * s.head_dim / 32;
  block.keys.resize(lines);
  block.values.resize(lines);
  Ahead from = stored(task, head, block.first, block.count);
  kernels.pack_keys(from.keys, task.halves, block.count, s.head_dim,
                    reinterpret_cast<uint16_t*>(block.keys.data()));
  kernels.pack_values(from.values, task.halves, block.count, s.head_dim,
                      reinterpret_cast<uint16_t*>(block.values.data()));
}

// A step, and what its queries see of the keys.
struct Step {
  TileStep tiles;
  int first[kTileQueries], stop[kTileQueries];
};

// The answer of one block of queries goes on by one block of keys; false if it sees none of them.
bool next_step(const AttentionTask& task, Plan& plan, int head, int block, const Keys& keys,
               int key_part, Step& step) {
  Seen seen = seen_by(task, plan, block);
  int end = keys.first + keys.count, stop = std::min(end, seen.stop_key);
  if (seen.first_key >= end || stop <= keys.first) return false;
  int count = seen.stop_row - seen.first_row;
  TileStep& next = step.tiles;
  next = {};
  next.queries = plan.queries(head, block);
  next.keys = reinterpret_cast<const uint16_t*>(keys.keys.data());
  next.values = reinterpret_cast<const uint16_t*>(keys.values.data());
  next.head_dim = task.shape.head_dim;
  next.columns = count > kTileQueries / 2 ? 2 : 1;
  next.tiles = parts_of(stop - keys.first, kTileKeys);
  next.state = plan.states(head, block) + key_part * plan.state_size();
  if (seen.all_from <= keys.first && seen.all_to >= keys.first + next.tiles * kTileKeys)
    return true;
  for (int i = 0; i < kTileQueries; ++i) {
    int query = task.query_of(seen.first_row + std::min(i, count - 1));
    step.first[i] = task.first_seen(query) - keys.first;
    step.stop[i] = task.shape.slot + query + 1 - keys.first;
  }
  next.first = step.first;
  next.stop = step.stop;
  return true;
}

// A part of the rows of one head with a part of the keys that they see.
void attend(const AttentionTask& task, const AttentionTiles& kernels, Plan& plan, int head,
            int row_part, int key_part) {
  static thread_local Keys keys;
  static thread_local std::vector<Step> steps;
  static thread_local std::vector<TileStep> run;
  int first = plan.blocks() * row_part / plan.row_parts();
  int stop = plan.blocks() * (row_part + 1) / plan.row_parts();
  steps.resize(static_cast<size_t>(stop - first));
  Seen seen = seen_by(task, plan, first * kTileQueries, std::min(plan.rows(), stop * kTileQueries));
  int blocks = parts_of(seen.stop_key - seen.first_key, kBlockKeys);
  int last = blocks * (key_part + 1) / plan.key_parts();
  for (int i = blocks * key_part / plan.key_parts(); i < last; ++i) {
    keys.first = seen.first_key + i * kBlockKeys;
    keys.count = std::min(kBlockKeys, seen.stop_key - keys.first);
    pack_keys(task, kernels, head, keys);
    run.clear();
    for (int block = first; block < stop; ++block) {
      Step& step = steps[run.size()];
      if (next_step(task, plan, head, block, keys, key_part, step)) run.push_back(step.tiles);
    }
    int next = keys.first + keys.count;
    int more = i + 1 < last ? std::min(kBlockKeys, seen.stop_key - next) : 0;
    kernels.run(run.data(), static_cast<int>(run.size()), stored(task, head, next, more));
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
  if (kernels == nullptr || task.rows() < kFewestRows || s.head_dim % 32 != 0) {
    return false;
  }
  Plan plan(task);
  parallel_for(s.kv_heads * plan.blocks(), [&](int item) {
    pack_queries(task, *kernels, plan, item / plan.blocks(), item % plan.blocks());
  });
  int heads = s.kv_heads, key_parts = plan.key_parts();
  parallel_for(heads * key_parts * plan.row_parts(), [&](int item) {
    // The last rows see the most keys: they go first.
    int row_part = plan.row_parts() - 1 - item / (heads * key_parts);
    attend(task, *kernels, plan, item / key_parts % heads, row_part, item % key_parts);
  });
  parallel_for(heads * plan.blocks(), [&](int item) {
    finish(task, *kernels, plan, item / plan.blocks(), item % plan.blocks());
  });
  return true;
}

}  // namespace llm_host::cpu
