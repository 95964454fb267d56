#include "common/mlx_environment.h"

#include <cstdlib>

namespace llm_host {
namespace {

// As src/model/cache-folder.ts has it; empty without a home.
std::string cache_folder() {
  std::string cache = environment("XDG_CACHE_HOME"), home = environment("HOME");
  if (!cache.empty()) return cache + "/llm-host";
  return home.empty() ? "" : home + "/.cache/llm-host";
}

}  // namespace

std::string environment(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

void prepare_mlx_environment() {
  constexpr int kKeep = 0;  // of a variable that is set
  setenv("MLX_ENABLE_TF32", "0", kKeep);
  std::string folder = cache_folder();
  if (!folder.empty()) setenv("MLX_PTX_CACHE_DIR", (folder + "/cuda-kernels").c_str(), kKeep);
}

}  // namespace llm_host
