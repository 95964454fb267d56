#include "models/altup.h"

namespace llm_host {
namespace {

Norm divided(const Norm& norm, int size) {
  mx::array weight = mx::divide(norm.weight(), mx::array(size, norm.weight().dtype()));
  weight.eval();
  return {weight, norm.eps()};
}

// Stream `index` of [L, N, H] -> [1, L, H]
mx::array stream(const mx::array& streams, int index) {
  int length = streams.shape(0), size = streams.shape(2);
  mx::array one = mx::slice(streams, {0, index, 0}, {length, index + 1, size});
  return mx::contiguous(mx::reshape(one, {1, length, size}));
}

// [L, 1, H] from [1, L, H]
mx::array as_stream(const mx::array& x) { return mx::reshape(x, {x.shape(1), 1, x.shape(2)}); }

mx::array mean_square(const mx::array& x) { return mx::mean(mx::square(x), -1, true); }

// x, made as long as `like`.
mx::array with_length_of(const mx::array& x, const mx::array& like) {
  mx::array own = mx::sqrt(mx::maximum(mean_square(x), mx::array(1e-5f, x.dtype())));
  return mx::divide(mx::multiply(x, mx::sqrt(mean_square(like))), own);
}

}  // namespace

AltUp::AltUp(WeightStore& weights, const std::string& path, const DecoderConfig& c, const Shape& s)
    : shape_(s),
      norm_(divided(Norm(weights, path + ".router_norm", c.hidden, c.norm()), c.hidden)),
      router_(Linear::load_router(weights, path + ".modality_router", s.streams, c.hidden, false)),
      prediction_(Linear::load_router(weights, path + ".prediction_coefs", s.streams * s.streams,
                                      s.streams, false)),
      correction_(
          Linear::load_router(weights, path + ".correction_coefs", s.streams, s.streams, false)) {
  mx::array scale = weights.vector(path + ".correct_output_scale", c.hidden);
  if (s.scales) scale_ = scale;
}

mx::array AltUp::modalities(const mx::array& x) const { return mx::tanh(router_(norm_(x))); }

mx::array AltUp::predict(const mx::array& streams) const {
  int length = streams.shape(0), n = shape_.streams;
  mx::array coefficients = mx::reshape(prediction_(modalities(active(streams))), {length, n, n});
  return mx::add(mx::matmul(coefficients, streams), streams);
}

mx::array AltUp::correct(const mx::array& predictions, const mx::array& activated) const {
  mx::array weights =
      mx::reshape(correction_(modalities(activated)), {predictions.shape(0), shape_.streams, 1});
  mx::array factors = mx::add(weights, mx::array(1.0f, weights.dtype()));
  mx::array news = mx::subtract(activated, active(predictions));
  return mx::add(predictions, mx::multiply(factors, as_stream(news)));
}

mx::array AltUp::active(const mx::array& streams) const { return stream(streams, shape_.active); }

mx::array AltUp::scaled(const mx::array& x) const { return scale_ ? mx::multiply(x, *scale_) : x; }

AltUpEnds::AltUpEnds(WeightStore& weights, const DecoderConfig& c, int streams) {
  auto load = [&](const std::string& name) {
    return Linear::load(weights, name, c.hidden, c.hidden, false);
  };
  for (int i = 0; i + 1 < streams; ++i) {
    into_.push_back(load("model.altup_projections." + std::to_string(i)));
    out_of_.push_back(load("model.altup_unembed_projections." + std::to_string(i)));
  }
}

mx::array AltUpEnds::begin(const mx::array& h) const {
  std::vector<mx::array> streams{as_stream(h)};
  for (const Linear& projection : into_) {
    streams.push_back(as_stream(with_length_of(projection(h), h)));
  }
  return mx::concatenate(streams, 1);
}

mx::array AltUpEnds::end(const mx::array& streams) const {
  mx::array first = stream(streams, 0), sum = first;
  for (size_t i = 0; i < out_of_.size(); ++i) {
    mx::array other = out_of_[i](stream(streams, static_cast<int>(i) + 1));
    sum = mx::add(sum, with_length_of(other, first));
  }
  return mx::divide(sum, mx::array(static_cast<float>(out_of_.size() + 1), sum.dtype()));
}

}  // namespace llm_host
