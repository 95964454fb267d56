#include "weights/files/finite.h"

#include <algorithm>

namespace llm_host {
namespace {

// Test a whole block first: a loop without an exit compiles to vector code.
constexpr size_t kTestedTogether = 4096;

template <typename T, typename F>
int64_t first(const T* values, size_t count, F&& bad) {
  for (size_t begin = 0; begin < count; begin += kTestedTogether) {
    size_t end = std::min(count, begin + kTestedTogether);
    unsigned found = 0;
    for (size_t i = begin; i < end; ++i) found |= bad(values[i]) ? 1u : 0u;
    if (found == 0) continue;
    for (size_t i = begin; i < end; ++i) {
      if (bad(values[i])) return static_cast<int64_t>(i);
    }
  }
  return -1;
}

}  // namespace

int64_t first_not_finite_f32(const uint32_t* values, size_t count) {
  return first(values, count, [](uint32_t v) { return (v & 0x7f800000u) == 0x7f800000u; });
}
int64_t first_not_finite_f16(const uint16_t* values, size_t count) {
  return first(values, count, [](uint16_t v) { return (v & 0x7c00) == 0x7c00; });
}
int64_t first_not_finite_bf16(const uint16_t* values, size_t count) {
  return first(values, count, [](uint16_t v) { return (v & 0x7f80) == 0x7f80; });
}
int64_t first_not_finite_e8m0(const uint8_t* values, size_t count) {
  return first(values, count, [](uint8_t v) { return v == 0xff; });
}
int64_t first_not_finite_e4m3(const uint8_t* values, size_t count) {
  return first(values, count, [](uint8_t v) { return (v & 0x7f) == 0x7f; });
}

}  // namespace llm_host
