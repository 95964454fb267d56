#include "layers/encoder/text_attention.h"

#include <cmath>

#include "kernels/base/cpu_op.h"

namespace llm_host {

TextAttention::TextAttention(WeightStore& weights, const Names& names, const Options& o)
    : projections_(weights, names.projections,
                   3 * o.hidden / static_cast<int>(names.projections.size()), o.hidden, o.bias),
      output_(weights, {names.output}, o.hidden, o.hidden, o.bias),
      angles_(o.angles),
      shape_{o.heads, o.heads, o.hidden / o.heads,
             1 / std::sqrt(static_cast<float>(o.hidden / o.heads))} {}

mx::array TextAttention::operator()(const mx::array& x, const TextBatch& batch) const {
  mx::array projected = projections_(x);
  mx::array attended = cpu::usable()
                           ? cpu::attend_texts({projected}, batch.lengths, shape_, rotation())
                           : attend(projected, batch);
  return output_(attended, x);
}

mx::array TextAttention::attend(const mx::array& projected, const TextBatch& batch) const {
  int texts = projected.shape(0), longest = projected.shape(1);
  // [texts, longest, 3, heads, head_dim] -> three of [texts, heads, longest, head_dim]
  mx::array parts = mx::reshape(projected, {texts, longest, 3, shape_.heads, shape_.head_dim});
  auto part = [&](int i) { return mx::swapaxes(mx::take(parts, i, 2), 1, 2); };
  const char* mode = batch.mask ? "array" : "";
  mx::array queries = angles_.rotate(part(0), 0), keys = angles_.rotate(part(1), 0);
  mx::array attended = mx::fast::scaled_dot_product_attention(queries, keys, part(2), shape_.scale,
                                                              mode, batch.mask);
  return mx::reshape(mx::swapaxes(attended, 1, 2),
                     {texts, longest, shape_.heads * shape_.head_dim});
}

}  // namespace llm_host
