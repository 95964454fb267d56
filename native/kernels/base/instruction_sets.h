#pragma once

#include <span>

namespace llm_host {

// A row of a table of kernels: those for one instruction set.
template <typename Kernels>
struct Variant {
  const char* name;             // of the instruction set, as in LLM_HOST_SIMD
  const Kernels* (*kernels)();  // returns nullptr if this build or CPU lacks it
};

// LLM_HOST_SIMD names the only instruction set to use. Unset, all are allowed.
bool instruction_set_allowed(const char* name);

// The kernels of the first row that is allowed and available; nullptr if there is none.
template <typename Kernels>
const Kernels* first_usable(std::span<const Variant<Kernels>> table) {
  for (const Variant<Kernels>& row : table) {
    if (!instruction_set_allowed(row.name)) continue;
    if (const Kernels* kernels = row.kernels()) return kernels;
  }
  return nullptr;
}

}  // namespace llm_host
