#include "engine/turn_budget.h"

#include <utility>

#include "check.h"

namespace llm_host::turn_budget_test {

static const check::Suite suite("turn_budget");

namespace {
constexpr double kGapMs = 100;
}

TEST(a_turn_fits_into_the_gap) {
  TurnBudget budget(kGapMs);
  int first = budget.tokens();
  CHECK(first >= TurnBudget::kFewest);
  // A machine that reads a token in half a millisecond and decodes for 20 ms.
  for (int i = 0; i < 20; ++i) {
    budget.decoded(20);
    budget.read(budget.tokens(), 0.5 * budget.tokens());
  }
  budget.decoded(20);
  CHECK(budget.tokens() == 160);
  CHECK(20 + 0.5 * budget.tokens() <= kGapMs);
}

TEST(a_longer_gap_leaves_more_to_prompts) {
  for (auto [gap, tokens] : {std::pair(60.0, 80), {100.0, 160}, {500.0, 960}}) {
    TurnBudget budget(gap);
    budget.read(512, 256);
    budget.decoded(20);
    CHECK(budget.tokens() == tokens);
  }
}

TEST(what_a_prompt_leaves_of_a_turn_is_for_the_next) {
  TurnBudget budget(kGapMs);
  budget.read(512, 256);
  budget.decoded(20);
  CHECK(budget.tokens() == 160);
  budget.read(100, 50);
  CHECK(budget.tokens() == 48);
  budget.read(48, 24);
  CHECK(budget.tokens() == 0);
  budget.decoded(20);
  CHECK(budget.tokens() == 160);
}

TEST(decoding_that_takes_most_of_the_gap_leaves_the_rest_to_prompts) {
  TurnBudget budget(kGapMs);
  budget.read(256, 128);
  for (int i = 0; i < 20; ++i) {
    budget.decoded(4);
    budget.waited(56);
    CHECK(budget.tokens() == 80);
    budget.read(80, 40);
  }
}

TEST(the_few_at_the_end_of_a_prompt_do_not_make_the_next_slower) {
  TurnBudget budget(kGapMs);
  budget.read(512, 256);
  budget.decoded(20);
  budget.read(3, 6);
  CHECK(budget.tokens() == 144);
}

TEST(slower_counts_at_once_and_prompts_always_go_on) {
  TurnBudget budget(kGapMs);
  budget.read(100, 10);
  budget.decoded(0);
  CHECK(budget.tokens() > 500);
  budget.read(100, 200);
  budget.decoded(0);
  CHECK(budget.tokens() > 0 && budget.tokens() <= 50);
  budget.decoded(500);
  CHECK(budget.tokens() == TurnBudget::kFewest);
}

}  // namespace llm_host::turn_budget_test
