#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace llm_host {

// A matrix [rows, columns] of values of 2 or 4 bytes -> [columns, rows].
std::vector<uint8_t> transposed(const std::vector<uint8_t>& matrix, size_t value_bytes,
                                int64_t rows, int64_t columns);

}  // namespace llm_host
