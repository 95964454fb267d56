#include "engine/turn_budget.h"

#include "check.h"

using namespace llm_host;

TEST(a_turn_fits_into_the_gap) {
  TurnBudget budget;
  int first = budget.tokens();
  CHECK(first >= TurnBudget::kFewest);
  // A machine that reads a token in half a millisecond and decodes for 20 ms.
  for (int i = 0; i < 20; ++i) {
    budget.decoded(20);
    budget.read(budget.tokens(), 0.5 * budget.tokens());
  }
  CHECK(budget.tokens() == 160);
  CHECK(20 + 0.5 * budget.tokens() <= TurnBudget::kMaxGapMs);
}

TEST(slower_counts_at_once_and_prompts_always_go_on) {
  TurnBudget budget;
  budget.read(100, 10);
  CHECK(budget.tokens() > 500);
  budget.read(100, 200);
  CHECK(budget.tokens() <= 50);
  budget.decoded(500);
  CHECK(budget.tokens() == TurnBudget::kFewest);
}

int main() { return check::run("turn_budget"); }
