#include "engine/speculate/governor.h"

#include "check.h"

namespace llm_host::governor_test {

static const check::Suite suite("governor");

namespace {

int worth(const Governor& governor, int sequences, double rate) {
  return governor.worth(sequences, Governor::kMost, [=](int) { return rate; });
}

bool worth_waiting(const Governor& governor, double rate) {
  return governor.worth_waiting(1, [=](int) { return rate; });
}

// A machine on which a pass takes `plain` ms, `wait` more if the next one waits for it, and `row`
// more for each proposed token.
Governor measured(double plain, double wait, double row, int sequences = 1) {
  Governor governor;
  for (int i = 0; i < 100; ++i) {
    governor.turned({sequences, sequences}, false, sequences, plain);
    governor.turned({sequences, sequences}, true, sequences, plain + wait);
    governor.turned({sequences, sequences + 4}, true, sequences, plain + wait + 4 * row);
  }
  return governor;
}

}  // namespace

TEST(more_is_proposed_the_likelier_and_the_cheaper_it_is) {
  Governor cheap = measured(10, 0, 0.5), dear = measured(10, 0, 5);
  CHECK(worth(cheap, 1, 0.99) == Governor::kMost);
  CHECK(worth(cheap, 1, 0.7) >= 3 && worth(cheap, 1, 0.7) < Governor::kMost);
  CHECK(worth(cheap, 1, 0.02) == 0);
  CHECK(worth(dear, 1, 0.99) > 0 && worth(dear, 1, 0.4) == 0);
  CHECK(worth(measured(10, 0, 11), 1, 1) == 0);
}

TEST(nothing_is_proposed_where_it_gains_less_than_a_tenth) {
  CHECK(worth(measured(10, 0, 9.9), 1, 1) == 0);
  CHECK(worth(measured(10, 0, 1), 1, 0.12) == 0);
}

TEST(what_waiting_costs_is_charged) {
  Governor quick = measured(10, 0, 1), slow = measured(10, 3, 1);
  CHECK(worth(quick, 1, 0.3) > 0 && worth(slow, 1, 0.3) == 0);
  CHECK(worth(slow, 1, 0.9) > 0);
  // The first of them must be right too before anything is gained.
  CHECK(worth_waiting(slow, 0.9) && !worth_waiting(slow, 0.5));
  CHECK(worth(slow, 1, 0.5) > 0);
}

TEST(beside_others_a_row_costs_what_it_adds_to_the_pass_of_all) {
  // A token more for eight, at the price of a tenth.
  CHECK(worth(measured(40, 0, 4.5, 8), 8, 0.95) == 0);
  CHECK(worth(measured(40, 0, 1, 8), 8, 0.95) > 0);
}

TEST(a_pass_that_was_interrupted_does_not_count) {
  Governor governor = measured(10, 1, 0.5);
  governor.turned({1, 1}, false, 1, 5000);
  governor.turned({1, 1}, true, 1, 5000);
  governor.turned({1, 5}, true, 1, 5000);
  for (double rate : {0.3, 0.5, 0.7, 0.9}) {
    CHECK(worth(governor, 1, rate) == worth(measured(10, 1, 0.5), 1, rate));
  }
}

TEST(what_did_not_pay_is_tried_again_later) {
  Governor governor = measured(10, 0, 12);
  CHECK(worth(governor, 1, 0.9) == 0);
  for (int i = 0; i < 1000; ++i) governor.turned({1, 1}, false, 1, 10);
  CHECK(worth(governor, 1, 0.9) > 0);
}

TEST(a_generation_s_own_rate_prevails_over_that_of_others) {
  Governor governor;
  Acceptance own(24);
  Match three{3, -1}, twenty{20, -1}, returned{20, 1};
  double before = governor.rate(own, three);
  for (int i = 0; i < 100; ++i) governor.noted(three, false);
  CHECK(governor.rate(own, three) < before / 4);
  for (int i = 0; i < 20; ++i) own.note(three, true);
  CHECK(governor.rate(own, three) > 0.7);
  // Other lengths are counted by themselves, and so are those after an edit.
  CHECK(governor.rate(own, twenty) > 0.7 && governor.rate(own, returned) < 0.6);
}

}  // namespace llm_host::governor_test
