// Intel AMX: products of bfloat16 tiles. Only for sources that are compiled with AMX options.
#pragma once

#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace llm_host {
namespace {

// Whether the CPU has AMX with bfloat16 and the kernel permits it: a process must request the large
// tile state first.
inline bool amx_available() {
  unsigned a, b, c, d;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
  bool tiles = (d >> 24 & 1) != 0 && (d >> 22 & 1) != 0;
  bool bfloat16 = __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a >> 5 & 1) != 0;
  if (!tiles || !bfloat16 || !__builtin_cpu_supports("avx512bw")) return false;
  constexpr int kRequest = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, kRequest, kTileData) == 0;
}

// A tile has 16 rows of 64 bytes: an A operand [16][32] bfloat16, a B operand [32][16] bfloat16 as
// [16 pairs of rows][16][2], or an accumulator [16][16] float32.
constexpr int kTileBytes = 1024;
constexpr int kTileFloats = 256;

// Configures all tiles of the calling thread as 16 rows of 64 bytes while in scope.
class TileScope {
 public:
  TileScope() {
    alignas(64) Config config;
    _tile_loadconfig(&config);
  }
  // Released tiles need not be saved at context switches.
  ~TileScope() { _tile_release(); }
  TileScope(const TileScope&) = delete;
  TileScope& operator=(const TileScope&) = delete;

 private:
  struct Config {
    uint8_t palette = 1;
    uint8_t start_row = 0;
    uint8_t reserved[14] = {};
    uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  };
};

// `even` and `odd` rounded to bfloat16, interleaved: a pair in each 32-bit lane.
inline __m512i pair(__m512 even, __m512 odd) {
  const __m512i order = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24,
                                         8, 23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  return _mm512_permutexvar_epi16(order, (__m512i)_mm512_cvtne2ps_pbh(odd, even));
}

// 32 rows of x [32, k] by two columns of B tiles, `left` and `right`, of k / 32 tiles each. x is in
// A tiles [2][k / 32][16][32]. Writes four accumulators: rows 0-15 by left, by right, rows 16-31 by
// left, by right. Each tile that is loaded is used twice.
inline void multiply_square(const uint16_t* x, int k, const uint8_t* left, const uint8_t* right,
                            float* tiles) {
  const uint16_t* lower = x + 16 * k;
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (int c = 0; c < 16 * k; c += 512, left += kTileBytes, right += kTileBytes) {
    _tile_loadd(4, x + c, 64);
    _tile_loadd(6, left, 64);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(7, right, 64);
    _tile_dpbf16ps(1, 4, 7);
    _tile_loadd(5, lower + c, 64);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, tiles, 64);
  _tile_stored(1, tiles + kTileFloats, 64);
  _tile_stored(2, tiles + 2 * kTileFloats, 64);
  _tile_stored(3, tiles + 3 * kTileFloats, 64);
}

// 16 rows of x by one column of B tiles.
inline void multiply_tile(const uint16_t* x, int k, const uint8_t* weights, float* tile) {
  _tile_zero(0);
  for (int c = 0; c < 16 * k; c += 512, weights += kTileBytes) {
    _tile_loadd(4, x + c, 64);
    _tile_loadd(6, weights, 64);
    _tile_dpbf16ps(0, 4, 6);
  }
  _tile_stored(0, tile, 64);
}

}  // namespace
}  // namespace llm_host
