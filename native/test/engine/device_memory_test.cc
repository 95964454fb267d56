#include "engine/device/device_memory.h"

#include <cstdlib>
#include <stdexcept>

#include "check.h"
#include "engine/runtime.h"

namespace llm_host::device_memory_test {

static const check::Suite suite("device_memory");

namespace {

constexpr size_t kGb = 1'000'000'000;
constexpr size_t kLeastCache = size_t{64} << 20;

}  // namespace

TEST(limits_follow_the_figures_of_the_device) {
  struct Row {
    const char* what;
    DeviceMemory memory;
    size_t active;
    bool wires;
    MemoryLimits expected;
    size_t usable;
  };
  for (const Row& row : std::vector<Row>{{"a CPU says nothing", {}, kGb, true, {}, 0},
                                         {"Metal, a small model",
                                          {12 * kGb, 16 * kGb, 0},
                                          2 * kGb,
                                          true,
                                          {3 * kGb, 12 * kGb},
                                          12 * kGb},
                                         {"Metal, a model of most of the memory",
                                          {12 * kGb, 16 * kGb, 0},
                                          10 * kGb,
                                          true,
                                          {kGb, 12 * kGb},
                                          12 * kGb},
                                         {"Metal, a model beyond the memory",
                                          {12 * kGb, 16 * kGb, 0},
                                          13 * kGb,
                                          true,
                                          {kLeastCache, 12 * kGb},
                                          12 * kGb},
                                         {"Metal, not to be wired",
                                          {12 * kGb, 16 * kGb, 0},
                                          2 * kGb,
                                          false,
                                          {3 * kGb, std::nullopt},
                                          12 * kGb},
                                         {"CUDA is not wired",
                                          {0, 80 * kGb, 70 * kGb},
                                          10 * kGb,
                                          true,
                                          {20 * kGb, std::nullopt},
                                          70 * kGb},
                                         {"CUDA that says only its total",
                                          {0, 80 * kGb, 0},
                                          60 * kGb,
                                          true,
                                          {10 * kGb, std::nullopt},
                                          80 * kGb}}) {
    MemoryLimits found = memory_limits(row.memory, row.active, row.wires);
    if (found.cache != row.expected.cache || found.wired != row.expected.wired ||
        usable_bytes(row.memory) != row.usable) {
      check::fail(__FILE__, __LINE__, row.what);
    }
  }
}

TEST(a_variable_leaves_memory_unwired) {
  unsetenv("LLM_HOST_WIRED");
  CHECK(wires_memory());
  setenv("LLM_HOST_WIRED", "1", 1);
  CHECK(wires_memory());
  setenv("LLM_HOST_WIRED", "0", 1);
  CHECK(!wires_memory());
  setenv("LLM_HOST_WIRED", "no", 1);
  CHECK_ERROR(kUsage, "LLM_HOST_WIRED must be 0, 1 or unset, got no", wires_memory());
  unsetenv("LLM_HOST_WIRED");
}

// Texts that MLX throws for Metal and CUDA.
TEST(texts_of_the_device_become_codes) {
  struct Row {
    const char* text;
    const char* code;
  };
  for (const Row& row : std::vector<Row>{
           {"[malloc] Unable to allocate 9 bytes.", kOutOfMemory},
           {"[metal::malloc] Attempting to allocate 9 bytes which is greater than the maximum "
            "allowed buffer size of 8 bytes.",
            kOutOfMemory},
           {"[metal::malloc] Resource limit (499000) exceeded.", kOutOfMemory},
           {"[METAL] Command buffer execution failed: Insufficient Memory "
            "(00000008:kIOGPUCommandBufferCallbackErrorOutOfMemory)",
            kOutOfMemory},
           {"cudaMallocAsync(&data, size, stream) failed: out of memory", kOutOfMemory},
           {"cuMemCreate failed: CUDA_ERROR_OUT_OF_MEMORY", kOutOfMemory},
           {"cublasCreate failed: CUBLAS_STATUS_ALLOC_FAILED", kOutOfMemory},
           {"[metal::load_device] No Metal device available.", kEngineUnavailable},
           {"[metal::Device] Unable to load kernel rms_bfloat16", kEngine},
           {"Failed to load the default metallib.", kEngineUnavailable},
           {"CUDA driver version is insufficient for CUDA runtime version", kEngineUnavailable},
           {"[METAL] Command buffer execution failed: Caused GPU Timeout Error "
            "(00000002:kIOGPUCommandBufferCallbackErrorTimeout)",
            kEngine}}) {
    Error error = error_of(std::runtime_error(row.text), "generating");
    bool says = std::string(error.what()).find(row.text) != std::string::npos;
    if (error.code() != row.code || !says) {
      check::fail(__FILE__, __LINE__, std::string(row.text) + ": " + error.code());
    }
  }
}

}  // namespace llm_host::device_memory_test
