#include "engine/encoder_session.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <algorithm>
#include <array>

#include "common/device_policy.h"
#include "engine/runtime.h"

namespace llm_host {
namespace {

// Fewer tokens than a matrix unit's tile has rows are multiplied in another way, with other
// roundings. Filled up with texts of one token, a batch gives a text the vector that it has in any
// other.
constexpr size_t kMinTokens = 16;
constexpr std::array<int32_t, 1> kZero{};

TextTokens tokens_of(const EncodeJob& job, int text) {
  auto start = static_cast<size_t>(job.start_of(text));
  auto length = static_cast<size_t>(job.length_of(text));
  return {std::span(job.request.ids).subspan(start, length),
          std::span(job.request.types).subspan(start, length)};
}

}  // namespace

std::unique_ptr<EncoderSession> EncoderSession::load(const LoadSpec& spec,
                                                     const Progress& progress) {
  check_mlx_version();
  DevicePolicy::check();
  if (spec.group_limit_ms) {
    throw Error(kUsage, "a model that turns texts into vectors runs in one process");
  }
  Config config(spec.config);
  WeightStore weights(spec, progress);
  return std::unique_ptr<EncoderSession>(new EncoderSession(config, weights, spec));
}

EncoderSession::EncoderSession(const Config& config, WeightStore& weights, const LoadSpec& spec)
    : encoder_(make_encoder(config, *spec.encoder, weights, spec.context_length)),
      info_(encoder_->info()) {
  weights.finish();
  info_.parameters = weights.parameters();
  info_.weight_bytes = weights.bytes();
  info_.device = device_text();
  batch_tokens_ = DevicePolicy::get().prefill_chunk(info_.parameters);
  // Loading took more memory for a moment: back to the system with it.
  mx::clear_cache();
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

bool EncoderSession::turn() {
  drop_over();
  std::vector<Place> places = take_batch();
  if (places.empty()) return false;
  try {
    run(places);
  } catch (const std::exception& error) {
    for (const Place& place : places) place.job->fail(error_of(error, "encoding texts"));
  }
  drop_over();
  return true;
}

void EncoderSession::drop_over() {
  for (const std::shared_ptr<EncodeJob>& job : jobs_) {
    if (job->cancelled()) job->fail(Error(kCancelled, "encoding the texts was cancelled"));
  }
  std::erase_if(jobs_, [](const std::shared_ptr<EncodeJob>& job) { return job->over(); });
}

std::vector<EncoderSession::Place> EncoderSession::take_batch() {
  std::vector<Place> places;
  int tokens = 0;
  for (const std::shared_ptr<EncodeJob>& job : jobs_) {
    for (int text; (text = job->next()) >= 0;) {
      int length = job->length_of(text);
      if (!places.empty() && tokens + length > batch_tokens_) return places;
      tokens += length;
      places.push_back({job, job->take()});
    }
  }
  return places;
}

void EncoderSession::run(const std::vector<Place>& places) {
  std::vector<TextTokens> texts;
  size_t tokens = 0;
  for (const Place& place : places) {
    texts.push_back(tokens_of(*place.job, place.text));
    tokens += texts.back().ids.size();
  }
  if (DevicePolicy::get().own_kernels()) {
    for (; tokens < kMinTokens; ++tokens) texts.push_back({kZero, kZero});
  }
  mx::array vectors = mx::contiguous((*encoder_)(make_text_batch(texts)));
  vectors.eval();
  const float* next = vectors.data<float>();
  for (const Place& place : places) {
    place.job->keep(place.text, next, info_.hidden_size);
    next += info_.hidden_size;
  }
}

}  // namespace llm_host
