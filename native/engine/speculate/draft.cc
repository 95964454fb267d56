#include "engine/speculate/draft.h"

#include <algorithm>
#include <utility>

#include "engine/speculate/governor.h"
#include "layers/cache/kv_cache.h"

namespace llm_host {
namespace {

static_assert(Governor::kMost < RotatingKvCache::kTakenBack);

SamplingParams without_penalties(SamplingParams params) {
  params.penalties = {};
  params.allowed_first = {};
  params.call_start = -1;
  return params;
}

}  // namespace

Draft::Draft(const DraftModel& source, SequencePool::Lease lease, const SamplingParams& params,
             std::span<const int32_t> prompt)
    : source_(source),
      lease_(std::move(lease)),
      sampler_(without_penalties(params), prompt),
      prompt_tokens_(prompt.size()) {
  for (int32_t id : prompt) say(id);
  sequence().rewind(prompt);
  sequence().begin(false, {false});
}

Draft::~Draft() {
  try {
    come_back();
  } catch (const std::exception&) {
    lease_.discard();
  }
}

void Draft::say(int32_t id) {
  text_.push_back(id);
  known_ = known_ && id < source_.vocab();
}

int Draft::add(int32_t id) {
  say(id);
  if (next_ >= proposed_.size()) return -1;
  bool right = proposed_[next_++] == id;
  if (!right) proposed_.clear();
  return right ? 1 : 0;
}

int Draft::kept() const {
  const Sequence& s = sequence();
  if (!ahead_) return static_cast<int>(s.ids.size());
  size_t most = std::min(s.ids.size(), text_.size());
  auto end = s.ids.begin() + static_cast<int64_t>(most);
  auto right =
      static_cast<int>(std::mismatch(s.ids.begin(), end, text_.begin()).first - s.ids.begin());
  return s.cache.can_trim(right) ? right : 0;
}

int Draft::behind(int count) const {
  int last = std::min(length() - 1, source_.model().info().context_length);
  return std::max(0, std::min(count, last) - kept());
}

int Draft::most() const {
  int room = source_.model().info().context_length - length();
  return known_ ? std::max(0, room) : 0;
}

void Draft::come_back() {
  int right = kept();
  if (!std::exchange(ahead_, false)) return;
  Sequence& s = sequence();
  if (right > 0) {
    s.cache.keep(right);
    s.ids.resize(static_cast<size_t>(right));
  } else {
    s.cache.keep(s.cache.length());
    s.clear();
  }
}

mx::array Draft::append(int count) {
  Sequence& s = sequence();
  auto from = text_.begin() + static_cast<int64_t>(s.ids.size());
  lease_.grow(count, true);
  s.cache.plan(static_cast<int>(s.ids.size()) + count);
  mx::array ids(from, mx::Shape{1, count}, mx::int32);
  mx::array hidden = source_.model().body(ids, s.cache, 1);
  s.ids.insert(s.ids.end(), from, from + count);
  return hidden;
}

void Draft::read(int count) {
  try {
    come_back();
    std::vector<mx::array> results{append(count)};
    for (const mx::array& state : sequence().cache.arrays()) results.push_back(state);
    mx::eval(results);
  } catch (const std::exception&) {
    lease_.discard();
    throw;
  }
}

std::vector<int32_t> Draft::propose(int count) {
  try {
    return proposed_ = expected(count);
  } catch (const std::exception&) {
    lease_.discard();
    throw;
  }
}

std::vector<int32_t> Draft::expected(int count) {
  proposed_.clear();
  next_ = 0;
  come_back();
  count = std::min(count, most());
  // It has read all of the text where the last proposals were never verified.
  if (count == 0 || unread() == 0) return {};
  ModelCache& cache = sequence().cache;
  cache.remember();
  ahead_ = true;
  mx::array hidden = append(unread());
  // Tokens that may be wrong are worth no room of their own.
  uint64_t room = cache.bytes_after(1);
  while (count > 1 && cache.bytes_after(count) > room) --count;
  return draw(std::move(hidden), count);
}

std::vector<int32_t> Draft::draw(mx::array hidden, int count) {
  const Model& model = source_.model();
  Sequence& s = sequence();
  auto step = static_cast<uint64_t>(text_.size() - prompt_tokens_);
  std::vector<mx::array> tokens;
  for (int i = 0; i < count; ++i) {
    if (i > 0) {
      s.cache.plan(s.cache.length() + 1);
      hidden = model.body(mx::reshape(tokens.back(), {1, 1}), s.cache, 1);
    }
    mx::array logits = mx::astype(mx::flatten(model.head(hidden)), mx::float32);
    tokens.push_back(sampler_(logits, step + static_cast<uint64_t>(i)));
  }
  std::vector<mx::array> results = s.cache.arrays();
  results.push_back(mx::concatenate(tokens, 0));
  mx::eval(results);
  const auto* drawn = results.back().data<int32_t>();
  std::vector<int32_t> ids(drawn, drawn + count);
  s.ids.insert(s.ids.end(), ids.begin(), ids.end() - 1);
  // Where one is no token of both, or its logits were not numbers, nothing is proposed any more.
  auto known = [&](int32_t id) { return id >= 0 && id < source_.vocab(); };
  ids.erase(std::find_if_not(ids.begin(), ids.end(), known), ids.end());
  return ids;
}

}  // namespace llm_host
