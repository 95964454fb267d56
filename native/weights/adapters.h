#pragma once

#include <list>
#include <optional>
#include <string>

#include "weights/load_spec.h"
#include "weights/tensor_reader.h"

namespace llm_host {

// LoRA adapters, stacked: what they add to one module is the sum of what each of them adds, which
// is one low-rank matrix of all their ranks together.
class Adapters {
 public:
  struct LowRank {
    mx::array down;  // [rank, in]
    mx::array up;    // [rank, out], with the adapters' scales
  };

  // Both must outlive this.
  Adapters(const std::vector<AdapterSpec>& specs, LoadProgress& progress);

  // What the adapters have for module `path`, of type `dtype`.
  std::optional<LowRank> find(const std::string& path, int out, int in, mx::Dtype dtype);
  // Throws MODEL_BROKEN if an adapter has tensors that no module took.
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
