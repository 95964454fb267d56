#include "sample/sampler.h"

#include <algorithm>
#include <map>

#include "check.h"

using namespace llm_host;

namespace {

const std::vector<float> kLogits = {1.0f, 3.0f, 2.0f, -1.0f, 2.5f};

// How often each token comes in many draws.
std::map<int, double> shares(const SamplingParams& params, int draws = 40000) {
  std::map<int, double> counts;
  for (int step = 0; step < draws; ++step) {
    counts[sample(kLogits, params, static_cast<uint64_t>(step))] += 1.0 / draws;
  }
  return counts;
}

// Softmax over the tokens that stay.
std::map<int, double> expected(const std::vector<int>& kept, double temperature) {
  std::map<int, double> result;
  double sum = 0;
  for (int id : kept) sum += result[id] = std::exp(kLogits[static_cast<size_t>(id)] / temperature);
  for (auto& [id, share] : result) share /= sum;
  return result;
}

void check_shares(const SamplingParams& params, const std::vector<int>& kept) {
  std::map<int, double> got = shares(params), want = expected(kept, params.temperature);
  CHECK(got.size() == want.size());
  for (auto& [id, share] : want) CHECK_NEAR(got[id], share, 0.015);
}

}  // namespace

TEST(temperature_zero_is_greedy) { CHECK(sample(kLogits, {}, 0) == 1); }
TEST(ties_go_to_the_first_token) { CHECK(sample(std::vector<float>{1, 5, 5}, {}, 0) == 1); }
TEST(plain_sampling_follows_the_softmax) {
  check_shares({.temperature = 1, .seed = 3}, {0, 1, 2, 3, 4});
}
TEST(temperature_sharpens) { check_shares({.temperature = 0.5f, .seed = 4}, {0, 1, 2, 3, 4}); }
TEST(top_k_keeps_k) { check_shares({.temperature = 1, .top_k = 2, .seed = 5}, {1, 4}); }
TEST(top_k_of_one_is_greedy) { check_shares({.temperature = 2, .top_k = 1, .seed = 6}, {1}); }
TEST(top_k_beyond_the_vocabulary_is_off) {
  check_shares({.temperature = 1, .top_k = 99, .seed = 7}, {0, 1, 2, 3, 4});
}
// Probabilities in order: 1: 0.48, 4: 0.29, 2: 0.18, 0: 0.065, 3: 0.0088.
TEST(top_p_keeps_as_few_as_hold_the_share) {
  check_shares({.temperature = 1, .top_p = 0.4f, .seed = 8}, {1});
  check_shares({.temperature = 1, .top_p = 0.6f, .seed = 9}, {1, 4});
  check_shares({.temperature = 1, .top_p = 0.9f, .seed = 10}, {1, 4, 2});
}
TEST(top_p_comes_after_temperature) {
  // At temperature 0.25 token 1 alone holds 0.87.
  check_shares({.temperature = 0.25f, .top_p = 0.8f, .seed = 11}, {1});
}
TEST(top_p_counts_what_top_k_left) {
  // Of tokens 1 and 4, token 1 holds 0.62.
  check_shares({.temperature = 1, .top_k = 2, .top_p = 0.6f, .seed = 12}, {1});
}
TEST(min_p_is_a_share_of_the_best) {
  check_shares({.temperature = 1, .min_p = 0.5f, .seed = 13}, {1, 4});
}

TEST(the_same_seed_gives_the_same_tokens) {
  SamplingParams a{.temperature = 1, .seed = 20}, b{.temperature = 1, .seed = 21};
  int differences = 0;
  for (uint64_t step = 0; step < 200; ++step) {
    CHECK(sample(kLogits, a, step) == sample(kLogits, a, step));
    differences += sample(kLogits, a, step) != sample(kLogits, b, step);
  }
  CHECK(differences > 20);
}

TEST(top_p_over_a_large_vocabulary_equals_a_full_sort) {
  std::vector<float> logits(5000);
  for (size_t i = 0; i < logits.size(); ++i) logits[i] = static_cast<float>(8 * uniform(99, i));
  SamplingParams params{.temperature = 1, .top_p = 0.5f, .seed = 22};
  std::vector<float> sorted = logits;
  std::sort(sorted.rbegin(), sorted.rend());
  double total = 0, sum = 0;
  for (float logit : sorted) total += std::exp(logit);
  size_t kept = 0;
  while (sum < 0.5 * total) sum += std::exp(sorted[kept++]);
  float least = sorted[kept - 1], lowest = 1e9f;
  for (uint64_t step = 0; step < 2000; ++step) {
    lowest = std::min(lowest, logits[static_cast<size_t>(sample(logits, params, step))]);
  }
  CHECK(lowest >= least);
  CHECK_NEAR(lowest, least, 0.1);
}

TEST(uniform_numbers_cover_the_unit_interval) {
  double sum = 0;
  for (uint64_t step = 0; step < 10000; ++step) {
    double u = uniform(1, step);
    CHECK(u >= 0 && u < 1);
    sum += u / 10000;
  }
  CHECK_NEAR(sum, 0.5, 0.02);
}

TEST(infinite_logits_do_not_break_sampling) {
  CHECK(sample(std::vector<float>{0, HUGE_VALF, 1}, {.temperature = 1}, 0) == 1);
  std::vector<float> masked{-HUGE_VALF, 2, -HUGE_VALF};
  for (uint64_t step = 0; step < 100; ++step) CHECK(sample(masked, {.temperature = 1}, step) == 1);
}

TEST(a_logit_that_is_no_number_is_told) {
  std::vector<float> broken{1, std::nanf(""), 3};
  CHECK(sample(broken, {}, 0) == -1);
  CHECK(sample(broken, {.temperature = 1}, 0) == -1);
}

TEST(logprobs_are_the_log_softmax_of_raw_logits) {
  Logprobs result = logprobs_of(kLogits, 2, 3);
  double sum = 0;
  for (float logit : kLogits) sum += std::exp(logit);
  CHECK_NEAR(result.chosen, 2 - std::log(sum), 1e-6);
  CHECK(result.top_ids == (std::vector<int32_t>{1, 4, 2}));
  CHECK_NEAR(result.top[0], 3 - std::log(sum), 1e-6);
  CHECK(logprobs_of(kLogits, 0, 0).top.empty());
  CHECK(logprobs_of(kLogits, 0, 20).top.size() == 5);
}

int main() { return check::run("sampler"); }
