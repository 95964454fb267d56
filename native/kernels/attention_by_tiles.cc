#include <algorithm>
#include <vector>

#include "kernels/attention_task.h"
#include "kernels/attention_tiles.h"
#include "kernels/packed_tiles.h"
#include "kernels/simd.h"
#include "kernels/thread_pool.h"

namespace llm_host::cpu {
namespace {

// Fewer queries would leave most of a tile empty.
constexpr int kFewest = 16;

// The keys and values of all kv heads from slot `first` on, in tiles.
struct Packed {
  int first;  // a slot
  int tiles;
  int64_t head_size;
  std::vector<uint16_t> keys, values;
};

const AttentionTiles* tiles() {
  static const AttentionTiles* chosen = simd_wanted("amx") ? attention_tiles() : nullptr;
  return chosen;
}

void pack(const AttentionTask& task, const AttentionTiles& kernels, Packed& packed) {
  const AttentionShape& s = task.shape;
  packed.first = task.first_seen(0);
  int count = s.slot + task.length - packed.first;
  packed.tiles = (count + kTileKeys - 1) / kTileKeys;
  packed.head_size = static_cast<int64_t>(packed.tiles) * kTileKeys * s.head_dim;
  size_t size = static_cast<size_t>(packed.head_size * s.kv_heads);
  if (packed.keys.size() < size) {
    packed.keys.resize(size);
    packed.values.resize(size);
  }
  parallel_for(s.kv_heads * packed.tiles, [&](int item) {
    int head = item / packed.tiles, tile = item % packed.tiles, key = tile * kTileKeys;
    int there = std::min(kTileKeys, count - key);
    static thread_local std::vector<float> rows;
    auto rows_of = [&](const void* cache) {
      return cached_rows(task, cache, head, packed.first + key, there, rows);
    };
    kernels.pack_keys(rows_of(task.keys), there, s.head_dim, tile,
                      packed.keys.data() + head * packed.head_size);
    kernels.pack_values(rows_of(task.values), there, s.head_dim, tile, packed.tiles,
                        packed.values.data() + head * packed.head_size);
  });
}

// Queries [begin, begin + kTileQueries) of one head, as far as they are there.
void attend(const AttentionTask& task, const AttentionTiles& kernels, const Packed& packed,
            int head, int begin) {
  static thread_local std::vector<float> floats;
  static thread_local std::vector<uint16_t> halves;
  const AttentionShape& s = task.shape;
  int count = std::min(kTileQueries, task.length - begin);
  int first_tile = (task.first_seen(begin) - packed.first) / kTileKeys;
  int first = packed.first + first_tile * kTileKeys;
  int span = s.slot + begin + count - first;
  int last_tile = first_tile + (span + kTileKeys - 1) / kTileKeys;
  int width = (last_tile - first_tile) * kTileKeys, stride = width + kTileKeys;
  int queries = kTileQueries * s.head_dim;
  floats.resize(static_cast<size_t>(queries) + static_cast<size_t>(kTileQueries) * stride);
  halves.resize(static_cast<size_t>(queries) + static_cast<size_t>(kTileQueries) * width);
  float *rows = floats.data(), *scores = rows + queries;
  uint16_t *rounded = halves.data(), *shares = rounded + queries;

  for (int i = 0; i < count; ++i) rotate_query(task, head, begin + i, rows + i * s.head_dim);
  kernels.round(rows, queries, rounded);
  int64_t kv = head / task.group() * packed.head_size;
  kernels.scores(rounded, packed.keys.data() + kv, first_tile, last_tile, s.head_dim, scores,
                 stride);
  for (int64_t i = 0; i < count; ++i) {
    take_shares(task, head, begin + static_cast<int>(i), first, width, scores + i * stride);
    kernels.round(scores + i * stride, width, shares + i * width);
  }
  std::fill(shares + static_cast<int64_t>(count) * width,
            shares + static_cast<int64_t>(kTileQueries) * width, uint16_t{0});
  kernels.weighted_sum(shares, width, packed.values.data() + kv, first_tile, last_tile,
                       packed.tiles, s.head_dim, rows);
  for (int i = 0; i < count; ++i) {
    std::copy_n(rows + i * s.head_dim, s.head_dim,
                task.out + (begin + i) * task.out_stride() + head * s.head_dim);
  }
}

}  // namespace

bool attend_by_tiles(const AttentionTask& task) {
  const AttentionTiles* kernels = tiles();
  const AttentionShape& s = task.shape;
  if (kernels == nullptr || task.length < kFewest || s.head_dim % 32 != 0) return false;
  static thread_local Packed packed;
  pack(task, *kernels, packed);
  int blocks = (task.length + kTileQueries - 1) / kTileQueries;
  const Packed& ready = packed;
  parallel_for(s.heads * blocks, [&](int item) {
    // The last blocks see the most keys: they go first.
    int block = blocks - 1 - item / s.heads;
    attend(task, *kernels, ready, item % s.heads, block * kTileQueries);
  });
  return true;
}

}  // namespace llm_host::cpu
