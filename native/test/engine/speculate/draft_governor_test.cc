#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "check.h"
#include "engine/speculate/governor.h"

namespace llm_host::draft_governor_test {

static const check::Suite suite("draft_governor");

namespace {

// The costs of passes and drafting, in plain passes. See PassCosts.
struct Machine {
  double wait, row, token, read;
};

// How likely the draft model is right about the token at a place of the text.
using Accepts = double (*)(int place);

struct Said {
  double passes = 0;  // what it took
  int tokens = 0, drafted = 0;
};

// The turns of Generation, one or several at once, without a model: replies of some 150 tokens, one
// after the other. What is measured is up to a fifth off, and now and then another program has the
// machine for a while.
class Replies {
 public:
  Replies(const Machine& machine, Accepts accepts, int sequences, uint32_t seed, int prompt = 60,
          int length = 150)
      : machine_(machine),
        accepts_(accepts),
        random_(seed),
        prompt_(prompt),
        length_(length),
        rows_(static_cast<size_t>(sequences), {prompt}) {}

  Said say(int tokens) {
    Said said;
    while (said.tokens < tokens) turn(said);
    return said;
  }

  Governor governor;

 private:
  struct Row {
    int behind, said = 0, proposed = 0;
  };

  static constexpr double kPassMs = 20;

