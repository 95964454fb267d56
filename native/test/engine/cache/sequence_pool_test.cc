#include "engine/cache/sequence_pool.h"

#include "check.h"
#include "engine/cache/layered_sequences.h"
#include "layers/cache/counted_cache.h"

namespace llm_host::sequence_pool_test {

static const check::Suite suite("sequence_pool", [] {
  mx::set_default_device(mx::Device::cpu);
  mx::set_compile_mode(mx::CompileMode::disabled);
});

using namespace layered;

namespace {

constexpr uint64_t kPlenty = 1 << 30;
// A short sequence: keys and values of two full layers, two floats each, one block of tokens.
constexpr uint64_t kSequenceBytes = 2 * 2 * 2 * sizeof(float) * CountedCache::kBlock;

std::function<ModelCache()> with(const std::vector<Layers>& layers) {
  return [layers] { return new_cache(layers); };
}

// Reads a prompt as a generation does. -> the tokens that were there already.
int ask(SequencePool& pool, const Ids& prompt, const std::vector<Layers>& layers = {kFull, kFull}) {
  auto lease = pool.take(prompt, static_cast<int>(prompt.size()));
  Sequence& sequence = lease->sequence();
  int kept = sequence.rewind(prompt);
  read(sequence, layers, Ids(prompt.begin() + kept, prompt.end()));
  mx::eval(sequence.cache.arrays());
  return kept;
}

}  // namespace

TEST(two_conversations_that_alternate_read_only_what_is_new) {
  SequencePool pool(with({kFull, kFull}), kPlenty);
  Ids system = counted(0, 50), a = joined(system, counted(1000, 300)),
      b = joined(system, counted(5000, 300));
  CHECK(ask(pool, a) == 0);
  // A copy of the system message; the other conversation stays whole.
  CHECK(ask(pool, b) == 50);
  CHECK(consistent(pool.latest(), {kFull, kFull}));
  for (int turn = 0; turn < 3; ++turn) {
    int before = static_cast<int>(a.size());
    a = joined(a, counted(2000 + 100 * turn, 40));
    CHECK(ask(pool, a) == before);
    CHECK(consistent(pool.latest(), {kFull, kFull}));
    b = joined(b, counted(6000 + 100 * turn, 40));
    CHECK(ask(pool, b) == before);
    CHECK(consistent(pool.latest(), {kFull, kFull}));
  }
  CHECK(pool.size() == size_t{2});
}

TEST(a_reproducible_request_leaves_the_tokens_that_it_cannot_use) {
  SequencePool pool(with({kFull, kFull}), kPlenty);
  Ids prompt = counted(0, 200);
  pool.latest().begin(false, {false});
  ask(pool, prompt);
  CHECK(pool.take(prompt, 0, {true})->sequence().ids.empty());
  CHECK(pool.size() == size_t{2});
  CHECK(ask(pool, prompt) == 199);
}

TEST(a_request_without_adapters_leaves_the_tokens_that_were_computed_with_them) {
  SequencePool pool(with({kFull, kFull}), kPlenty);
  Ids prompt = counted(0, 200);
  ask(pool, prompt);
  Needs without{false, false};
  CHECK(pool.reusable(prompt, without) == 0 && pool.holder(prompt, without) == nullptr);
  CHECK(pool.take(prompt, 0, without)->sequence().ids.empty());
  CHECK(pool.size() == size_t{2});
  CHECK(ask(pool, prompt) == 199);
}

TEST(a_conversation_goes_on_in_its_row_though_its_last_tokens_changed) {
  SequencePool pool(with({kFull, kFull}), kPlenty);
  Ids prompt = counted(0, 200);
  ask(pool, prompt);
  prompt.resize(200 - SequencePool::kSlack);
  CHECK(ask(pool, joined(prompt, counted(900, 50))) == 200 - SequencePool::kSlack);
  CHECK(pool.size() == size_t{1});
  CHECK(consistent(pool.latest(), {kFull, kFull}));
}

TEST(a_window_that_still_holds_what_is_shared_is_copied) {
  std::vector<Layers> layers{kFull, kWindow};
  SequencePool pool(with(layers), kPlenty);
  Ids system = counted(0, 50), a = joined(system, counted(1000, 100)),
      b = joined(system, counted(5000, 100));
  ask(pool, a, layers);
  CHECK(ask(pool, b, layers) == 50);
  CHECK(pool.size() == size_t{2} && consistent(pool.latest(), layers));
  CHECK(ask(pool, joined(a, {1, 2}), layers) == 150);
  CHECK(consistent(pool.latest(), layers));
}

TEST(a_conversation_that_parts_behind_a_checkpoint_takes_a_copy_of_it_along) {
  std::vector<Layers> layers{kState, kFull, kWindow};
  SequencePool pool(with(layers), kPlenty);
  Ids system = counted(0, 50), a = joined(system, counted(1000, 300)),
      b = joined(system, counted(5000, 300));
  ask(pool, system, layers);
  pool.latest().checkpoint();
  CHECK(ask(pool, a, layers) == 50);
  // Nothing of the common prefix is read again, though the state has gone past it.
  CHECK(ask(pool, b, layers) == 50);
  CHECK(pool.size() == size_t{2} && consistent(pool.latest(), layers));
  CHECK(ask(pool, joined(a, {1, 2}), layers) == 350);
  CHECK(consistent(pool.latest(), layers));
  // The copy has the checkpoint too.
  ask(pool, joined(b, {3}), layers);
  CHECK(ask(pool, joined(system, counted(7000, 300)), layers) == 50);
  CHECK(pool.size() == size_t{3} && consistent(pool.latest(), layers));
}

TEST(without_a_budget_there_is_one_row) {
  SequencePool pool(with({kFull, kFull}), 0);
  ask(pool, counted(0, 100));
  CHECK(ask(pool, counted(500, 100)) == 0);
  CHECK(pool.size() == size_t{1});
}

TEST(the_rows_used_longest_ago_make_room) {
  SequencePool pool(with({kFull, kFull}), 2 * kSequenceBytes + kSequenceBytes / 2);
  Ids a = counted(0, 100), b = counted(1000, 100), c = counted(2000, 100);
  ask(pool, a);
  ask(pool, b);
  ask(pool, a);
  ask(pool, c);
  // The pool is measured when the next prompt comes.
  CHECK(ask(pool, joined(c, counted(3000, 1))) == 100);
  CHECK(pool.size() == size_t{2});
  CHECK(ask(pool, joined(a, counted(4000, 1))) == 100);
  CHECK(ask(pool, b) == 0);
}

TEST(a_row_larger_than_the_budget_still_works) {
  SequencePool pool(with({kFull, kFull}), 1);
  ask(pool, counted(0, 100));
  CHECK(ask(pool, counted(0, 150)) == 100);
  CHECK(ask(pool, counted(5000, 100)) == 0);
  CHECK(pool.size() == size_t{1});
}

TEST(a_row_in_use_is_never_written_by_another) {
  SequencePool pool(with({kFull, kFull}), kPlenty);
  Ids prompt = counted(0, 60);
  ask(pool, prompt);
  auto first = pool.take(joined(prompt, {1}), 100);
  CHECK(pool.size() == size_t{1});
  // Taken while the first is in use: a copy.
  auto second = pool.take(joined(prompt, {1}), 100);
  CHECK(pool.size() == size_t{2} && &first->sequence() != &second->sequence());
  CHECK(second->sequence().ids == prompt);
  read(first->sequence(), {kFull, kFull}, counted(100, 50));
  read(second->sequence(), {kFull, kFull}, counted(500, 70));
  CHECK(consistent(first->sequence(), {kFull, kFull}));
  CHECK(consistent(second->sequence(), {kFull, kFull}));
}

TEST(what_does_not_fit_beside_those_in_use_waits) {
  SequencePool pool(with({kFull, kFull}), 2 * kSequenceBytes + kSequenceBytes / 2);
  ask(pool, counted(9000, 100));
  auto first = pool.take(counted(0, 100), 200);
  // Makes room by evicting what is not in use.
  auto second = pool.take(counted(1000, 100), 200);
  CHECK(first.has_value() && second.has_value() && pool.size() == size_t{2});
  CHECK(!pool.take(counted(2000, 100), 200).has_value());
  read(first->sequence(), {kFull, kFull}, counted(0, CountedCache::kBlock));
  read(second->sequence(), {kFull, kFull}, counted(0, CountedCache::kBlock));
  CHECK(!first->grow(1, false));
  second.reset();
  // The other one, no longer in use, makes room for this.
  CHECK(first->grow(1, false));
  CHECK(pool.size() == size_t{1});
  first.reset();
  // However large: nothing else is in use.
  CHECK(pool.take(counted(3000, 100), 50000).has_value());
}

TEST(what_has_to_wait_drops_nothing_that_others_may_continue) {
  SequencePool pool(with({kFull, kFull}), 3 * kSequenceBytes);
  ask(pool, counted(9000, 100));
  auto first = pool.take(counted(0, 100), 200), second = pool.take(counted(1000, 100), 200);
  CHECK(first.has_value() && second.has_value() && pool.size() == size_t{3});
  // Two blocks, of which there is one.
  CHECK(!pool.take(counted(2000, 300), 300).has_value());
  Sequence prefix(new_cache({kFull, kFull}));
  read(prefix, {kFull, kFull}, counted(3000, CountedCache::kBlock + 1));
  CHECK(!pool.put(std::move(prefix)));
  read(first->sequence(), {kFull, kFull}, counted(0, CountedCache::kBlock));
  read(second->sequence(), {kFull, kFull}, counted(1000, 2 * CountedCache::kBlock));
  CHECK(!first->grow(1, false));
  CHECK(pool.reusable(counted(9000, 101), {}) == 100);
}

TEST(a_row_grows_into_what_it_has_reserved) {
  SequencePool pool(with({kFull, kFull}), 2 * kSequenceBytes);
  auto first = pool.take(counted(0, 100), 200);
  auto second = pool.take(counted(1000, 100), 200);
  CHECK(first.has_value() && second.has_value() && pool.bytes() == 2 * kSequenceBytes);
  CHECK(first->grow(1, false) && second->grow(1, false));
  read(first->sequence(), {kFull, kFull}, counted(0, 100));
  CHECK(first->grow(1, false));
}

TEST(what_one_row_was_granted_is_not_granted_to_another) {
  SequencePool pool(with({kFull, kFull}), 3 * kSequenceBytes);
  auto first = pool.take(counted(0, 100), 200);
  auto second = pool.take(counted(1000, 100), 200);
  read(first->sequence(), {kFull, kFull}, counted(0, CountedCache::kBlock));
  read(second->sequence(), {kFull, kFull}, counted(1000, CountedCache::kBlock));
  // Neither has grown yet.
  CHECK(first->grow(1, false) && !second->grow(1, false));
  CHECK(second->grow(1, true) && pool.bytes() == 4 * kSequenceBytes);
}

TEST(a_row_that_grows_anyway_drops_what_is_not_in_use) {
  SequencePool pool(with({kFull, kFull}), 2 * kSequenceBytes);
  ask(pool, counted(9000, 100));
  auto first = pool.take(counted(0, 100), 200);
  read(first->sequence(), {kFull, kFull}, counted(0, CountedCache::kBlock));
  CHECK(first->grow(1, true));
  CHECK(pool.size() == size_t{1} && pool.bytes() == 2 * kSequenceBytes);
}

TEST(a_row_that_has_grown_makes_room_at_its_end) {
  SequencePool pool(with({kFull, kFull}), 2 * kSequenceBytes);
  ask(pool, counted(9000, 100));
  auto first = pool.take(counted(0, 100), 200);
  CHECK(pool.size() == size_t{2});
  read(first->sequence(), {kFull, kFull}, counted(0, 2 * CountedCache::kBlock));
  first.reset();
  CHECK(pool.size() == size_t{1} && pool.bytes() <= 2 * kSequenceBytes);
}

TEST(a_broken_row_is_forgotten) {
  SequencePool pool(with({kFull, kFull}), kPlenty);
  {
    auto lease = pool.take(counted(0, 10), 10);
    read(lease->sequence(), {kFull, kFull}, counted(0, 10));
    lease->discard();
  }
  CHECK(pool.size() == size_t{0} && pool.bytes() == 0);
  CHECK(pool.latest().ids.empty());
}

TEST(without_a_budget_several_generate_and_the_last_one_is_kept) {
  SequencePool pool(with({kFull, kFull}), 0);
  {
    auto first = pool.take(counted(0, 100), 100), second = pool.take(counted(500, 100), 100);
    CHECK(pool.size() == size_t{2});
    read(first->sequence(), {kFull, kFull}, counted(0, 100));
    read(second->sequence(), {kFull, kFull}, counted(500, 100));
    second.reset();
  }
  CHECK(pool.size() == size_t{1});
  CHECK(ask(pool, counted(0, 120)) == 100);
}

TEST(what_was_read_elsewhere_is_put_beside_the_others) {
  std::vector<Layers> layers{kFull, kState};
  SequencePool pool(with(layers), kPlenty);
  ask(pool, counted(5000, 100), layers);
  Sequence prefix(new_cache(layers));
  read(prefix, layers, counted(0, 50));
  prefix.checkpoint();
  CHECK(pool.put(std::move(prefix)) && pool.size() == size_t{2});
  CHECK(pool.reusable(counted(0, 80), {}) == 50);
  CHECK(ask(pool, counted(0, 80), layers) == 50);
  CHECK(consistent(pool.latest(), layers));
  // Another conversation with the same beginning.
  CHECK(ask(pool, joined(counted(0, 50), counted(900, 60)), layers) == 50);
  CHECK(consistent(pool.latest(), layers));
}

TEST(there_is_no_room_for_a_sequence_beyond_the_budget) {
  SequencePool pool(with({kFull, kFull}), kSequenceBytes);
  ask(pool, counted(0, 100));
  Sequence large(new_cache({kFull, kFull}));
  read(large, {kFull, kFull}, counted(1000, 2 * CountedCache::kBlock));
  CHECK(!pool.could_hold(large.bytes()) && !pool.put(std::move(large)));
  // And nothing has been dropped for it.
  CHECK(pool.reusable(counted(0, 101), {}) == 100);
}

TEST(a_holder_can_go_back_to_exactly_these_tokens) {
  std::vector<Layers> layers{kFull, kState};
  SequencePool pool(with(layers), kPlenty);
  CHECK(pool.holder(counted(0, 50), {}) == nullptr);
  {
    auto lease = pool.take(counted(0, 80), 80);
    read(lease->sequence(), layers, counted(0, 50));
    lease->sequence().checkpoint();
    read(lease->sequence(), layers, counted(50, 30));
  }
  const Sequence* holder = pool.holder(counted(0, 50), {});
  CHECK(holder != nullptr && pool.holder(counted(0, 49), {}) == nullptr);
  CHECK(holder->state_of(1, 50).arrays.at("sum").item<int32_t>() == 49 * 50 / 2);
  CHECK(holder->state_of(0, 50).arrays.at("keys").shape(2) == 50);
  CHECK(pool.holder(counted(0, 80), {}) == holder && pool.holder(counted(1, 50), {}) == nullptr);
}

}  // namespace llm_host::sequence_pool_test
