#pragma once

#include "kernels/packed/form/matrix.h"

namespace llm_host {

// Affine weights are truncated to bfloat16, which takes two instructions where rounding takes five.
// They are multiplied by this first: it adds half a unit in the last place on average, as much as
// the truncation drops.
constexpr float kTruncationScale = 1 + 0.36f / 128;

// A block of weights as bfloat16 tiles: [cols / 2][16 rows][2 columns]; `out` is aligned to 64
// bytes. For matrices of quantized kinds or float16, on a CPU with AVX-512; without it in this
// build, ends the program.
void unpack_panel(const PackedMatrix& matrix, int block, uint8_t* out);
// Whether this build and CPU have it.
bool panels_available();

}  // namespace llm_host
