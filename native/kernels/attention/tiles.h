#pragma once

#include <cstdint>

#include "kernels/base/instruction_sets.h"

namespace llm_host {

// Queries computed together, as the columns of two tiles.
constexpr int kTileQueries = 32;
// Keys converted together, and keys of a tile.
constexpr int kBlockKeys = 128;
constexpr int kTileKeys = 32;

// Ranges of keys that one query's output may be merged from.
constexpr int kMaxStates = 16;
constexpr float kLog2E = 1.44269504f;

// Floats of the running state of 32 queries: negated offsets of their scores [32], sums of their
// softmax weights [32], and unnormalised output in tiles [head_dim / 16][2][16 channels][16
// queries]. All 0 at first.
inline int64_t tile_state_size(int head_dim) {
  return 2 * kTileQueries + static_cast<int64_t>(kTileQueries) * head_dim;
}

// One step of attention: 32 queries, and a block of keys with its values.
struct TileStep {
  const uint16_t *queries, *keys, *values;  // bfloat16, as AttentionTiles converts them
  int head_dim;
  int columns;  // tiles of 16 queries that are in use: 1 or 2
  int tiles;    // tiles of 32 keys that any of the queries sees
  // Query i sees keys [first[i], stop[i]) of the block; nullptr: all of them.
  const int *first, *stop;
  float* state;
};

// The keys and values that the next call of `run` will need, to be prefetched in the meantime.
struct NextKeys {
  const void *keys, *values;
  int64_t bytes;  // of each
};

// The states of the same 32 queries over several ranges of keys.
struct TileStates {
  const float* first;
  int64_t stride;  // floats from one to the next
  int count;       // at most kMaxStates
  int head_dim;
};

// Attention of many queries by a matrix unit that multiplies bfloat16 tiles and accumulates in
// float32. The scores of a block stay in the L1 cache: softmax is online, relative to an offset
// that follows the running maximum (Milakov and Gimelshein 2018, arXiv:1805.02867).
struct AttentionTiles {
  // These write bfloat16 tiles. x [32, head_dim], scaled so that a score is the log2 of its softmax
  // weight.
  void (*convert_queries)(const float* x, int head_dim, uint16_t* out);
  // Rows [count, head_dim] of a cache, at most a block, padded with 0 to whole tiles.
  void (*convert_keys)(const void* keys, bool float16, int count, int head_dim, uint16_t* out);
  void (*convert_values)(const void* values, bool float16, int count, int head_dim, uint16_t* out);
  // Steps of different queries.
  void (*run)(const TileStep* steps, int count, const NextKeys& next);
  // Merges the states and writes query i's output to out[i] [head_dim], unless that is nullptr.
  // `sinks`: a logit for each query, or nullptr.
  void (*finish)(const TileStates& states, const float* sinks, float* const* out);
};

// The fastest, or nullptr if the build, the CPU or the system has no matrix unit. head_dim must be
// a multiple of 32.
const AttentionTiles* attention_tiles();

}  // namespace llm_host
