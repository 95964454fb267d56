#pragma once

#include <list>
#include <optional>
#include <string>

#include "weights/files/tensor_reader.h"
#include "weights/load_spec.h"

namespace llm_host {

// LoRA adapters, added together: the sum of several low-rank matrices is one whose rank is the sum
// of theirs.
class Adapters {
 public:
  struct LowRank {
    mx::array down;  // [rank, in]
    mx::array up;    // [rank, out], times the adapters' scales
  };

  // Both must outlive this.
  Adapters(const std::vector<AdapterSpec>& specs, LoadProgress& progress);

  // The matrices that they add to module `path`; nothing if no adapter has it.
  std::optional<LowRank> find(const std::string& path, int out, int in, mx::Dtype dtype);
  // Throws MODEL_BROKEN if an adapter has tensors that no module has read.
  void check_used() const;

 private:
  struct Adapter {
    const AdapterSpec* spec;
    TensorReader reader;
  };
  static std::optional<LowRank> read(Adapter& adapter, const std::string& path, int out, int in,
                                     mx::Dtype dtype);

  std::list<Adapter> adapters_;
};

}  // namespace llm_host
