#include "engine/row_pool.h"

#include <numeric>

#include "check.h"

using namespace llm_host;
using Ids = std::vector<int32_t>;

namespace {

constexpr uint64_t kPlenty = 1 << 30;
// Keys and values of two layers, two heads' worth of floats each.
constexpr uint64_t kBytesPerToken = 2 * 2 * 2 * sizeof(float);

ModelCache new_cache() {
  ModelCache cache({.max_tokens = 100000});
  for (int i = 0; i < 2; ++i) cache.add_attention({1, 2, 0, mx::float32});
  return cache;
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

// Reads a prompt as a generation does, with its ids as keys. -> the tokens that were there already.
int read(RowPool& pool, const Ids& prompt) {
  Row& row = pool.choose(prompt);
  int kept = row.rewind(prompt);
  int count = static_cast<int>(prompt.size()) - kept;
  mx::array column = mx::reshape(mx::array(prompt.begin() + kept, {count}), {1, 1, count, 1});
  mx::array rows = mx::broadcast_to(mx::astype(column, mx::float32), {1, 1, count, 2});
  for (size_t i = 0; i < 2; ++i) row.cache.attention(i).append(rows, rows);
  mx::eval(row.cache.arrays());
  row.ids = prompt;
  return kept;
}

// Whether the keys of the latest row are its ids.
bool consistent(RowPool& pool) {
  const Row& row = pool.latest();
  int count = static_cast<int>(row.ids.size());
  mx::array wanted = mx::astype(
      mx::reshape(mx::array(row.ids.begin(), {count}), {1, 1, count, 1}), mx::float32);
  for (size_t i = 0; i < 2; ++i) {
    mx::array keys = row.cache.state_of(i).arrays.at("keys");
    if (!mx::array_equal(keys, mx::broadcast_to(wanted, {1, 1, count, 2})).item<bool>()) {
      return false;
    }
  }
  return true;
}

}  // namespace

TEST(two_conversations_that_alternate_read_only_what_is_new) {
  RowPool pool(new_cache, kPlenty);
  Ids system = counted(0, 50), a = joined(system, counted(1000, 300)),
      b = joined(system, counted(5000, 300));
  CHECK(read(pool, a) == 0);
  // A copy of the system message; the other conversation stays whole.
  CHECK(read(pool, b) == 50);
  CHECK(consistent(pool));
  for (int turn = 0; turn < 3; ++turn) {
    int before = static_cast<int>(a.size());
    a = joined(a, counted(2000 + 100 * turn, 40));
    CHECK(read(pool, a) == before);
    CHECK(consistent(pool));
    b = joined(b, counted(6000 + 100 * turn, 40));
    CHECK(read(pool, b) == before);
    CHECK(consistent(pool));
  }
  CHECK(pool.size() == size_t{2});
}

TEST(a_conversation_goes_on_in_its_row_though_its_last_tokens_changed) {
  RowPool pool(new_cache, kPlenty);
  Ids prompt = counted(0, 200);
  read(pool, prompt);
  prompt.resize(200 - RowPool::kSlack);
  CHECK(read(pool, joined(prompt, counted(900, 50))) == 200 - RowPool::kSlack);
  CHECK(pool.size() == size_t{1});
  CHECK(consistent(pool));
}

TEST(without_a_budget_there_is_one_row) {
  RowPool pool(new_cache, 0);
  read(pool, counted(0, 100));
  CHECK(read(pool, counted(500, 100)) == 0);
  CHECK(pool.size() == size_t{1});
}

TEST(the_rows_used_longest_ago_make_room) {
  RowPool pool(new_cache, 250 * kBytesPerToken);
  Ids a = counted(0, 100), b = counted(1000, 100), c = counted(2000, 100);
  read(pool, a);
  read(pool, b);
  read(pool, a);
  read(pool, c);
  // The pool is measured when the next prompt comes.
  CHECK(read(pool, joined(c, counted(3000, 1))) == 100);
  CHECK(pool.size() == size_t{2});
  CHECK(read(pool, joined(a, counted(4000, 1))) == 100);
  CHECK(read(pool, b) == 0);
}

TEST(a_row_larger_than_the_budget_still_works) {
  RowPool pool(new_cache, 1);
  read(pool, counted(0, 100));
  CHECK(read(pool, counted(0, 150)) == 100);
  CHECK(read(pool, counted(5000, 100)) == 0);
  CHECK(pool.size() == size_t{1});
}

int main() {
  mx::set_default_device(mx::Device::cpu);
  mx::set_compile_mode(mx::CompileMode::disabled);
  return check::run("row_pool");
}
