#pragma once

#include <string>
#include <vector>

#include "engine/device/device_memory.h"

namespace llm_host {

// One kind of kernel, run on the device in the types of models.
struct KernelCheck {
  std::string name;
  std::string error;  // empty: its results are right
};

struct DeviceReport {
  std::string device;  // as in ModelInfo; left empty by probe_device
  DeviceMemory memory;
  std::vector<KernelCheck> kernels;
};

// Runs a small example of every kind of kernel that models need, in float32, float16 and bfloat16,
// and compares it with the CPU's in float32. For the model thread only. An exception of one kernel
// is its error; those before the first kernel are thrown.
DeviceReport probe_device();

}  // namespace llm_host
