// Preloaded: MLX's entry points fail with the text of MLX_FAILS_WITH at MLX_FAILS_AT, as Metal and CUDA do where the
// device does: at `start`, `load`, `prefill` or `decode`. With MLX_CALLS they write their names to that file, and the
// device has a working set of MLX_WORKING_SET bytes, none of which may be wired with MLX_REFUSES_WIRED. Mangled names, so that no header of MLX is needed.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <variant>

namespace {

void fail_at(const char* place) {
  const char* at = std::getenv("MLX_FAILS_AT");
  if (at == nullptr || std::strcmp(at, place) != 0) return;
  throw std::runtime_error(std::getenv("MLX_FAILS_WITH"));
}

void note(const std::string& call) {
  const char* path = std::getenv("MLX_CALLS");
  if (path == nullptr) return;
  static const int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  std::string line = call + "\n";
  if (write(file, line.data(), line.size()) < 0) std::abort();
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
    note(PLACE);                                    \
    fail_at(PLACE);                                 \
    real<void(ARGUMENT)>(#NAME)(argument);          \
  }

LLM_HOST_FAILING("start", _ZN3mlx4core16set_compile_modeENS0_11CompileModeE, int)                  // set_compile_mode
LLM_HOST_FAILING("load", _ZN3mlx4core5array4evalEv, void*)                                         // array::eval
LLM_HOST_FAILING("prefill", _ZN3mlx4core4evalESt6vectorINS0_5arrayESaIS2_EE, void*)                // eval
LLM_HOST_FAILING("decode", _ZN3mlx4core10async_evalESt6vectorINS0_5arrayESaIS2_EE, void*)          // async_eval

extern "C" void _ZN3mlx4core11clear_cacheEv() {
  note("clear_cache");
  real<void()>("_ZN3mlx4core11clear_cacheEv")();
}

extern "C" void _ZN3mlx4core11synchronizeEv() {
  note("synchronize");
  real<void()>("_ZN3mlx4core11synchronizeEv")();
}

extern "C" size_t _ZN3mlx4core15set_cache_limitEm(size_t bytes) {
  note("set_cache_limit " + std::to_string(bytes));
  return real<size_t(size_t)>("_ZN3mlx4core15set_cache_limitEm")(bytes);
}

// The CPU's own does nothing and gives nothing back.
extern "C" size_t _ZN3mlx4core15set_wired_limitEm(size_t bytes) {
  static size_t limit = 0;
  note("set_wired_limit " + std::to_string(bytes));
  // As Metal's does, by this class.
  if (std::getenv("MLX_REFUSES_WIRED") != nullptr) {
    throw std::invalid_argument("[metal::set_wired_limit] Setting a wired limit larger than the maximum working set size is not allowed.");
  }
  size_t before = limit;
  limit = bytes;
  return before;
}

using DeviceInfo = std::unordered_map<std::string, std::variant<std::string, size_t>>;

extern "C" const DeviceInfo* _ZN3mlx4core11device_infoB5cxx11ERKNS0_6DeviceE(const void* device) {
  const char* bytes = std::getenv("MLX_WORKING_SET");
  if (bytes == nullptr) return real<const DeviceInfo*(const void*)>("_ZN3mlx4core11device_infoB5cxx11ERKNS0_6DeviceE")(device);
  static const DeviceInfo info{{"max_recommended_working_set_size", size_t{std::strtoull(bytes, nullptr, 10)}}};
  return &info;
}
