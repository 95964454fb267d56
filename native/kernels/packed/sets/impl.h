// Products with packed matrices, written once over vectors of 16 lanes, which the compiler splits
// where the CPU's are shorter. Included by one source per instruction set, which defines
// `add_group` and `add_columns` itself or includes block_sums.h for them. Each is compiled with its
// own options, so nothing here may call an inline function of a library: see simd/impl.h.
#pragma once

#include "kernels/packed/sets/kernels.h"
#include "kernels/packed/sets/scales.h"

namespace llm_host {
namespace {

typedef float Floats __attribute__((vector_size(64)));
typedef int32_t Ints __attribute__((vector_size(64)));

constexpr int kRows = PackedMatrix::kBlockRows, kParts = kRows / kLanes;
// Bytes to prefetch ahead: the hardware prefetcher stops at page boundaries.
constexpr int kAhead = 4096;
// Up to so many rows, reading the weights takes longer than computing with them.
constexpr int kRowsStreamed = 2;

constexpr bool is_quantized(Kind kind) { return kind != Kind::kBfloat16 && kind != Kind::kFloat16; }
// A constant where the scales allow only one size.
template <Scales S>
inline int group_size(const PackedMatrix& w) {
  switch (S) {
    case Scales::kSignedBytes:
    case Scales::kFloat8:
      return 16;
    case Scales::kSymmetric:
    case Scales::kSixBits:
    case Scales::kExponents:
      return 32;
    default:
      return w.group_size;
  }
}
// A group of columns in a block, and how far it is to the next block's.
struct GroupOfBlocks {
  const uint8_t* codes;
  int64_t block_bytes;
  const ScalesAndBiases* scales;  // [blocks][parts], a unit's groups apart
  int index, count;               // of the groups of a block
};

// Adds to `totals` [B][M] the products of B blocks of weights that follow each other with rows
// [first, first + M) of x over the columns of a group.
template <Kind K, Scales S, int B, int M>
inline void add_group(const PackedMatrix& w, const GroupOfBlocks& group, const PackedInput& x,
                      int first, Floats* totals);
// Handles all columns of a dense block, which begins at `source`.
template <Kind K, int M>
inline void add_columns(const PackedMatrix& w, const uint8_t* source, const PackedInput& x,
                        int first, Floats* totals);

inline Floats splat(float x) { return Floats{} + x; }

// Stores the products of block `block` with rows [first, first + M) of x. `rows`: of the matrix.
template <int M>
inline void store_block(const PackedOutput& out, int block, int rows, int first,
                        const Floats* totals) {
  int row = block * kRows, count = rows - row < kRows ? rows - row : kRows;
  for (int m = 0; m < M; ++m) {
    int64_t at = (first + m) * out.stride + row;
    if (count == kRows) {
      Floats total = totals[m];
      if (out.bias != nullptr) total += load<Floats>(out.bias + row);
      if (out.residual != nullptr) total += load<Floats>(out.residual + at);
      __builtin_memcpy(out.y + at, &total, sizeof total);
      continue;
    }
    for (int i = 0; i < count; ++i) {
      float total = totals[m][i];
      if (out.bias != nullptr) total += out.bias[row + i];
      if (out.residual != nullptr) total += out.residual[at + i];
      out.y[at + i] = total;
    }
  }
}

inline void prefetch(const uint8_t* source, int64_t bytes) {
  for (int64_t line = 0; line < bytes; line += 64) __builtin_prefetch(source + line);
}

// Panels of x that are multiplied with a unit before the next one, where its scales take long to
// unpack.
template <Scales S>
constexpr int kPanelsAtOnce = PackedMatrix::unit_groups(S) > 1 ? 4 : 1;

// `panels` times M rows of x, from row `first` on, by B blocks.
template <Kind K, Scales S, int B, int M>
inline void multiply_blocks(const PackedMatrix& w, const PackedInput& x, int block, int first,
                            int panels, const PackedOutput& out) {
  const int64_t block_bytes = w.block_bytes();
  const uint8_t* source = w.data + block * block_bytes;
  Floats totals[kPanelsAtOnce<S>][B * M] = {};
  if constexpr (is_quantized(K)) {
    constexpr int kGroups = PackedMatrix::unit_groups(S), kHeader = PackedMatrix::header_bytes(S);
    ScalesAndBiases scales[B * kParts][kGroups];
    int64_t step = w.group_bytes();
    int groups = w.groups();
    for (int g = 0; g < groups; g += kGroups, source += kHeader + kGroups * step) {
      if constexpr (M <= kRowsStreamed) prefetch(source + kAhead, kHeader);
      for (int p = 0; p < B * kParts; ++p) {
        load_scales<S>(w, source + p / kParts * block_bytes, p % kParts, scales[p]);
      }
      // The first rows read the next blocks from memory for all.
      if (M > kRowsStreamed && first == 0) {
        for (int b = B; b < 2 * B; ++b) {
          prefetch(source + b * block_bytes, kHeader + kGroups * step);
        }
      }
      for (int panel = 0; panel < panels; ++panel) {
        for (int i = 0; i < kGroups; ++i) {
          const uint8_t* codes = source + kHeader + i * step;
          if constexpr (M <= kRowsStreamed) prefetch(codes + kAhead, step);
          GroupOfBlocks group{codes, block_bytes, &scales[0][i], g + i, groups};
          add_group<K, S, B, M>(w, group, x, first + panel * M, totals[panel]);
        }
      }
    }
  } else {
    for (int b = 0; b < B; ++b) {
      add_columns<K, M>(w, source + b * block_bytes, x, first, totals[0] + b * M);
    }
  }
  for (int panel = 0; panel < panels; ++panel) {
    for (int b = 0; b < B; ++b) {
      store_block<M>(out, block + b, w.rows, first + panel * M, totals[panel] + b * M);
    }
  }
}

// Rows of x and blocks at a time: as many as leave the accumulators in registers.
constexpr int kRowsAtOnce = LLM_HOST_PACKED_ROWS;
constexpr int kBlocksAtOnce = LLM_HOST_PACKED_BLOCKS;

// Rows from m on: M at a time, and the rest half as many at a time.
template <Kind K, Scales S, int M>
void multiply_rows(const PackedMatrix& w, const PackedInput& x, int begin, int end, int m,
                   const PackedOutput& out) {
  constexpr int kBlocks = M > kRowsStreamed ? kBlocksAtOnce : 1;
  while (m + M <= x.m) {
    int rest = (x.m - m) / M, panels = rest < kPanelsAtOnce<S> ? rest : kPanelsAtOnce<S>;
    int b = begin;
    for (; b + kBlocks <= end; b += kBlocks) {
      multiply_blocks<K, S, kBlocks, M>(w, x, b, m, panels, out);
    }
    for (; b < end; ++b) multiply_blocks<K, S, 1, M>(w, x, b, m, panels, out);
    m += panels * M;
  }
  if constexpr (M > 1) {
    if (m < x.m) multiply_rows<K, S, M / 2>(w, x, begin, end, m, out);
  }
}

template <Kind K, Scales S>
void multiply_kind(const PackedMatrix& w, const PackedInput& x, int begin, int end,
                   const PackedOutput& out) {
  multiply_rows<K, S, kRowsAtOnce>(w, x, begin, end, 0, out);
}

// The forms that exist: see weights/ggml.cc, and Packed::pack for those with biases.
constexpr bool exists(Kind kind, Scales scales) {
  switch (scales) {
    case Scales::kFloat16:
    case Scales::kBfloat16:
    case Scales::kFloat32:
      return kind != Kind::kFloat4;
    case Scales::kSymmetric:
      return kind == Kind::kAffine4 || kind == Kind::kAffine5 || kind == Kind::kAffine8;
    case Scales::kSixBits:
      return kind == Kind::kAffine4 || kind == Kind::kAffine5;
    case Scales::kSignedBytes:
      return kind == Kind::kAffine6;
    case Scales::kExponents:
    case Scales::kFloat8:
      return kind == Kind::kFloat4;
  }
  return false;
}

template <Kind K, Scales S>
void multiply_form(const PackedMatrix& w, const PackedInput& x, int begin, int end,
                   const PackedOutput& out) {
  if constexpr (exists(K, S)) {
    multiply_kind<K, S>(w, x, begin, end, out);
  } else {
    __builtin_trap();
  }
}

template <Kind K>
void multiply_scaled(const PackedMatrix& w, const PackedInput& x, int begin, int end,
                     const PackedOutput& out) {
  switch (w.scales) {
    case Scales::kFloat16:
      return multiply_form<K, Scales::kFloat16>(w, x, begin, end, out);
    case Scales::kBfloat16:
      return multiply_form<K, Scales::kBfloat16>(w, x, begin, end, out);
    case Scales::kFloat32:
      return multiply_form<K, Scales::kFloat32>(w, x, begin, end, out);
    case Scales::kSymmetric:
      return multiply_form<K, Scales::kSymmetric>(w, x, begin, end, out);
    case Scales::kSixBits:
      return multiply_form<K, Scales::kSixBits>(w, x, begin, end, out);
    case Scales::kSignedBytes:
      return multiply_form<K, Scales::kSignedBytes>(w, x, begin, end, out);
    case Scales::kExponents:
      return multiply_form<K, Scales::kExponents>(w, x, begin, end, out);
    case Scales::kFloat8:
      return multiply_form<K, Scales::kFloat8>(w, x, begin, end, out);
  }
}

void multiply(const PackedMatrix& w, const PackedInput& x, int begin, int end,
              const PackedOutput& out) {
  switch (w.kind) {
    case Kind::kAffine2:
      return multiply_scaled<Kind::kAffine2>(w, x, begin, end, out);
    case Kind::kAffine3:
      return multiply_scaled<Kind::kAffine3>(w, x, begin, end, out);
    case Kind::kFloat4:
      return multiply_scaled<Kind::kFloat4>(w, x, begin, end, out);
    case Kind::kAffine4:
      return multiply_scaled<Kind::kAffine4>(w, x, begin, end, out);
    case Kind::kAffine5:
      return multiply_scaled<Kind::kAffine5>(w, x, begin, end, out);
    case Kind::kAffine6:
      return multiply_scaled<Kind::kAffine6>(w, x, begin, end, out);
    case Kind::kAffine8:
      return multiply_scaled<Kind::kAffine8>(w, x, begin, end, out);
    case Kind::kBfloat16:
      return multiply_kind<Kind::kBfloat16, Scales::kFloat32>(w, x, begin, end, out);
    case Kind::kFloat16:
      return multiply_kind<Kind::kFloat16, Scales::kFloat32>(w, x, begin, end, out);
  }
}

}  // namespace
}  // namespace llm_host
