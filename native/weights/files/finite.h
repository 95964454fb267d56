#pragma once

#include <cstddef>
#include <cstdint>

namespace llm_host {

// The index of the first value that is infinite or NaN; -1 if all are finite.
int64_t first_not_finite_f32(const uint32_t* values, size_t count);
int64_t first_not_finite_f16(const uint16_t* values, size_t count);
int64_t first_not_finite_bf16(const uint16_t* values, size_t count);
// The scales of the 4 and 8 bit float modes: e8m0 (NaN is 255) and e4m3 (NaN is 127 without the
// sign).
int64_t first_not_finite_e8m0(const uint8_t* values, size_t count);
int64_t first_not_finite_e4m3(const uint8_t* values, size_t count);

}  // namespace llm_host