  double chance() { return static_cast<double>(random_() % 100'000) / 100'000; }
  // The measured time of this many passes.
  double ms(double passes) {
    double all = passes * kPassMs * (0.9 + 0.2 * chance());
    since_ += passes;
    if (since_ < 400) return all;
    since_ = 0;
    return all + 30 * kPassMs;
  }

  void turn(Said& said) {
    auto sequences = static_cast<int>(rows_.size());
    Pass pass{sequences, sequences};
    bool waited = false;
    for (const Row& row : rows_) {
      pass.rows += row.proposed;
      waited = waited || row.proposed > 0 || worth(row) > 0;
    }
    int proposed = pass.rows - sequences, tokens = 0;
    double took = 1 + (waited ? machine_.wait : 0) + proposed * machine_.row, measured = ms(took);
    for (Row& row : rows_) tokens += verify(row);
    for (Row& row : rows_) measured += propose(row, took, said);
    governor.turned(pass, waited, tokens, measured);
    said.passes += took;
    said.tokens += tokens;
  }

  int worth(const Row& row) const {
    return governor.worth_drafting(static_cast<int>(rows_.size()), Governor::kMost, row.behind);
  }

  // -> tokens that the pass gave
  int verify(Row& row) {
    int count = 0;
    for (bool right = true; right && count <= row.proposed; ++count) {
      bool was_proposed = count < row.proposed;
      double rate = accepts_(place_++);
      right = was_proposed && chance() < rate;
      governor.noted_draft(was_proposed ? (right ? 1 : 0) : -1);
    }
    row.proposed = 0;
    row.behind += count;
    row.said += count;
    if (row.said >= length_) row = {prompt_};
    return count;
  }

  // -> what it is measured to take
  double propose(Row& row, double& took, Said& said) {
    // A prompt is read by the draft model while the model reads it.
    if (row.said == 0 && governor.worth_reading(row.behind)) return read(row, took);
    int count = worth(row);
    if (count == 0) return 0;
    double measured = read(row, took);
    if (row.behind > 0) return measured;
    double drafting = ms(count * machine_.token);
    governor.drafted(count, drafting);
    took += count * machine_.token;
    row.proposed = count;
    said.drafted += count;
    return measured + drafting;
  }

  double read(Row& row, double& took) {
    int count = std::min(row.behind, governor.most_read());
    double passes = count * machine_.read, measured = ms(passes);
    governor.draft_read(count, measured);
    took += passes;
    row.behind -= count;
    return measured;
  }

  Machine machine_;
  Accepts accepts_;
  std::mt19937 random_;
  int prompt_, length_, place_ = 0;
  double since_ = 0;  // the last interruption, in passes
  std::vector<Row> rows_;
};

// How many times as fast as without, by what `tokens` take.
double gain(Replies& replies, int tokens, int sequences = 1) {
  Said said = replies.say(tokens);
  return said.tokens / (sequences * said.passes);
}

// The gain of the best fixed number of proposed tokens for a single reply.
double best_gain(const Machine& m, double rate) {
  double best = 1;
  for (int count = 1; count <= Governor::kMost; ++count) {
    double tokens = (1 - std::pow(rate, count + 1)) / (1 - rate);
    double passes = 1 + m.wait + count * (m.row + m.token) + m.read + tokens / 150 * 60 * m.read;
    best = std::max(best, tokens / passes);
  }
  return best;
}

double never(int) { return 0; }
double seldom(int) { return 0.3; }
double half(int) { return 0.5; }
double often(int) { return 0.7; }
double mostly(int) { return 0.9; }
double by_turns(int place) { return place / 150 % 2 == 0 ? 0.85 : 0.02; }
double at_first(int place) { return place < 100 ? 0.95 : 0.1; }

constexpr Accepts kAll[] = {never, seldom, half, often, mostly, by_turns, at_first};

std::vector<Machine> machines() {
  std::vector<Machine> all;
  for (double wait : {0.0, 0.1, 0.4}) {
    for (double row : {0.02, 0.15, 0.5, 1.1}) {
      for (double token : {0.03, 0.1, 0.3, 0.8, 2.0}) all.push_back({wait, row, token, token / 6});
    }
  }
  return all;
}

}  // namespace

TEST(replies_are_never_slower_than_without_by_more_than_a_fiftieth) {
  for (const Machine& machine : machines()) {
    for (Accepts accepts : kAll) {
      Replies replies(machine, accepts, 1, 3);
      CHECK(gain(replies, 1500) > 0.98);
    }
  }
}

TEST(nor_are_those_of_several_at_once) {
  for (const Machine& machine : machines()) {
    for (Accepts accepts : kAll) {
      Replies replies(machine, accepts, 4, 5);
      CHECK(gain(replies, 6000, 4) > 0.98);
    }
  }
}

TEST(nor_short_ones_after_prompts_that_are_long_to_read) {
  for (const Machine& machine : machines()) {
    for (Accepts accepts : kAll) {
      Replies replies(machine, accepts, 1, 7, 400, 30);
      CHECK(gain(replies, 1500) > 0.98);
    }
  }
}

TEST(where_drafting_pays_it_is_nearly_as_fast_as_it_can_be) {
  int paying = 0;
  for (const Machine& machine : machines()) {
    for (double rate : {0.5, 0.7, 0.9}) {
      double best = best_gain(machine, rate);
      if (best < 1.3) continue;
      ++paying;
      Replies replies(machine, rate == 0.5 ? half : rate == 0.7 ? often : mostly, 1, 3);
      replies.say(500);
      CHECK(gain(replies, 3000) > 0.9 * best);
    }
  }
  CHECK(paying > 25);
}

TEST(a_model_of_a_tenth_that_is_right_in_seven_of_ten_cases_makes_replies_faster_by_half) {
  Replies replies({0.05, 0.05, 0.1, 0.01}, often, 1, 1);
  CHECK(gain(replies, 1000) > 1.5);
}

TEST(it_proposes_no_more_than_is_asked_for_and_nothing_before_a_pass_was_measured) {
  Governor governor;
  CHECK(governor.worth_drafting(1, 8) == 0 && !governor.worth_reading(1));
  governor.turned({1, 1}, false, 1, 20);
  CHECK(governor.worth_drafting(1, 8) > 0 && governor.worth_drafting(1, 2) <= 2);
  CHECK(governor.worth_drafting(1, 0) == 0);
  CHECK(governor.worth_reading(8) && !governor.worth_reading(10'000));
  CHECK(governor.worth_drafting(1, 8, 10'000) == 0);
}

TEST(what_was_lost_is_made_up_before_it_tries_again) {
  Replies replies({0.1, 0.15, 0.1, 0.02}, never, 1, 2);
  int early = replies.say(300).drafted, late = replies.say(3000).drafted;
  CHECK(early > 0 && late > 0 && late < 300);
}

TEST(it_comes_back_when_the_model_is_right_again) {
  Replies wrong({0.05, 0.05, 0.1, 0.01}, [](int place) { return place < 200 ? 0.05 : 0.8; }, 1, 4);
  wrong.say(600);
  CHECK(gain(wrong, 1000) > 1.4);
}

TEST(it_pauses_so_that_plain_passes_are_measured) {
  Governor governor;
  governor.turned({1, 1}, false, 1, 20);
  for (int i = 0; i < 64; ++i) {
    governor.drafted(4, 1);
    governor.turned({1, 5}, true, 5, 24);
  }
  CHECK(governor.worth_drafting(1, 8) == 0);
  for (int i = 0; i < 4; ++i) governor.noted_draft(-1);
  CHECK(governor.worth_drafting(1, 8) > 0);
}

}  // namespace llm_host::draft_governor_test
