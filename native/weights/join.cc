#include "weights/join.h"

#include <algorithm>

#include "common/error.h"

namespace llm_host {
namespace {

bool alike(const Matrix& a, const Matrix& b) {
  return a.bits == b.bits && a.group_size == b.group_size && a.mode == b.mode;
}

void check_alike(const std::string& what, const std::vector<Matrix>& parts,
                 const std::string& where) {
  for (const Matrix& part : parts) {
    if (alike(part, parts.front())) continue;
    throw Error(kModelUnsupported, what + " are quantized differently, which is not supported" +
                                       where + "; supported: all alike");
  }
}

// Weights with weights, scales with scales and biases with biases.
template <typename F>
Matrix join(const std::vector<Matrix>& matrices, F&& join_arrays) {
  Matrix result = matrices.front();
  std::vector<mx::array> weights, scales, biases;
  for (const Matrix& m : matrices) {
    weights.push_back(m.weight);
    if (m.scales) scales.push_back(*m.scales);
    if (m.biases) biases.push_back(*m.biases);
  }
  auto evaluated = [&](const std::vector<mx::array>& arrays) {
    mx::array joined = join_arrays(arrays);
    joined.eval();
    return joined;
  };
  result.weight = evaluated(weights);
  if (result.scales) result.scales = evaluated(scales);
  if (result.biases) result.biases = evaluated(biases);
  return result;
}

}  // namespace

bool stored_alike(const std::vector<Matrix>& parts) {
  return std::all_of(parts.begin(), parts.end(), [&](const Matrix& part) {
    const Matrix& first = parts.front();
    return alike(part, first) && part.weight.dtype() == first.weight.dtype() &&
           (!part.scales || part.scales->dtype() == first.scales->dtype());
  });
}

Matrix concatenate(const std::string& what, const std::vector<Matrix>& parts,
                   const std::string& where) {
  check_alike(what, parts, where);
  return join(parts, [](const std::vector<mx::array>& a) { return mx::concatenate(a, -2); });
}

Matrix stack(const std::string& what, const std::vector<Matrix>& parts, const std::string& where) {
  check_alike(what, parts, where);
  return join(parts, [](const std::vector<mx::array>& a) { return mx::stack(a, 0); });
}

}  // namespace llm_host
