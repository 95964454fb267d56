#include "weights/matrix.h"

#include "common/launch_groups.h"

namespace llm_host {
namespace {

mx::array slice_rows(const mx::array& x, int begin, int end, int step) {
  mx::Shape start(x.ndim(), 0), stop = x.shape(), strides(x.ndim(), 1);
  int axis = static_cast<int>(x.ndim()) - 2;
  start[axis] = begin;
  stop[axis] = end;
  strides[axis] = step;
  mx::array result = mx::contiguous(mx::slice(x, start, stop, strides));
  result.eval();
  return result;
}

}  // namespace

Matrix Matrix::rows(int begin, int end, int step) const {
  Matrix result = *this;
  result.weight = slice_rows(weight, begin, end, step);
  if (scales) result.scales = slice_rows(*scales, begin, end, step);
  if (biases) result.biases = slice_rows(*biases, begin, end, step);
  return result;
}

mx::array Matrix::multiply(const mx::array& x) const {
  if (!scales) return mx::matmul(x, mx::swapaxes(weight, -1, -2));
  return mx::quantized_matmul(x, weight, *scales, biases, true, group_size, bits, mode);
}

mx::array Matrix::take(const mx::array& ids) const {
  if (!scales) return mx::take(weight, ids, 0);
  Matrix rows = *this;
  rows.weight = mx::take(weight, ids, 0);
  rows.scales = mx::take(*scales, ids, 0);
  if (biases) rows.biases = mx::take(*biases, ids, 0);
  return rows.dequantize();
}

mx::array Matrix::dequantize() const {
  if (!scales) return mx::astype(weight, dtype);
  std::vector<mx::array> inputs{weight, *scales};
  if (biases) inputs.push_back(*biases);
  return one_launch("Dequantize", inputs, [&] {
    return mx::dequantize(weight, *scales, biases, group_size, bits, mode, std::nullopt, dtype);
  });
}

}  // namespace llm_host
