#pragma once

#include <map>
#include <optional>

#include "layers/encoder/text_batch.h"

namespace llm_host {

// Which tokens of a batch with a row for each text see which, for MLX's attention: the layers of a
// pass share the masks.
class TextMasks {
 public:
  explicit TextMasks(const TextBatch& batch) : batch_(batch) {}

  // [texts or 1, 1, 1 or longest, longest] booleans; nothing where every token sees all, or where
  // "causal" says it. `window`: see cpu::TextAttentionShape.
  const std::optional<mx::array>& get(bool causal, int window) {
    auto [it, added] = masks_.try_emplace({causal, window});
    if (added) it->second = make(causal, window);
    return it->second;
  }

 private:
  std::optional<mx::array> make(bool causal, int window) const {
    int longest = batch_.ids.shape(1);
    // Padding is behind a text, where no earlier token looks.
    if (window == 0 || window >= longest) return causal ? std::nullopt : batch_.mask;
    mx::array query = mx::reshape(mx::arange(longest), {longest, 1});
    mx::array key = mx::reshape(mx::arange(longest), {1, longest});
    mx::array apart = mx::subtract(query, key), width(window);
    mx::array seen = mx::less(apart, width);
    mx::array bound = causal ? mx::array(0) : mx::array(1 - window);
    seen = mx::reshape(mx::logical_and(seen, mx::greater_equal(apart, bound)),
                       {1, 1, longest, longest});
    if (!batch_.mask) return seen;
    // Padding sees itself: the softmax of nothing is not a number, and would spread.
    mx::array self = mx::reshape(mx::equal(query, key), {1, 1, longest, longest});
    return mx::logical_or(mx::logical_and(seen, *batch_.mask), self);
  }

  const TextBatch& batch_;
  std::map<std::pair<bool, int>, std::optional<mx::array>> masks_;
};

}  // namespace llm_host
