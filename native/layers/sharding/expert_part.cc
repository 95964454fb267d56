#include "layers/sharding/expert_part.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "common/error.h"
#include "layers/sharding/cut.h"

namespace llm_host {
namespace {

// Below a block, in the layouts that read_expert_stacks knows.
const char* const kStacks[] = {"experts.", "switch_mlp.", "input_linear.", "output_linear."};

// The number of an expert that has tensors of its own: "experts.3.up_proj.weight" behind
// "experts.".
std::optional<int> number_in(const std::string& name, size_t at) {
  int number = 0;
  auto [end, error] = std::from_chars(name.data() + at, name.data() + name.size(), number);
  bool whole = error == std::errc() && end != name.data() + name.size() && *end == '.';
  return whole && number >= 0 ? std::optional(number) : std::nullopt;
}

}  // namespace

ExpertPart::ExpertPart(const Sharding& sharding, const std::vector<TensorEntry>& tensors,
                       const Part& part)
    : sharding_(sharding), part_(part) {
  for (const TensorEntry& tensor : tensors) {
    std::string block = block_of(tensor.name);
    if (block.empty()) continue;
    if (auto number = number_in(tensor.name, block.size()))
      single_ = std::max(single_, *number + 1);
  }
}

std::string ExpertPart::block_of(const std::string& name) const {
  for (const std::string& block : sharding_.experts) {
    size_t at = name.find("." + block + ".");
    if (at == std::string::npos) continue;
    size_t stack = at + block.size() + 2;
    for (const std::string known : kStacks) {
      if (name.compare(stack, known.size(), known) == 0)
        return name.substr(0, stack + known.size());
    }
  }
  return "";
}

bool ExpertPart::take(TensorEntry& entry) const {
  size_t at = block_of(entry.name).size();
  auto number = number_in(entry.name, at);
  int64_t experts = number ? single_ : (entry.shape.empty() ? 0 : entry.shape[0]);
  if (experts % part_.count != 0) {
    throw Error(kModelUnsupported, "the " + std::to_string(experts) + " experts of tensor " +
                                       entry.name + " cannot be divided by " +
                                       std::to_string(part_.count) + " processes");
  }
  if (!number) {
    cut_rows(entry, part_.index, part_.count);
    return true;
  }
  int own = single_ / part_.count, index = *number - own * part_.index;
  if (index < 0 || index >= own) return false;
  // The model that this process computes counts its own.
  std::string rest = entry.name.substr(entry.name.find('.', at));
  entry.name = entry.name.substr(0, at) + std::to_string(index) + rest;
  return true;
}

}  // namespace llm_host
