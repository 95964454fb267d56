#pragma once

#include <cstdint>

#include "weights/quantize/quantization.h"

namespace llm_host {

enum class FloatType { kF32, kF16, kBF16 };

// Where to write quantized rows: pointers to the first.
struct QuantizedRows {
  uint8_t* words;        // cols · bits / 8 bytes a row
  float* scales;         // mode affine: cols / group_size a row, rounded to the source's type
  float* biases;         // mode affine
  uint8_t* byte_scales;  // the other modes
};

// Quantizes rows of floats to the same bits as MLX's `quantize`, mode affine on all cores (MLX's
// CPU backend has one thread). `cols` is a multiple of the group size.
void quantize_rows(const Quantization& quantization, FloatType type, const void* source,
                   int64_t rows, int cols, const QuantizedRows& out);

}  // namespace llm_host
