#pragma once

#include <cstdint>

namespace llm_host {

// The two products of attention over many queries, by a matrix unit that multiplies tiles of
// bfloat16 numbers and sums in float32. Keys and values are first packed into tiles of 32 keys.
struct AttentionTiles {
  // One kv head's keys or values [32, head_dim], of which `count` are there and the others count as
  // 0. `tile` is their number among `tiles`; out [tiles · 32 · head_dim] bfloat16.
  void (*pack_keys)(const float* keys, int count, int head_dim, int tile, uint16_t* out);
  void (*pack_values)(const float* values, int count, int head_dim, int tile, int tiles,
                      uint16_t* out);
  // [n] -> bfloat16, to nearest; n a multiple of 32.
  void (*round)(const float* x, int n, uint16_t* out);
  // scores [32, stride]: queries [32, head_dim] · the keys of tiles [begin, end).
  void (*scores)(const uint16_t* queries, const uint16_t* keys, int begin, int end, int head_dim,
                 float* scores, int64_t stride);
  // out [32, head_dim]: shares [32, stride], of the keys of tiles [begin, end), · their values.
  void (*weighted_sum)(const uint16_t* shares, int64_t stride, const uint16_t* values, int begin,
                       int end, int tiles, int head_dim, float* out);
};

// Queries that are answered together, and keys of a tile.
constexpr int kTileQueries = 32;
constexpr int kTileKeys = 32;

// nullptr where packed_tiles() is. For heads of a multiple of 32 channels.
const AttentionTiles* attention_tiles();

}  // namespace llm_host
