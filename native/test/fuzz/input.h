#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/error.h"
#include "weights/files/weight_files.h"

// Values that the targets draw from libFuzzer's bytes.
namespace fuzz {

// A safetensors file in memory: a length of 8 bytes, a JSON header, data. As JavaScript hands it
// over: sizes in range, but whether tensors lie inside the file is not checked, nor which types and
// shapes they have.
class TensorFile {
 public:
  // All share one file: valid until the next.
  TensorFile(const uint8_t* data, size_t size);

  // False: not even JavaScript would have taken it.
  bool valid() const { return valid_; }
  llm_host::WeightFiles weights() const { return {{path_}, tensors_}; }

 private:
  bool valid_ = false;
  std::string path_;
  std::vector<llm_host::TensorEntry> tensors_;
};

// Runs what may refuse its input with an Error; another exception is a finding. -> whether it was
// taken.
template <typename F>
bool taken(F&& body) {
  try {
    body();
    return true;
  } catch (const llm_host::Error&) {
    return false;
  }
}

// A file of the repository, as `path` from its root.
std::string read_file(const std::string& path);

}  // namespace fuzz
