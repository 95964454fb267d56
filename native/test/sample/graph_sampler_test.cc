#include "sample/graph_sampler.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "check.h"

namespace llm_host::graph_sampler_test {

static const check::Suite suite("graph_sampler", [] {
  mx::set_default_device(mx::Device::cpu);
  mx::set_compile_mode(mx::CompileMode::disabled);
});

namespace {

constexpr int kVocab = 12;
const std::vector<float> kLogits = {0.3f,  2.1f, -1.7f, 1.4f,  -0.2f, 3.0f,
                                    -3.5f, 0.9f, 1.9f,  -2.4f, 2.6f,  -0.8f};
const std::vector<int32_t> kPrompt = {1, 5, 5, 7};

mx::array array_of(const std::vector<float>& logits) {
  return mx::array(logits.begin(), mx::Shape{static_cast<int>(logits.size())}, mx::float32);
}

std::span<const int32_t> before(const std::vector<int32_t>& prompt, int continued) {
  return std::span<const int32_t>(prompt).first(prompt.size() - static_cast<size_t>(continued));
}

// The probability of each token, in double and in the obvious way: no ties.
std::vector<double> exact(const std::vector<float>& logits, const SamplingParams& params,
                          const std::vector<int32_t>& prompt, bool first) {
  std::vector<float> penalised = logits;
  auto continued = static_cast<std::ptrdiff_t>(params.continued);
  TokenHistory history(before(prompt, params.continued));
  for (auto id = prompt.end() - continued; id != prompt.end(); ++id) history.add(*id);
  apply_penalties(penalised, params.penalties, history);
  std::vector<double> score(penalised.begin(), penalised.end()), p(score.size());
  auto at = [](auto id) { return static_cast<size_t>(id); };
  std::vector<int> order(score.size());
  std::iota(order.begin(), order.end(), 0);
  if (first && !params.allowed_first.empty()) {
    std::erase_if(order, [&](int id) { return !is_allowed(params.allowed_first, at(id)); });
  }
  if (first && params.call_start >= 0) {
    std::vector<float> left = first_logits(logits, params);
    std::erase_if(order, [&](int id) { return std::isinf(left[at(id)]); });
  }
  std::sort(order.begin(), order.end(), [&](int a, int b) { return score[at(a)] > score[at(b)]; });
  if (params.temperature <= 0) {
    p[at(order[0])] = 1;
    return p;
  }
  auto weight = [&](int id) {
    return std::exp((score[at(id)] - score[at(order[0])]) /
                    static_cast<double>(params.temperature));
  };
  auto total = [&] {
    return std::accumulate(order.begin(), order.end(), 0.0,
                           [&](double sum, int id) { return sum + weight(id); });
  };
  if (params.top_k > 0) order.resize(std::min(order.size(), at(params.top_k)));
  double wanted = params.top_p * total(), sum = 0;
  size_t kept = 0;
  while (kept < order.size() && (params.top_p >= 1 || sum < wanted)) sum += weight(order[kept++]);
  order.resize(std::max<size_t>(kept, 1));
  std::erase_if(order, [&](int id) { return weight(id) < params.min_p; });
  double all = total();
  for (int id : order) p[at(id)] = weight(id) / all;
  return p;
}

// The first tokens of `draws` generations with seeds 0, 1, 2, ...: all evaluated at once.
std::vector<int32_t> first_tokens(SamplingParams params, int draws,
                                  const std::vector<int32_t>& prompt = kPrompt) {
  std::vector<mx::array> tokens;
  mx::array logits = array_of(kLogits);
  for (int seed = 0; seed < draws; ++seed) {
    params.seed = static_cast<uint32_t>(seed);
    tokens.push_back(GraphSampler(params, prompt)(logits, 0));
  }
  mx::array all = mx::concatenate(tokens);
  all.eval();
  return {all.data<int32_t>(), all.data<int32_t>() + draws};
}

// Pearson's statistic, with what is rarer than 5 draws in one class; and its 99.99 % bound by
// Wilson and Hilferty's approximation. What has no probability must never be drawn.
void check_distribution(const char* what, const std::vector<int32_t>& drawn,
                        const std::vector<double>& p) {
  std::vector<double> counts(p.size());
  for (int32_t id : drawn) {
    if (id >= 0) ++counts[static_cast<size_t>(id)];
  }
  double n = static_cast<double>(drawn.size()), chi = 0, rare = 0, rare_wanted = 0;
  int classes = 0;
  for (size_t id = 0; id < p.size(); ++id) {
    if (p[id] == 0 && counts[id] > 0) {
      check::fail(__FILE__, __LINE__, std::string(what) + ": drew " + std::to_string(id));
    }
    if (p[id] * n < 5) {
      rare += counts[id];
      rare_wanted += p[id] * n;
    } else {
      chi += (counts[id] - p[id] * n) * (counts[id] - p[id] * n) / (p[id] * n);
      ++classes;
    }
  }
  if (rare_wanted >= 5) {
    chi += (rare - rare_wanted) * (rare - rare_wanted) / rare_wanted;
    ++classes;
  }
  double k = std::max(1, classes - 1), cube = 1 - 2 / (9 * k) + 3.719 * std::sqrt(2 / (9 * k));
  if (chi > k * cube * cube * cube) {
    check::fail(__FILE__, __LINE__,
                std::string(what) + ": chi-square " + std::to_string(chi) + " with " +
                    std::to_string(k) + " degrees of freedom");
  }
}

}  // namespace

TEST(each_setting_draws_with_the_exact_probabilities) {
  struct Row {
    const char* what;
    SamplingParams params;
  };
  SamplingParams plain{.temperature = 1};
  SamplingParams penalised = plain, continued = plain, allowed = plain, both = plain;
  penalised.penalties = {{{2, 4.0f}, {10, -100.0f}, {2, 0.5f}}, 1.4f, 0.7f, 0.3f};
  continued.penalties = {{}, 1.2f, 1.1f, 0.4f};
  continued.continued = 3;
  SamplingParams unsure = penalised;
  unsure.call_start = 4;
  unsure.call_confidence = 0.9f;
  allowed.allowed_first = {0b01001010, 0b0100};
  both.allowed_first = {0b11111111, 0b0011};
  both.top_k = 4;
  both.min_p = 0.2f;
  for (const Row& row : std::vector<Row>{{"plain", plain},
                                         {"colder", {.temperature = 0.5f}},
                                         {"hotter", {.temperature = 2}},
                                         {"top-k", {.temperature = 1, .top_k = 3}},
                                         {"top-k of all", {.temperature = 1, .top_k = kVocab}},
                                         {"top-p", {.temperature = 1, .top_p = 0.7f}},
                                         {"top-p of little", {.temperature = 1, .top_p = 0.01f}},
                                         {"min-p", {.temperature = 1, .min_p = 0.15f}},
                                         {"all", {1.3f, 7, 0.85f, 0.1f, 0, {}, {}, 0}},
                                         {"penalties, bias, a banned token", penalised},
                                         {"continued", continued},
                                         {"a call that is not likely enough", unsure},
                                         {"allowed tokens", allowed},
                                         {"allowed tokens, top-k, min-p", both}}) {
    check_distribution(row.what, first_tokens(row.params, 1000),
                       exact(kLogits, row.params, kPrompt, true));
  }
}

// Each step draws anew, and the seeds of two replies have nothing in common.
TEST(the_steps_of_one_reply_draw_with_the_exact_probabilities) {
  SamplingParams params{.temperature = 1, .seed = 5};
  GraphSampler sampler(params, kPrompt);
  std::vector<mx::array> tokens;
  for (uint64_t step = 0; step < 2000; ++step) tokens.push_back(sampler(array_of(kLogits), step));
  mx::array all = mx::concatenate(tokens);
  all.eval();
  std::vector<int32_t> drawn(all.data<int32_t>(), all.data<int32_t>() + 2000);
  check_distribution("steps", drawn, exact(kLogits, params, kPrompt, true));
  // Pairs of neighbours too: 12 · 12 classes.
  std::vector<double> p = exact(kLogits, params, kPrompt, true), pairs;
  for (double a : p) {
    for (double b : p) pairs.push_back(a * b);
  }
  std::vector<int32_t> neighbours;
  for (size_t i = 0; i + 1 < drawn.size(); i += 2) {
    neighbours.push_back(drawn[i] * kVocab + drawn[i + 1]);
  }
  check_distribution("neighbours", neighbours, pairs);
}

TEST(a_seed_gives_the_same_tokens_and_another_gives_others) {
  SamplingParams a{.temperature = 1, .seed = 20}, b{.temperature = 1, .seed = 21};
  auto tokens = [](const SamplingParams& params, uint64_t from) {
    GraphSampler sampler(params, std::vector<int32_t>{0});
    std::vector<int32_t> ids;
    for (uint64_t step = from; step < 100; ++step) {
      ids.push_back(sampler(array_of(kLogits), step).item<int32_t>());
    }
    return ids;
  };
  CHECK(tokens(a, 0) == tokens(a, 0));
  CHECK(tokens(a, 0) != tokens(b, 0));
  // Whoever continues after 40 tokens gets those that would have followed.
  std::vector<int32_t> whole = tokens(a, 0), rest(whole.begin() + 40, whole.end());
  SamplingParams later = a;
  later.continued = 40;
  GraphSampler sampler(later, std::vector<int32_t>(41, 0));
  for (uint64_t step = 0; step < rest.size(); ++step) {
    CHECK(sampler(array_of(kLogits), step).item<int32_t>() == rest[step]);
  }
}

int32_t greatest(const std::vector<float>& logits) {
  return static_cast<int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

// Penalties count what the sampler itself returned.
TEST(greedy_tokens_equal_those_of_the_sampler_of_the_host) {
  uint64_t draws = 0;
  auto random = [&] { return static_cast<float>(uniform(77, draws++)); };
  auto one_of = [&](std::initializer_list<float> values) {
    return values.begin()[static_cast<size_t>(random() * static_cast<float>(values.size()))];
  };
  for (int round = 0; round < 60; ++round) {
    std::vector<float> logits(static_cast<size_t>(1 + 200 * random()));
    float coarse = one_of({0, 0.5f});  // steps give ties: the first wins
    for (float& logit : logits) {
      logit = 20 * random() - 10;
      if (coarse > 0) logit = coarse * std::round(logit / coarse);
    }
    auto token = [&] { return static_cast<int32_t>(random() * static_cast<float>(logits.size())); };
    SamplingParams params;
    params.penalties = {
        {}, one_of({1, 1.3f, 0.5f}), one_of({0, 1.5f, -1}), one_of({0, 0.5f, -0.25f})};
    if (random() < 0.5f) params.penalties.logit_bias = {{token(), 5.0f}, {token(), -100.0f}};
    std::vector<int32_t> prompt{token(), token(), token(), token()};
    params.continued = static_cast<int>(one_of({0, 2}));
    if (random() < 0.3f) params.allowed_first.assign(logits.size() / 8 + 1, 0b01010101);
    if (random() < 0.5f) params.call_start = greatest(logits);
    params.call_confidence = one_of({0, 0.2f, 0.6f, 0.95f});
    GraphSampler sampler(params, prompt);
    TokenHistory history(before(prompt, params.continued));
    for (auto id = prompt.end() - params.continued; id != prompt.end(); ++id) history.add(*id);
    for (uint64_t step = 0; step < 6; ++step) {
      bool restricted = step == 0 && restricts_first(params);
      std::vector<float> seen = restricted ? first_logits(logits, params) : logits;
      int32_t expected = sample(seen, params, step, history);
      CHECK(sampler(array_of(logits), step).item<int32_t>() == expected);
      history.add(expected);
    }
  }
}

// The host breaks the tie by id; here all of them stay, as in Hugging Face's top-k.
TEST(tokens_as_likely_as_the_last_one_within_top_p_stay) {
  std::vector<float> logits{1, 2, 2, 2, 0};
  std::map<int32_t, int> drawn;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    SamplingParams params{.temperature = 1, .top_p = 0.5f, .seed = seed};
    ++drawn[GraphSampler(params, {})(array_of(logits), 0).item<int32_t>()];
  }
  CHECK(drawn.size() == 3 && drawn.contains(1) && drawn.contains(2) && drawn.contains(3));
}

TEST(logits_that_are_not_finite_are_reported) {
  const float inf = INFINITY, nan = std::nanf("");
  SamplingParams narrow{0.7f, 3, 0.9f, 0.05f, 1, {{{0, 1.0f}}, 1.2f, 0.5f, 0.5f}, {}, 0};
  for (const SamplingParams& base : {SamplingParams{}, SamplingParams{.temperature = 1}, narrow}) {
    auto token = [&](const std::vector<float>& logits, std::vector<uint8_t> allowed = {}) {
      SamplingParams params = base;
      params.allowed_first = std::move(allowed);
      return GraphSampler(params, std::vector<int32_t>{0})(array_of(logits), 0).item<int32_t>();
    };
    CHECK(token({1, nan, 3}) == -1);
    CHECK(token({nan, nan, nan}) == -1);
    CHECK(token({0, inf, 1}) == -1);
    CHECK(token({-inf, -inf, -inf}) == -1);
    CHECK(token({1, nan, 3}, {0b001}) == -1);
    // None of the allowed ones has a probability.
    CHECK(token({1, -inf, 3}, {0b010}) == -1);
    CHECK(token({1, 2, 3}, {0}) == -1);
    // Masked ones are no fault.
    CHECK(token({-inf, 2, -inf}) == 1);
    CHECK(token({1, 2, -inf}, {0b010}) == 1);
  }
}

// A prompt whose repetition penalty makes a score infinite: the host takes that token.
TEST(penalties_that_overflow_choose_the_token_of_the_host) {
  SamplingParams params{.temperature = 1, .top_k = 2, .top_p = 0.9f};
  params.penalties.repetition = 1e-38f;
  std::vector<float> logits{1, 500, 3};
  std::vector<int32_t> prompt{1};
  CHECK(GraphSampler(params, prompt)(array_of(logits), 0).item<int32_t>() ==
        sample(logits, params, 0, TokenHistory(prompt)));
}

}  // namespace llm_host::graph_sampler_test
