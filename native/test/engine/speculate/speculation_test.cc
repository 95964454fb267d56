#include <random>

#include "check.h"
#include "engine/speculate/speculator.h"

namespace llm_host::speculation_test {

static const check::Suite suite("speculation");

namespace {

using Ids = std::vector<int32_t>;

// The costs of passes, in milliseconds: see engine/speculate/pass_costs.h.
struct Machine {
  double plain, wait, row;
};

struct Decoded {
  double ms = 0;
  int passes = 0, proposed = 0, accepted = 0;
};

// The turns of Generation, without a model: `reply` is what it would say.
Decoded decode(const Machine& machine, Governor& governor, const Ids& prompt, const Ids& reply) {
  std::mt19937 random(7);
  Speculator speculator(governor, Lookup::kWherePaid, prompt);
  Decoded decoded;
  Ids proposed;
  for (size_t said = 0; said < reply.size();) {
    bool waited = !proposed.empty() || speculator.promises(1);
    int rows = 1 + static_cast<int>(proposed.size());
    double ms = machine.plain + (waited ? machine.wait : 0) + (rows - 1) * machine.row;
    // Some passes take longer.
    ms *= 1 + 0.2 * static_cast<double>(random() % 100) / 100;
    governor.turned({1, rows}, waited, 1, ms);
    decoded.ms += ms;
    ++decoded.passes;
    size_t right = 0;
    while (right < proposed.size() && reply[said + right] == proposed[right]) ++right;
    decoded.proposed += rows - 1;
    decoded.accepted += static_cast<int>(right);
    for (size_t i = 0; i <= right; ++i) speculator.add(reply[said + i]);
    said += right + 1;
    int most = static_cast<int>(reply.size() - said) - 1;
    proposed = waited ? speculator.propose(1, most) : Ids{};
  }
  return decoded;
}

// How many times as fast as without proposals.
double gain(const Machine& machine, Governor& governor, const Ids& prompt, const Ids& reply) {
  double plain = machine.plain * 1.1 * static_cast<double>(reply.size());
  return plain / decode(machine, governor, prompt, reply).ms;
}

// Words come as often as in a language, and often after the same ones.
Ids words(std::mt19937& random, size_t count) {
  Ids ids{1};
  while (ids.size() < count) {
    uint32_t rank = 1 + random() % 2000;
    auto rare = static_cast<int32_t>(2000 / rank);
    ids.push_back(random() % 3 == 0 ? (ids.back() * 7 + 3) % 500
                                    : rare + static_cast<int32_t>(random() % 2) * 500);
  }
  return ids;
}

constexpr Machine kMachines[] = {
    {10, 0.8, 1.5}, {10, 2, 1}, {10, 0.1, 6}, {10, 3, 12}, {2, 1.5, 0.1}};

}  // namespace

TEST(a_reply_that_copies_nothing_is_not_slower) {
  for (const Machine& machine : kMachines) {
    double slowness = 0;
    for (uint32_t seed = 0; seed < 20; ++seed) {
      std::mt19937 random(seed);
      Governor governor;
      Ids prompt = words(random, 300);
      for (int i = 0; i < 3; ++i) {
        double one = gain(machine, governor, prompt, words(random, 200));
        CHECK(one > 0.95);
        slowness += 1 / one / 60;
      }
    }
    CHECK(slowness < 1.01);
  }
}

TEST(a_copy_is_twice_as_fast_with_and_without_edits) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    Governor governor;
    Ids prompt = words(random, 300), edited;
    CHECK(gain(kMachines[0], governor, prompt, prompt) > 2);
    // Every 20th token or so becomes two others, those of the most common word the same ones.
    for (int32_t id : prompt) {
      if (random() % 20 == 0)
        edited.insert(edited.end(), {900 + id, 901});
      else
        edited.push_back(id);
    }
    CHECK(gain(kMachines[0], governor, prompt, edited) > 1.6);
  }
}

TEST(an_edit_that_is_made_everywhere_costs_hardly_anything) {
  std::mt19937 random(1);
  Ids prompt, edited;
  for (int i = 0; i < 400; ++i) prompt.push_back(i % 10 == 0 ? 7 : 100 + i);
  for (int32_t id : prompt) {
    if (id == 7)
      edited.insert(edited.end(), {900, 901, 902});
    else
      edited.push_back(id);
  }
  Governor governor;
  CHECK(gain(kMachines[0], governor, prompt, edited) > 2);
}

}  // namespace llm_host::speculation_test
