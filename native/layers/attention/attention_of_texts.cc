#include "kernels/base/cpu_op.h"
#include "kernels/encoder_ops.h"
#include "layers/attention/attention.h"

// Attention over whole texts, as embedding models read them.
namespace llm_host {

bool Attention::reads_texts() const {
  const AttentionOptions& o = options_;
  bool plain = !extras_.sinks && !extras_.query_weights;
  return plain && !o.shares_cache && o.growth.beta == 0 && o.score_cap == 0;
}

mx::array Attention::texts(const Normed& x, const AttentionTexts& texts,
                           const std::optional<mx::array>& residual) const {
  Input input = project(x);
  if (!cpu::usable()) {
    return output(attend_texts_in_graph(input.projected, texts), input.gate, residual);
  }
  const AttentionOptions& o = options_;
  const RopeAngles& angles = texts.angles;
  mx::array y =
      cpu::attend_texts(input.projected, texts.batch.lengths,
                        {o.heads, o.kv_heads, o.head_dim, o.scale, texts.causal, o.window},
                        {angles.frequencies, angles.amplitude, angles.interleaved});
  return output(y, input.gate, residual);
}

mx::array Attention::attend_texts_in_graph(const Projected& p, const AttentionTexts& texts) const {
  const AttentionOptions& o = options_;
  int rows = texts.batch.ids.shape(0), columns = texts.batch.ids.shape(1);
  // [1, rows · columns, count · head_dim] -> [rows, count, columns, head_dim]
  auto heads_of = [&](const mx::array& x, int count) {
    return mx::transpose(mx::reshape(x, {rows, columns, count, o.head_dim}), {0, 2, 1, 3});
  };
  Projected parts;
  if (p.size() == 1) {
    int rotated = o.heads + o.kv_heads, all = rotated + o.kv_heads;
    std::vector<mx::array> split = mx::split(heads_of(p[0], all), mx::Shape{rotated}, 1);
    mx::array both = query_norm_ ? normed_together(split[0]) : split[0];
    parts = mx::split(texts.angles.rotate(both, 0), mx::Shape{o.heads}, 1);
    parts.push_back(split[1]);
  } else {
    parts = {texts.angles.rotate(heads_of(p[0], o.heads), 0),
             texts.angles.rotate(heads_of(p[1], o.kv_heads), 0), heads_of(p[2], o.kv_heads)};
  }
  const std::optional<mx::array>& mask = texts.masks.get(texts.causal, o.window);
  std::string mode = mask ? "array" : texts.causal ? "causal" : "";
  mx::array y =
      mx::fast::scaled_dot_product_attention(parts[0], parts[1], parts[2], o.scale, mode, mask);
  return mx::reshape(mx::transpose(y, {0, 2, 1, 3}), {1, rows * columns, o.heads * o.head_dim});
}

}  // namespace llm_host
