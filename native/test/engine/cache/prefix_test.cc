#include "engine/cache/prefix.h"

#include <vector>

#include "check.h"

namespace llm_host::prefix_test {

static const check::Suite suite("prefix");

using Ids = std::vector<int32_t>;

TEST(an_empty_cache_gives_nothing) { CHECK(reusable_prefix(Ids{}, Ids{1, 2}) == 0); }
TEST(stops_at_the_first_difference) { CHECK(reusable_prefix(Ids{1, 2, 3}, Ids{1, 9, 3}) == 1); }
TEST(a_longer_prompt_reuses_the_whole_cache) {
  CHECK(reusable_prefix(Ids{1, 2}, Ids{1, 2, 3}) == 2);
}
TEST(the_last_prompt_token_is_always_computed) {
  CHECK(reusable_prefix(Ids{1, 2, 3}, Ids{1, 2, 3}) == 2);
  CHECK(reusable_prefix(Ids{1, 2, 3}, Ids{1, 2}) == 1);
  CHECK(reusable_prefix(Ids{1}, Ids{1}) == 0);
}
TEST(an_empty_prompt_reuses_nothing) { CHECK(reusable_prefix(Ids{1}, Ids{}) == 0); }

}  // namespace llm_host::prefix_test
