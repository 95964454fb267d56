#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "check.h"
#include "engine/runtime.h"
#include "sample/lazy_sampler.h"

namespace llm_host::verify_test {

static const check::Suite suite("verify", init_runtime);
namespace mx = mlx::core;

namespace {

constexpr int kVocab = 8, kRows = 4;

using Ids = std::vector<int32_t>;

std::vector<float> random_logits(uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values;
  for (int i = 0; i < kRows * kVocab; ++i) {
    values.push_back(static_cast<float>(random() % 1000) / 400.0f);
  }
  return values;
}

mx::array rows_of(const std::vector<float>& values) {
  return mx::array(values.begin(), mx::Shape{kRows, kVocab});
}

// The tokens up to the first that was not proposed.
Ids verified(const LazySampler& sampler, const mx::array& logits, uint64_t step, Ids proposed) {
  mx::array tokens = sampler.verify(logits, step, proposed);
  tokens.eval();
  Ids ids;
  do {
    ids.push_back(tokens.data<int32_t>()[ids.size()]);
  } while (ids.size() <= proposed.size() && ids.back() == proposed[ids.size() - 1]);
  sampler.keep(ids.size());
  return ids;
}

// One after the other, as without proposals.
Ids sampled(const LazySampler& sampler, const std::vector<float>& logits, uint64_t step,
            size_t count) {
  Ids ids;
  for (size_t i = 0; i < count; ++i) {
    mx::array row(logits.begin() + static_cast<long>(i * kVocab), mx::Shape{kVocab});
    ids.push_back(sampler(row, step + i).item<int32_t>());
  }
  return ids;
}

SamplingParams params_of(uint32_t seed) {
  SamplingParams params;
  params.temperature = 0.9f;
  params.seed = seed;
  return params;
}

}  // namespace

TEST(tokens_are_those_that_are_drawn_without_proposals) {
  std::array<int, kRows + 1> lengths{};
  for (uint32_t seed = 0; seed < 400; ++seed) {
    std::vector<float> values = random_logits(seed);
    SamplingParams params = params_of(seed);
    if (seed % 2 == 0) {
      params.penalties = {{{3, 1.0f}}, 1.3f, 0.4f, 0.3f};
      params.top_k = 5;
    }
    Ids prompt{1, 2, 2};
    LazySampler plain(params, prompt), verifying(params, prompt);
    // Some right, some wrong.
    Ids proposed = sampled(LazySampler(params, prompt), values, 0, kRows - 1);
    if (seed % 4 != 0) proposed[seed % (kRows - 1)] = static_cast<int32_t>(seed / 3 % kVocab);
    Ids first = verified(verifying, rows_of(values), 0, proposed);
    ++lengths.at(first.size());
    CHECK(first == sampled(plain, values, 0, first.size()));
    // Rejected tokens are not counted by the penalties.
    std::vector<float> more = random_logits(seed + 1000);
    Ids second = verified(verifying, rows_of(more), first.size(), {5, 5, 5});
    CHECK(second == sampled(plain, more, first.size(), second.size()));
  }
  for (size_t length = 1; length <= kRows; ++length) CHECK(lengths[length] > 20);
}

// Draws 20,000 times: rows 0 and 1, the second where the first drew the proposed token.
TEST(the_distribution_is_the_model_s) {
  constexpr int kDraws = 20'000;
  std::vector<float> values = random_logits(5);
  mx::array logits = rows_of(values);
  std::array<std::array<int, kVocab>, 2> counts{};
  std::array<int, 2> totals{};
  for (uint32_t seed = 0; seed < kDraws; ++seed) {
    Ids proposed{static_cast<int32_t>(seed % kVocab), static_cast<int32_t>(seed / 7 % kVocab), 1};
    Ids ids = verified(LazySampler(params_of(seed), {}), logits, 0, proposed);
    for (size_t i = 0; i < std::min<size_t>(2, ids.size()); ++i) {
      ++counts[i][static_cast<size_t>(ids[i])];
      ++totals[i];
    }
  }
  CHECK(totals[0] == kDraws && totals[1] > kDraws / 12);
  for (size_t i = 0; i < 2; ++i) {
    double sum = 0, chi_square = 0;
    std::array<double, kVocab> weights{};
    for (size_t id = 0; id < kVocab; ++id) {
      weights[id] = std::exp(values[i * kVocab + id] / 0.9);
      sum += weights[id];
    }
    for (size_t id = 0; id < kVocab; ++id) {
      double expected = totals[i] * weights[id] / sum;
      chi_square += (counts[i][id] - expected) * (counts[i][id] - expected) / expected;
    }
    // 7 degrees of freedom: exceeded once in 10,000 times. The draws are the same in every run.
    CHECK(chi_square < 29.9);
  }
}

}  // namespace llm_host::verify_test
