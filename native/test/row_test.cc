#include "engine/row.h"

#include <numeric>

#include "check.h"

using namespace llm_host;
using Ids = std::vector<int32_t>;

namespace {

enum Layers { kFull, kWindow, kState };

Row new_row(std::vector<Layers> layers) {
  ModelCache cache({.max_tokens = 100000});
  for (Layers layer : layers) {
    if (layer == kState) {
      cache.add_state();
    } else {
      cache.add_attention({1, 2, layer == kWindow ? 4 : 0, mx::float32});
    }
  }
  return Row(std::move(cache));
}

// What each layer holds after `ids`: the ids as keys, their sum as the state.
void read(Row& row, const std::vector<Layers>& layers, const Ids& ids) {
  if (ids.empty()) return;
  for (size_t i = 0; i < layers.size(); ++i) {
    mx::array column = mx::reshape(mx::array(ids.begin(), {static_cast<int>(ids.size())}),
                                   {1, 1, static_cast<int>(ids.size()), 1});
    mx::array rows =
        mx::broadcast_to(mx::astype(column, mx::float32), {1, 1, static_cast<int>(ids.size()), 2});
    if (layers[i] == kState) {
      StateCache& state = row.cache.state(i);
      mx::array sum = mx::sum(column);
      state.set("sum", state.get("sum") ? mx::add(*state.get("sum"), sum) : sum);
      state.advance(static_cast<int>(ids.size()));
    } else {
      row.cache.attention(i).append(rows, rows);
    }
  }
  row.ids.insert(row.ids.end(), ids.begin(), ids.end());
}

Ids counted(int from, int count) {
  Ids ids(static_cast<size_t>(count));
  std::iota(ids.begin(), ids.end(), from);
  return ids;
}

Ids joined(Ids a, const Ids& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Whether the layers hold what they hold after reading the row's ids from the start.
bool consistent(Row& row, const std::vector<Layers>& layers) {
  Row fresh = new_row(layers);
  read(fresh, layers, row.ids);
  for (size_t i = 0; i < layers.size(); ++i) {
    LayerState got = row.cache.state_of(i), wanted = fresh.cache.state_of(i);
    if (got.length != wanted.length || got.arrays.size() != wanted.arrays.size()) return false;
    for (auto& [name, array] : wanted.arrays) {
      if (!mx::array_equal(got.arrays.at(name), array).item<bool>()) return false;
    }
  }
  return true;
}

}  // namespace

TEST(layers_that_can_be_trimmed_go_back_to_any_token) {
  std::vector<Layers> layers{kFull, kFull};
  Row row = new_row(layers);
  read(row, layers, counted(0, 400));
  row.checkpoint();
  CHECK(row.rewind(joined(counted(0, 123), {-1, -2})) == 123);
  CHECK(row.ids.size() == 123 && consistent(row, layers));
}

TEST(a_state_goes_on_or_back_to_its_longest_checkpoint) {
  std::vector<Layers> layers{kState, kFull, kWindow};
  Row row = new_row(layers);
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
  Row row = new_row(layers);
  read(row, layers, counted(0, 10));
  CHECK(row.rewind(counted(0, 8)) == 0);
  CHECK(row.cache.length() == 0 && consistent(row, layers));
}

TEST(the_same_prompt_again_leaves_its_last_token_to_compute) {
  std::vector<Layers> layers{kState};
  Row row = new_row(layers);
  read(row, layers, counted(0, 9));
  row.checkpoint();
  read(row, layers, {9});
  CHECK(row.rewind(counted(0, 10)) == 9);
}

TEST(the_first_checkpoint_and_the_newest_are_kept) {
  std::vector<Layers> layers{kState, kWindow};
  Row row = new_row(layers);
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
