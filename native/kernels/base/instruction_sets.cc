#include "kernels/base/instruction_sets.h"

#include <cstdlib>
#include <cstring>

namespace llm_host {

bool instruction_set_allowed(const char* name) {
  const char* only = std::getenv("LLM_HOST_SIMD");
  return only == nullptr || std::strcmp(only, name) == 0;
}

}  // namespace llm_host
