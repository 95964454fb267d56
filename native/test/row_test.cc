#include "engine/row.h"

#include "check.h"
#include "layered_rows.h"

using namespace layered;

TEST(layers_that_can_be_trimmed_go_back_to_any_token) {
  std::vector<Layers> layers{kFull, kFull};
  Row row(new_cache(layers));
  read(row, layers, counted(0, 400));
  row.checkpoint();
  CHECK(row.rewind(joined(counted(0, 123), {-1, -2})) == 123);
  CHECK(row.ids.size() == 123 && consistent(row, layers));
}

TEST(a_state_goes_on_or_back_to_its_longest_checkpoint) {
  std::vector<Layers> layers{kState, kFull, kWindow};
  Row row(new_cache(layers));
  for (int at : {0, 300, 600}) {
    read(row, layers, counted(at, 300));
    row.checkpoint();
  }
  read(row, layers, {7, 8});
  CHECK(row.rewind(joined(row.ids, {9})) == 902);
  // Parts from the row before the last checkpoint.
  CHECK(row.rewind(joined(counted(0, 899), {-1, -2})) == 600);
  CHECK(consistent(row, layers));
  read(row, layers, joined(counted(1000, 300), {5}));
  // The one at 900 is gone with its tokens.
  CHECK(row.rewind(joined(row.ids, {1})) == 901);
  CHECK(row.rewind(joined(counted(0, 600), {-1})) == 600);
  CHECK(row.rewind(joined(counted(0, 450), {-1})) == 300);
  CHECK(consistent(row, layers));
  CHECK(row.rewind(Ids{-5, -6}) == 0);
  CHECK(row.ids.empty() && consistent(row, layers));
}

TEST(without_a_checkpoint_a_state_starts_again) {
  std::vector<Layers> layers{kState};
  Row row(new_cache(layers));
  read(row, layers, counted(0, 10));
  CHECK(row.rewind(counted(0, 8)) == 0);
  CHECK(row.cache.length() == 0 && consistent(row, layers));
}

TEST(the_same_prompt_again_leaves_its_last_token_to_compute) {
  std::vector<Layers> layers{kState};
  Row row(new_cache(layers));
  read(row, layers, counted(0, 9));
  row.checkpoint();
  read(row, layers, {9});
  CHECK(row.rewind(counted(0, 10)) == 9);
}

TEST(the_first_checkpoint_and_the_newest_are_kept) {
  std::vector<Layers> layers{kState, kWindow};
  Row row(new_cache(layers));
  for (int at = 0; at < 1000; at += 100) {
    read(row, layers, counted(at, 100));
    row.checkpoint();
    row.checkpoint();
  }
  read(row, layers, {1});
  auto back_to = [&](int length) { return row.rewind(joined(counted(0, length), {-1, -2})); };
  CHECK(back_to(950) == 900);
  CHECK(back_to(850) == 800);
  CHECK(back_to(750) == 100);
  CHECK(consistent(row, layers));
}

int main() {
  mx::set_default_device(mx::Device::cpu);
  mx::set_compile_mode(mx::CompileMode::disabled);
  return check::run("row");
}
