#include "layers/encoder/pooling.h"

#include "common/error.h"
#include "kernels/base/cpu_op.h"
#include "kernels/encoder_ops.h"

namespace llm_host {
namespace {

// x [texts, longest, n] -> [texts, n]
mx::array masked_mean(const mx::array& x, const TextBatch& batch) {
  if (!batch.mask) return mx::mean(x, 1);
  mx::array mask = mx::reshape(*batch.mask, {x.shape(0), x.shape(1), 1});
  mx::array sums = mx::sum(mx::where(mask, x, mx::array(0.0f, x.dtype())), 1);
  mx::array counts = mx::sum(mx::astype(mask, x.dtype()), 1);
  return mx::divide(sums, counts);
}

// The first or last token of each text.
mx::array tokens_at(bool last, const mx::array& x, const TextBatch& batch) {
  int longest = x.shape(1), start = 0;
  std::vector<int32_t> rows;
  for (int length : batch.lengths) {
    rows.push_back(last ? start + length - 1 : start);
    start += x.shape(0) == 1 ? length : longest;
  }
  mx::array flat = mx::reshape(x, {-1, x.shape(2)});
  return mx::take(flat, mx::array(rows.begin(), {static_cast<int>(rows.size())}, mx::int32), 0);
}

}  // namespace

Pooling pooling_of(const std::string& name) {
  if (name == "mean") return Pooling::kMean;
  if (name == "cls") return Pooling::kFirst;
  if (name == "lasttoken") return Pooling::kLast;
  throw Error(kModelUnsupported,
              "pooling \"" + name + "\" is not supported; supported are: mean, cls, lasttoken");
}

mx::array pooled(Pooling pooling, const mx::array& x, const TextBatch& batch) {
  if (pooling != Pooling::kMean) return tokens_at(pooling == Pooling::kLast, x, batch);
  return cpu::usable() ? cpu::mean_of_texts(x, batch.lengths) : masked_mean(x, batch);
}

}  // namespace llm_host
