// Runs a target on the files of the folders it is given, and on copies of each with a few bytes
// changed, the same every time. Without libFuzzer.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr int kChanged = 64;

void run(const std::vector<uint8_t>& bytes) { LLVMFuzzerTestOneInput(bytes.data(), bytes.size()); }

void run_changed(const std::vector<uint8_t>& bytes) {
  uint32_t state = 1;
  auto next = [&state](size_t below) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
  };
  for (int i = 0; i < kChanged && !bytes.empty(); ++i) {
    std::vector<uint8_t> copy = bytes;
    for (int change = 0; change <= i % 3; ++change) {
      copy[next(copy.size())] = static_cast<uint8_t>(next(256));
    }
    if (i % 8 == 0) copy.resize(next(copy.size()) + 1);
    run(copy);
  }
}

}  // namespace

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
