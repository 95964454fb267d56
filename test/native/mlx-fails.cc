// Preloaded: MLX's entry points fail with the text of MLX_FAILS_WITH at MLX_FAILS_AT, as Metal and CUDA do where the
// device does: at `start`, `load`, `prefill` or `decode`. Mangled names, so that no header of MLX is needed.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

namespace {

void fail_at(const char* place) {
  const char* at = std::getenv("MLX_FAILS_AT");
  if (at == nullptr || std::strcmp(at, place) != 0) return;
  throw std::runtime_error(std::getenv("MLX_FAILS_WITH"));
}

// MLX's own, which was not loaded yet when this library was.
template <typename F>
F* real(const char* name) {
  static void* const mlx = dlopen(std::getenv("MLX_LIBRARY"), RTLD_LAZY | RTLD_NOLOAD);
  if (mlx == nullptr) std::abort();
  return reinterpret_cast<F*>(dlsym(mlx, name));
}

}  // namespace

// An argument with a destructor is passed by its address.
#define LLM_HOST_FAILING(PLACE, NAME, ARGUMENT)     \
  extern "C" void NAME(ARGUMENT argument) {         \
    fail_at(PLACE);                                 \
    real<void(ARGUMENT)>(#NAME)(argument);          \
  }

LLM_HOST_FAILING("start", _ZN3mlx4core16set_compile_modeENS0_11CompileModeE, int)                  // set_compile_mode
LLM_HOST_FAILING("load", _ZN3mlx4core5array4evalEv, void*)                                         // array::eval
LLM_HOST_FAILING("prefill", _ZN3mlx4core4evalESt6vectorINS0_5arrayESaIS2_EE, void*)                // eval
LLM_HOST_FAILING("decode", _ZN3mlx4core10async_evalESt6vectorINS0_5arrayESaIS2_EE, void*)          // async_eval
