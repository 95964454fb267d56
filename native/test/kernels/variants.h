#pragma once

#include <span>
#include <string>

#include "check.h"
#include "kernels/base/instruction_sets.h"

// Calls body(kernels) for each variant that this build and CPU have, and reports the others as
// skipped.
template <typename Kernels, typename F>
void for_each_variant(std::span<const llm_host::Variant<Kernels>> variants, F&& body) {
  for (auto [name, kernels] : variants) {
    if (const Kernels* available = kernels()) {
      body(*available);
    } else {
      check::skip(std::string("this CPU or build has no ") + name);
    }
  }
}
