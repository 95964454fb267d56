#pragma once

#include <string>

namespace llm_host {

// The value of an environment variable; empty where it is unset.
std::string environment(const char* name);

// Sets what MLX reads from the environment at its first use; a variable that is set stays as it is.
// MLX_ENABLE_TF32=0: products of float32 keep float32's precision on NVIDIA's and Apple's newest
// GPUs, which would round their inputs to 10 bits.
// MLX_PTX_CACHE_DIR: what CUDA compiles at its first use is kept in the user's cache folder, not in
// /tmp, where it goes with the next start of the machine and anyone may put a file.
void prepare_mlx_environment();

}  // namespace llm_host
