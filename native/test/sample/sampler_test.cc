#include "sample/sampler.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "check.h"
#include "sample/lazy_sampler.h"
#include "sample/logprobs.h"

namespace llm_host::sampler_test {

static const check::Suite suite("sampler", [] {
  mx::set_default_device(mx::Device::cpu);
  mx::set_compile_mode(mx::CompileMode::disabled);
});
namespace mx = mlx::core;

namespace {

const std::vector<float> kLogits = {1.0f, 3.0f, 2.0f, -1.0f, 2.5f};

// How often each token comes in many draws.
std::map<int, double> frequencies(const SamplingParams& params, int draws = 40000) {
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

void check_frequencies(const SamplingParams& params, const std::vector<int>& kept) {
  std::map<int, double> got = frequencies(params), want = expected(kept, params.temperature);
  CHECK(got.size() == want.size());
  for (auto& [id, share] : want) CHECK_NEAR(got[id], share, 0.015);
}

// Samples in the obvious way: sorts everything, in double.
int32_t sample_by_sorting(std::vector<float> logits, const SamplingParams& params, uint64_t step,
                          const std::vector<int32_t>& prompt,
                          const std::vector<int32_t>& generated) {
  for (auto [id, bias] : params.penalties.logit_bias) logits[static_cast<size_t>(id)] += bias;
  for (size_t i = 0; i < logits.size(); ++i) {
    auto times = [&](const std::vector<int32_t>& ids) {
      return std::count(ids.begin(), ids.end(), static_cast<int32_t>(i));
    };
    if (times(prompt) + times(generated) > 0) {
      logits[i] = logits[i] < 0 ? logits[i] * params.penalties.repetition
                                : logits[i] / params.penalties.repetition;
    }
    float count = static_cast<float>(times(generated));
    if (count > 0) logits[i] -= params.penalties.presence + params.penalties.frequency * count;
  }
  std::vector<int32_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  auto at = [&](int32_t id) { return logits[static_cast<size_t>(id)]; };
  std::sort(order.begin(), order.end(),
            [&](int32_t a, int32_t b) { return at(a) != at(b) ? at(a) > at(b) : a < b; });
  if (params.temperature == 0) return order[0];
  for (float& logit : logits) logit /= params.temperature;
  if (params.top_k > 0 && static_cast<size_t>(params.top_k) < order.size()) {
    float least = at(order[static_cast<size_t>(params.top_k) - 1]);
    std::erase_if(order, [&](int32_t id) { return at(id) < least; });
  }
  auto weight = [&](int32_t id) { return static_cast<double>(std::exp(at(id) - at(order[0]))); };
  auto total = [&] {
    double sum = 0;
    for (int32_t id : order) sum += weight(id);
    return sum;
  };
  // Hugging Face removes from the least likely on, while what is removed holds at most 1 - p.
  double all = total(), before = 0;
  size_t kept = 0;
  while (kept < order.size() && (params.top_p >= 1 || before < params.top_p * all)) {
    before += weight(order[kept++]);
  }
  order.resize(std::max<size_t>(kept, 1));
  std::erase_if(order, [&](int32_t id) { return at(id) < at(order[0]) + std::log(params.min_p); });
  int32_t best = order[0];
  double left = uniform(params.seed, step) * total();
  std::vector<double> weights(logits.size());
  for (int32_t id : order) weights[static_cast<size_t>(id)] = weight(id);
  for (size_t i = 0; i < weights.size(); ++i) {
    left -= weights[i];
    if (left < 0) return static_cast<int32_t>(i);
  }
  return best;
}

}  // namespace

TEST(temperature_zero_is_greedy) { CHECK(sample(kLogits, {}, 0) == 1); }
TEST(ties_go_to_the_first_token) { CHECK(sample(std::vector<float>{1, 5, 5}, {}, 0) == 1); }
TEST(plain_sampling_follows_the_softmax) {
  check_frequencies({.temperature = 1, .seed = 3}, {0, 1, 2, 3, 4});
}
TEST(temperature_sharpens) { check_frequencies({.temperature = 0.5f, .seed = 4}, {0, 1, 2, 3, 4}); }
TEST(top_k_keeps_k) { check_frequencies({.temperature = 1, .top_k = 2, .seed = 5}, {1, 4}); }
TEST(top_k_of_one_is_greedy) { check_frequencies({.temperature = 2, .top_k = 1, .seed = 6}, {1}); }
TEST(top_k_beyond_the_vocabulary_is_off) {
  check_frequencies({.temperature = 1, .top_k = 99, .seed = 7}, {0, 1, 2, 3, 4});
}
// Probabilities in order: 1: 0.48, 4: 0.29, 2: 0.18, 0: 0.065, 3: 0.0088.
TEST(top_p_keeps_as_few_as_hold_the_share) {
  check_frequencies({.temperature = 1, .top_p = 0.4f, .seed = 8}, {1});
  check_frequencies({.temperature = 1, .top_p = 0.6f, .seed = 9}, {1, 4});
  check_frequencies({.temperature = 1, .top_p = 0.9f, .seed = 10}, {1, 4, 2});
}
TEST(top_p_comes_after_temperature) {
  // At temperature 0.25 token 1 alone holds 0.87.
  check_frequencies({.temperature = 0.25f, .top_p = 0.8f, .seed = 11}, {1});
}
TEST(top_p_counts_what_top_k_left) {
  // Token 1 holds 0.62 of tokens 1 and 4.
  check_frequencies({.temperature = 1, .top_k = 2, .top_p = 0.6f, .seed = 12}, {1});
}
TEST(min_p_is_a_share_of_the_best) {
  check_frequencies({.temperature = 1, .min_p = 0.5f, .seed = 13}, {1, 4});
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

TEST(any_setting_equals_a_full_sort) {
  uint64_t draws = 0;
  auto random = [&] { return static_cast<float>(uniform(123, draws++)); };
  auto one_of = [&](std::initializer_list<float> values) {
    return values.begin()[static_cast<size_t>(random() * static_cast<float>(values.size()))];
  };
  for (int round = 0; round < 3000; ++round) {
    size_t size = 1 + static_cast<size_t>(random() * one_of({4, 60, 1500}));
    std::vector<float> logits(size);
    // Coarse steps give ties.
    float step = one_of({0, 0.25f, 2});
    for (float& logit : logits) {
      logit = 20 * random() - 10;
      if (step > 0) logit = step * std::round(logit / step);
    }
    auto token = [&] { return static_cast<int32_t>(random() * static_cast<float>(size)); };
    SamplingParams params;
    params.temperature = one_of({0, 0.1f, 0.7f, 1, 3});
    params.top_k = static_cast<int>(one_of({0, 1, 5, 40, 5000}));
    params.top_p = one_of({1, 1, 0.95f, 0.5f, 0.01f});
    params.min_p = one_of({0, 0, 0.02f, 0.5f, 0.99f});
    params.seed = static_cast<uint32_t>(round);
    params.penalties.repetition = one_of({1, 1, 1.3f, 0.5f});
    params.penalties.presence = one_of({0, 0, 1.5f, -1});
    params.penalties.frequency = one_of({0, 0, 0.5f, -0.25f});
    if (random() < 0.3f) params.penalties.logit_bias = {{token(), 5}, {token(), -100}};
    std::vector<int32_t> prompt, generated;
    for (int i = 0; i < 8; ++i) prompt.push_back(token());
    TokenHistory history(prompt);
    for (uint64_t at = 0; at < 5; ++at) {
      int32_t id = sample(logits, params, at, history);
      CHECK(id == sample_by_sorting(logits, params, at, prompt, generated));
      generated.push_back(id);
      history.add(id);
    }
  }
}

TEST(penalties_are_those_of_hugging_face_and_openai) {
  std::vector<float> logits{2, -2, 2, 2, 1};
  TokenHistory history(std::vector<int32_t>{0, 1});
  history.add(2);
  history.add(2);
  Penalties penalties{{{4, 0.5f}}, 2, 0.25f, 0.5f};
  apply_penalties(logits, penalties, history);
  // In the prompt: halved or doubled. Generated twice: halved, then 0.25 + 2 · 0.5 less.
  CHECK(logits == (std::vector<float>{1, -4, -0.25f, 2, 1.5f}));
  CHECK(Penalties().off() && !penalties.off());
}

TEST(a_bias_moves_the_greedy_choice) {
  SamplingParams params;
  params.penalties.logit_bias = {{3, 100}};
  CHECK(sample(kLogits, params, 0) == 3);
}

TEST(a_lazy_sampler_counts_its_own_tokens) {
  SamplingParams params;
  params.penalties.presence = 2;
  std::vector<int32_t> prompt{1};
  LazySampler sampler(params, prompt);
  mx::array logits(kLogits.begin(), {5}, mx::float32);
  // 3.0, 2.5, 2.0, 1.0 in turn, each 2 less once it was generated.
  std::vector<mx::array> tokens;
  for (uint64_t step = 0; step < 5; ++step) {
    mx::array input =
        step == 0 ? logits : mx::add(logits, mx::multiply(tokens.back(), mx::array(0.0f)));
    tokens.push_back(sampler(input, step));
  }
  mx::eval(tokens);
  std::vector<int32_t> ids;
  for (mx::array& token : tokens) ids.push_back(token.item<int32_t>());
  CHECK(ids == (std::vector<int32_t>{1, 4, 2, 0, 1}));
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

TEST(infinite_logits_are_reported_but_not_those_of_masked_tokens) {
  for (float temperature : {0.0f, 1.0f}) {
    SamplingParams params{.temperature = temperature};
    CHECK(sample(std::vector<float>{0, HUGE_VALF, 1}, params, 0) == -1);
    CHECK(sample(std::vector<float>{-HUGE_VALF, -HUGE_VALF}, params, 0) == -1);
  }
  std::vector<float> masked{-HUGE_VALF, 2, -HUGE_VALF};
  for (uint64_t step = 0; step < 100; ++step) CHECK(sample(masked, {.temperature = 1}, step) == 1);
}

TEST(a_logit_that_is_not_a_number_is_reported) {
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

TEST(only_allowed_tokens_come_first_and_the_steps_go_on) {
  SamplingParams params{.temperature = 0};
  params.allowed_first = {0b01001};
  mx::array logits(kLogits.begin(), {5}, mx::float32);
  LazySampler sampler(params, std::vector<int32_t>{0});
  CHECK(sampler(logits, 0).item<int32_t>() == 0);
  CHECK(sampler(logits, 1).item<int32_t>() == 1);

  SamplingParams whole{.temperature = 1, .seed = 30}, rest = whole;
  rest.continued = 3;
  LazySampler from_start(whole, std::vector<int32_t>{0}),
      from_third(rest, std::vector<int32_t>{0, 1, 2, 4});
  for (uint64_t step = 0; step < 20; ++step) {
    CHECK(from_start(logits, step + 3).item<int32_t>() == from_third(logits, step).item<int32_t>());
  }
}

TEST(a_call_comes_first_only_if_it_is_likely_enough) {
  std::vector<float> sure{std::log(0.92f), std::log(0.05f), std::log(0.03f)},
      unsure{std::log(0.88f), std::log(0.07f), std::log(0.05f)};
  SamplingParams params{.temperature = 0};
  params.call_start = 0;
  params.call_confidence = 0.9f;
  auto token = [&](const std::vector<float>& logits, const SamplingParams& with, uint64_t step) {
    mx::array values(logits.begin(), {static_cast<int>(logits.size())}, mx::float32);
    return LazySampler(with, std::vector<int32_t>{0})(values, step).item<int32_t>();
  };
  CHECK(token(sure, params, 0) == 0);
  CHECK(token(unsure, params, 0) == 1);
  CHECK(token(unsure, params, 1) == 0);
  // Another token needs no probability, a bias does not make up for one, and 0 is off.
  SamplingParams other = params, biased = params, off = params;
  other.call_start = 1;
  biased.penalties.logit_bias = {{0, 5.0f}};
  off.call_confidence = 0;
  CHECK(token(unsure, other, 0) == 0);
  CHECK(token(unsure, biased, 0) == 1);
  CHECK(token(unsure, off, 0) == 0);
  // Nor is it chosen among the allowed, and nothing that is not a number is hidden.
  SamplingParams two = params;
  two.allowed_first = {0b101};
  CHECK(token(unsure, two, 0) == 2);
  two.allowed_first = {0b001};
  CHECK(token(unsure, two, 0) == -1);
  CHECK(token({NAN, 1, 2}, params, 0) == -1);
  CHECK(token({1, NAN, 2}, params, 0) == -1);
}

TEST(tokens_of_the_prompt_that_were_generated_count_as_generated) {
  SamplingParams params{.temperature = 0};
  params.penalties.presence = 2;
  params.continued = 1;
  mx::array logits(kLogits.begin(), {5}, mx::float32);
  // Token 1 is in both prompts, but was generated in only one of them.
  CHECK(LazySampler(params, std::vector<int32_t>{0, 1})(logits, 0).item<int32_t>() == 4);
  CHECK(LazySampler(params, std::vector<int32_t>{1, 0})(logits, 0).item<int32_t>() == 1);
}

TEST(a_logit_that_is_not_a_number_is_reported_though_not_allowed) {
  std::vector<float> logits{1, NAN, 2};
  std::vector<uint8_t> allowed{0b001};
  CHECK(sample(only_allowed(logits, allowed), SamplingParams{}, 0) == -1);
}

}  // namespace llm_host::sampler_test
