#include "engine/generate/prompt_score.h"

#include <algorithm>

namespace llm_host {
namespace {

// Positions whose logits are in memory at once: 26 MB for a vocabulary of 100,000.
constexpr int kPositions = 64;

}  // namespace

void append_scores(const Model& model, const mx::array& hidden, std::span<const int32_t> next,
                   std::vector<float>& scores) {
  int length = static_cast<int>(next.size()), size = hidden.shape(2);
  for (int start = 0; start < length; start += kPositions) {
    int end = std::min(start + kPositions, length), count = end - start;
    mx::array part = mx::slice(hidden, mx::Shape{0, start, 0}, mx::Shape{1, end, size});
    mx::array logits = mx::astype(model.head(mx::contiguous(part)), mx::float32);
    mx::array ids(next.begin() + start, mx::Shape{1, count, 1}, mx::int32);
    mx::array chosen = mx::take_along_axis(logits, ids, -1);
    mx::array result = mx::flatten(mx::subtract(chosen, mx::logsumexp(logits, -1, true)));
    mx::eval(result);
    scores.insert(scores.end(), result.data<float>(), result.data<float>() + count);
  }
}

}  // namespace llm_host
