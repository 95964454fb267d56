// Runs a target on the files of the folders it is given, and on copies of each with a few bytes
// changed, the same every time. Without libFuzzer.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "fuzz/mutate.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr int kChanged = 64;
constexpr size_t kCapacity = 16384;

uint32_t below(size_t limit) {
  static uint32_t state = 1;
  state = state * 1664525 + 1013904223;
  return static_cast<uint32_t>((state >> 8) % limit);
}

void run(const std::vector<uint8_t>& bytes) { LLVMFuzzerTestOneInput(bytes.data(), bytes.size()); }

void run_changed(const std::vector<uint8_t>& bytes) {
  for (unsigned i = 0; i < kChanged && !bytes.empty(); ++i) {
    std::vector<uint8_t> copy = bytes;
    copy.resize(std::max(kCapacity, bytes.size()));
    copy.resize(LLVMFuzzerCustomMutator(copy.data(), bytes.size(), copy.size(), i));
    run(copy);
  }
}

}  // namespace

// A few bytes changed, or the end cut off.
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t) {
  if (size == 0) return 0;
  for (uint32_t changes = below(3) + 1; changes > 0; --changes) {
    data[below(size)] = static_cast<uint8_t>(below(256));
  }
  return below(8) == 0 ? below(size) + 1 : size;
}

int main(int count, char** folders) {
  int inputs = 0;
  for (int i = 1; i < count; ++i) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(folders[i])) {
      paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    for (const auto& path : paths) {
      std::ifstream file(path, std::ios::binary);
      const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
      std::printf("%s\n", path.filename().c_str());  // the last one, if this ends here
      std::fflush(stdout);
      run(bytes);
      run_changed(bytes);
      ++inputs;
    }
  }
  std::printf("replay: %d passed, 0 failed\n", inputs);
  return inputs > 0 ? 0 : 1;
}
