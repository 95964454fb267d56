#pragma once

#include <string>
#include <vector>

#include "layers/sharding/sharding.h"

namespace llm_host {

// Selects the tensors of experts that a process has. Other tensors stay as they are.
class ExpertPart {
 public:
  // `tensors` are those of the whole model.
  ExpertPart(const Sharding& sharding, const std::vector<TensorEntry>& tensors, const Part& part);

  bool contains(const std::string& name) const { return !block_of(name).empty(); }
  // Makes of a tensor that `contains` what this process reads of it. -> false: nothing. Throws
  // MODEL_UNSUPPORTED where the experts cannot be divided.
  bool take(TensorEntry& entry) const;

 private:
  // The tensor's name up to its expert; "" if it is none's.
  std::string block_of(const std::string& name) const;

  const Sharding& sharding_;
  const Part& part_;
  int single_ = 0;  // experts that have tensors of their own
};

}  // namespace llm_host
