#include "weights/unpermute.h"

namespace llm_host {

mx::array unpermute(const mx::array& rows, int heads, int head_dim) {
  int columns = static_cast<int>(rows.size() / (static_cast<size_t>(heads) * head_dim));
  mx::array split = mx::reshape(rows, {heads, head_dim / 2, 2, columns});
  mx::array result = mx::contiguous(mx::reshape(mx::transpose(split, {0, 2, 1, 3}), rows.shape()));
  result.eval();
  return result;
}

Matrix unpermute(const Matrix& m, int heads, int head_dim) {
  Matrix result = m;
  result.weight = unpermute(m.weight, heads, head_dim);
  if (m.scales) result.scales = unpermute(*m.scales, heads, head_dim);
  if (m.biases) result.biases = unpermute(*m.biases, heads, head_dim);
  return result;
}

}  // namespace llm_host
