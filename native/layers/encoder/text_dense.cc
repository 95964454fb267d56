#include "layers/encoder/text_dense.h"

#include <algorithm>

#include "common/error.h"

namespace llm_host {
namespace {

// Fewer rows may be multiplied in another way, with other roundings: a text would get another
// vector alone than among others.
constexpr int kMinRows = 16;

bool is_tanh(const std::string& activation) {
  if (activation == "identity") return false;
  if (activation == "tanh") return true;
  throw Error(kModelUnsupported, "a dense module has the activation \"" + activation +
                                     "\", which is not supported; supported are: identity, tanh");
}

}  // namespace

TextDense::TextDense(WeightStore& weights, const std::string& path, const DenseSpec& spec, int in)
    : linear_(weights, {path}, spec.out, in, spec.bias), tanh_(is_tanh(spec.activation)) {}

mx::array TextDense::operator()(const mx::array& x) const {
  int texts = x.shape(0), missing = std::max(0, kMinRows - texts);
  mx::array y = linear_(missing > 0 ? mx::pad(x, {{0, missing}, {0, 0}}) : x);
  if (missing > 0) y = mx::slice(y, {0, 0}, {texts, y.shape(1)});
  return tanh_ ? mx::tanh(y) : y;
}

}  // namespace llm_host
