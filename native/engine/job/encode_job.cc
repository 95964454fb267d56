#include "engine/job/encode_job.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace llm_host {
namespace {

void check_range(const char* name, const std::vector<int32_t>& values, int low, int high) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] >= low && values[i] <= high) continue;
    throw Error(kUsage, std::string("request.") + name + "[" + std::to_string(i) +
                            "] must be from " + std::to_string(low) + " to " +
                            std::to_string(high) + ", got " + std::to_string(values[i]));
  }
}

EncodeRequest with_types(EncodeRequest request) {
  request.types.resize(request.ids.size(), 0);
  return request;
}

}  // namespace

void check_encode_request(const ModelInfo& info, const EncodeRequest& request) {
  check_range("lengths", request.lengths, 1, info.context_length);
  int64_t tokens = std::accumulate(request.lengths.begin(), request.lengths.end(), int64_t{0});
  if (request.lengths.empty()) throw Error(kUsage, "request.lengths must hold at least one text");
  if (tokens != static_cast<int64_t>(request.ids.size())) {
    throw Error(kUsage, "request.lengths add up to " + std::to_string(tokens) + ", but there are " +
                            std::to_string(request.ids.size()) + " ids");
  }
  if (!request.types.empty() && request.types.size() != request.ids.size()) {
    throw Error(kUsage, "request.types must hold one for each id");
  }
  check_range("ids", request.ids, 0, info.vocab_size - 1);
  check_range("types", request.types, 0, 1);
}

EncodeJob::EncodeJob(int64_t model, EncodeRequest request, EncodeHandler on_done)
    : model(model), request(with_types(std::move(request))), on_done_(std::move(on_done)) {
  const std::vector<int32_t>& lengths = this->request.lengths;
  int64_t start = 0;
  for (int length : lengths) {
    starts_.push_back(start);
    start += length;
  }
  order_.resize(lengths.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(),
                   [&](int a, int b) { return length_of(a) > length_of(b); });
}

void EncodeJob::keep(int text, const float* vector, int size) {
  if (over_) return;
  if (!std::all_of(vector, vector + size, [](float x) { return std::isfinite(x); })) {
    return fail(Error(kModelBroken,
                      "the vector of text " + std::to_string(text) +
                          " is not finite: the model's weights are damaged, or its arithmetic "
                          "overflows"));
  }
  vectors_.resize(order_.size() * static_cast<size_t>(size));
  std::copy(vector, vector + size, vectors_.begin() + int64_t{text} * size);
  if (++kept_ == order_.size()) finish({std::move(vectors_), std::nullopt});
}

void EncodeJob::fail(const Error& error) {
  if (!over_) finish({{}, error});
}

void EncodeJob::finish(EncodeResult result) {
  over_ = true;
  on_done_(std::move(result));
}

}  // namespace llm_host
