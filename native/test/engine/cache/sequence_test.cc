#include "engine/cache/sequence.h"

#include "check.h"
#include "engine/cache/layered_sequences.h"

namespace llm_host::sequence_test {

static const check::Suite suite("sequence", [] {
  mx::set_default_device(mx::Device::cpu);
  mx::set_compile_mode(mx::CompileMode::disabled);
});

using namespace layered;

TEST(layers_that_can_be_trimmed_go_back_to_any_token) {
  std::vector<Layers> layers{kFull, kFull};
  Sequence sequence(new_cache(layers));
  read(sequence, layers, counted(0, 400));
  sequence.checkpoint();
  CHECK(sequence.rewind(joined(counted(0, 123), {-1, -2})) == 123);
  CHECK(sequence.ids.size() == 123 && consistent(sequence, layers));
}

TEST(a_state_goes_on_or_back_to_its_longest_checkpoint) {
  std::vector<Layers> layers{kState, kFull, kWindow};
  Sequence sequence(new_cache(layers));
  for (int at : {0, 300, 600}) {
    read(sequence, layers, counted(at, 300));
    sequence.checkpoint();
  }
  read(sequence, layers, {7, 8});
  CHECK(sequence.rewind(joined(sequence.ids, {9})) == 902);
  // Diverges before the last checkpoint.
  CHECK(sequence.rewind(joined(counted(0, 899), {-1, -2})) == 600);
  CHECK(consistent(sequence, layers));
  read(sequence, layers, joined(counted(1000, 300), {5}));
  // The one at 900 is gone with its tokens.
  CHECK(sequence.rewind(joined(sequence.ids, {1})) == 901);
  CHECK(sequence.rewind(joined(counted(0, 600), {-1})) == 600);
  CHECK(sequence.rewind(joined(counted(0, 450), {-1})) == 300);
  CHECK(consistent(sequence, layers));
  CHECK(sequence.rewind(Ids{-5, -6}) == 0);
  CHECK(sequence.ids.empty() && consistent(sequence, layers));
}

TEST(without_a_checkpoint_a_state_starts_again) {
  std::vector<Layers> layers{kState};
  Sequence sequence(new_cache(layers));
  read(sequence, layers, counted(0, 10));
  CHECK(sequence.rewind(counted(0, 8)) == 0);
  CHECK(sequence.cache.length() == 0 && consistent(sequence, layers));
}

TEST(the_same_prompt_again_leaves_its_last_token_to_compute) {
  std::vector<Layers> layers{kState};
  Sequence sequence(new_cache(layers));
  read(sequence, layers, counted(0, 9));
  sequence.checkpoint();
  read(sequence, layers, {9});
  CHECK(sequence.rewind(counted(0, 10)) == 9);
}

TEST(of_many_checkpoints_the_first_and_many_near_the_end_are_kept) {
  std::vector<Layers> layers{kState, kWindow};
  Sequence sequence(new_cache(layers));
  for (int at = 0; at < 10000; at += 50) {
    read(sequence, layers, counted(at, 50));
    sequence.checkpoint();
    sequence.checkpoint();
  }
  read(sequence, layers, {1});
  auto back_from = [&](int length) {
    return sequence.reusable(joined(counted(0, length), {-1, -2}));
  };
  CHECK(back_from(9960) == 9950 && back_from(49) == 0 && back_from(60) == 50);
  int kept = 0;
  for (int length = 50; length <= 10000; length += 50) {
    int back = back_from(length);
    kept += back == length ? 1 : 0;
    // The part to read again grows with the distance from the end.
    CHECK(length - back <= (10000 - length) / 2 + 100);
  }
  CHECK(kept == static_cast<int>(Sequence::kMostCheckpoints));
  CHECK(sequence.rewind(joined(counted(0, 5000), {-1, -2})) > 0 && consistent(sequence, layers));
}

TEST(few_of_the_checkpoints_that_take_much_memory_are_kept) {
  Sequence sequence(new_cache({kState}));
  for (int at = 0; at < 10; ++at) {
    StateCache& state = sequence.cache.state(0);
    state.set("large", mx::full({24 << 20}, at, mx::uint8));
    state.advance(100);
    Ids more = counted(100 * at, 100);
    sequence.ids.insert(sequence.ids.end(), more.begin(), more.end());
    mx::eval(sequence.cache.arrays());
    sequence.checkpoint();
  }
  int kept = 0;
  for (int length = 100; length <= 1000; length += 100) {
    kept += sequence.reusable(joined(counted(0, length), {-1, -2})) == length ? 1 : 0;
  }
  CHECK(kept == static_cast<int>(Sequence::kFewestCheckpoints));
  CHECK(sequence.reusable(joined(counted(0, 150), {-1, -2})) == 100);
  CHECK(sequence.bytes() < (uint64_t{24} << 20) * (Sequence::kFewestCheckpoints + 2));
}

TEST(a_reproducible_request_reads_again_what_was_not_computed_so) {
  std::vector<Layers> layers{kFull};
  Sequence sequence(new_cache(layers));
  sequence.begin(true, {true});
  read(sequence, layers, counted(0, 9));
  CHECK(sequence.reusable(counted(0, 9), {true}) == 8);
  sequence.begin(false, {false});
  CHECK(sequence.rewind(counted(0, 9)) == 8);
  CHECK(!sequence.reproducible() &&
        !sequence.fork(new_cache(layers), counted(0, 9)).reproducible());
  // Faster arithmetic may go on from anything.
  sequence.begin(true, {false});
  CHECK(sequence.reusable(counted(0, 9), {true}) == 0 && sequence.reusable(counted(0, 9)) == 8);
  sequence.begin(true, {true});
  CHECK(sequence.reproducible() && sequence.ids.empty() && consistent(sequence, layers));
}

TEST(tokens_computed_with_adapters_serve_no_request_without_and_the_other_way) {
  std::vector<Layers> layers{kFull};
  for (bool adapted : {true, false}) {
    Needs same{false, adapted}, other{false, !adapted};
    Sequence sequence(new_cache(layers));
    sequence.begin(true, same);
    read(sequence, layers, counted(0, 9));
    CHECK(sequence.reusable(counted(0, 9), same) == 8);
    CHECK(sequence.reusable(counted(0, 9), other) == 0);
    Sequence copy = sequence.fork(new_cache(layers), counted(0, 9));
    CHECK(copy.adapted() == adapted && copy.ids.size() == 8);
    sequence.begin(true, other);
    CHECK(sequence.adapted() == !adapted && sequence.ids.empty() && consistent(sequence, layers));
  }
}

}  // namespace llm_host::sequence_test
