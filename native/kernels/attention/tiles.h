#pragma once

#include <cstdint>

#include "kernels/base/instruction_sets.h"

namespace llm_host {

// Queries that are answered together, as columns of two tiles; keys that are packed together.
constexpr int kTileQueries = 32;
constexpr int kBlockKeys = 128;
constexpr int kTileKeys = 32;

// Ranges of keys that one query's answer may be summed from.
constexpr int kMostStates = 16;
constexpr float kLog2E = 1.44269504f;

// What 32 queries have summed up so far, floats: the negated offsets of their scores [32], the sums
// of their shares [32], their unnormalised output in tiles [head_dim / 16][2][16 channels][16
// queries]. All 0 at first.
inline int64_t tile_state_size(int head_dim) {
  return 2 * kTileQueries + static_cast<int64_t>(kTileQueries) * head_dim;
}

// One step of attention: 32 queries, and a block of keys with its values.
struct TileStep {
  const uint16_t *queries, *keys, *values;  // packed
  int head_dim;
  int columns;  // tiles of 16 queries that are needed: 1 or 2
  int tiles;    // tiles of 32 keys that are seen
  // Query i sees the block's keys [first[i], stop[i]); nullptr: all of them.
  const int *first, *stop;
  float* state;
};

// Keys and values that will be packed next.
struct Ahead {
  const void *keys, *values;
  int64_t bytes;  // of each
};

// The states of the same 32 queries over several ranges of keys.
struct TileStates {
  const float* first;
  int64_t stride;  // from one to the next
  int count;       // at most kMostStates
  int head_dim;
};

// Attention of many queries by a matrix unit that multiplies tiles of bfloat16 numbers and sums in
// float32. Scores never leave the first cache: shares are relative to an offset that follows the
// highest score seen (Milakov and Gimelshein 2018, arXiv:1805.02867).
struct AttentionTiles {
  // x [32, head_dim], scaled so that scores are powers of two -> bfloat16.
  void (*pack_queries)(const float* x, int head_dim, uint16_t* out);
  // Rows [count, head_dim] of a cache, float16 or float32, up to a block -> bfloat16, filled up
  // with 0 to whole tiles.
  void (*pack_keys)(const void* keys, bool halves, int count, int head_dim, uint16_t* out);
  void (*pack_values)(const void* values, bool halves, int count, int head_dim, uint16_t* out);
  // Steps of different queries.
  void (*run)(const TileStep* steps, int count, const Ahead& ahead);
  // Query i's answer to out[i] [head_dim], unless that is nullptr. `sinks`: a logit each, or
  // nullptr.
  void (*finish)(const TileStates& states, const float* sinks, float* const* out);
};

// The fastest, or nullptr if the build, the CPU or the system has no matrix unit. For heads of a
// multiple of 32 channels.
const AttentionTiles* attention_tiles();

}  // namespace llm_host
