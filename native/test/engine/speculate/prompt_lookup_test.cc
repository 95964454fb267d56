#include "engine/speculate/prompt_lookup.h"

#include <algorithm>
#include <random>

#include "check.h"

namespace llm_host::prompt_lookup_test {

static const check::Suite suite("prompt_lookup");

namespace {

using Ids = std::vector<int32_t>;

int found(PromptLookup& lookup) {
  lookup.find();
  return lookup.match().length;
}

int found(const Ids& text) {
  PromptLookup lookup(text);
  return found(lookup);
}

void add(PromptLookup& lookup, const Ids& ids) {
  for (int32_t id : ids) {
    lookup.add(id);
    lookup.find();
  }
}

}  // namespace

TEST(nothing_is_found_in_a_text_that_does_not_repeat) {
  CHECK(found(Ids{}) == 0);
  CHECK(found(Ids{1}) == 0);
  CHECK(found(Ids{1, 1}) == 0);
  CHECK(found(Ids{1, 2, 3, 4, 5}) == 0);
  // One token is too little.
  CHECK(found(Ids{1, 2, 3, 4, 1}) == 0);
}

TEST(what_followed_the_longest_end_is_proposed) {
  PromptLookup lookup(Ids{7, 1, 2, 3, 40, 41, 8, 2, 3, 50, 51, 9, 1, 2, 3});
  CHECK(found(lookup) == 3);
  CHECK((lookup.following(3) == Ids{40, 41, 8}));
}

TEST(of_equally_long_ends_the_latest_is_taken) {
  PromptLookup lookup(Ids{1, 2, 10, 1, 2, 20, 1, 2, 30, 1, 2});
  CHECK(found(lookup) == 2);
  CHECK((lookup.following(2) == Ids{30, 1}));
}

TEST(a_find_goes_on_where_the_last_one_was) {
  PromptLookup lookup(Ids{5, 6, 1, 2, 3, 4, 1, 2, 3, 9, 5, 6});
  CHECK(found(lookup) == 2);
  lookup.add(1);
  CHECK(found(lookup) == 3 && lookup.following(1) == Ids{2});
  lookup.add(2);
  // As long as the later one would be, and more.
  CHECK(found(lookup) == 4 && (lookup.following(3) == Ids{3, 4, 1}));
  lookup.add(7);
  CHECK(found(lookup) == 0);
}

TEST(a_loop_goes_on_beyond_the_end) {
  PromptLookup lookup(Ids{9, 1, 2, 3, 1, 2, 3, 1, 2});
  CHECK(found(lookup) > 0);
  CHECK((lookup.following(7) == Ids{3, 1, 2, 3, 1, 2, 3}));
}

TEST(it_finds_what_a_search_of_the_whole_text_finds) {
  std::mt19937 random(3);
  PromptLookup lookup;
  Ids text;
  for (int i = 0; i < 3000; ++i) {
    // So many that nothing is copied at length.
    int32_t id = static_cast<int32_t>(random() % 40);
    text.push_back(id);
    lookup.add(id);
    int longest = 0;
    for (int place = 0; place + 1 < static_cast<int>(text.size()); ++place) {
      int count = 0;
      while (count <= place && count < PromptLookup::kLongest &&
             text[static_cast<size_t>(place - count)] ==
                 text[text.size() - 1 - static_cast<size_t>(count)]) {
        ++count;
      }
      longest = std::max(longest, count);
    }
    // It looks at the latest 64 places of a pair only, of which there are not so many.
    CHECK(found(lookup) == (longest < PromptLookup::kShortest ? 0 : longest));
    if (longest >= PromptLookup::kShortest) CHECK(lookup.following(1).size() == 1);
  }
}

TEST(after_an_edit_the_copy_goes_on_in_its_source) {
  // 1 to 12, of which 8 becomes 90 91 92.
  PromptLookup lookup(Ids{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 50});
  add(lookup, {1, 2, 3, 4, 5, 6, 7});
  CHECK((lookup.following(2) == Ids{8, 9}));
  add(lookup, {90});
  // One token for another is the first guess.
  CHECK(lookup.match().since == 0 && (lookup.following(2) == Ids{9, 10}));
  add(lookup, {91});
  CHECK(found(lookup) == 0);
  add(lookup, {92});
  CHECK(found(lookup) == 0);
  add(lookup, {9});
  CHECK(lookup.match().since == 1 && (lookup.following(3) == Ids{10, 11, 12}));
  add(lookup, {10, 11, 12});
  CHECK(lookup.match().since == -1 && lookup.match().length > 6);
}

TEST(insertions_and_deletions_are_edits_too) {
  for (const Ids& edited : {Ids{1, 2, 3, 4, 5, 6, 7, 90, 8}, Ids{1, 2, 3, 4, 5, 6, 7, 10}}) {
    PromptLookup lookup(Ids{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 50});
    add(lookup, edited);
    CHECK(lookup.match().since == 1);
    CHECK(lookup.following(1).front() == edited.back() + 1);
  }
}

TEST(an_edit_is_expected_again_until_it_is_wrong) {
  PromptLookup lookup(Ids{1,  2, 3,  4,  5,  6,  7, 8,  9,  10, 11, 12, 13, 14,
                          15, 8, 16, 17, 18, 19, 8, 20, 21, 22, 23, 8,  24});
  add(lookup, {1, 2, 3, 4, 5, 6, 7, 90, 91, 9, 10, 11, 12, 13});
  CHECK((lookup.following(6) == Ids{14, 15, 90, 91, 16, 17}));
  add(lookup, {14, 15, 90, 91, 16, 17, 18});
  CHECK((lookup.following(4) == Ids{19, 90, 91, 20}));
  // This time it is not made.
  add(lookup, {19, 8});
  CHECK((lookup.following(6) == Ids{20, 21, 22, 23, 8, 24}));
}

TEST(a_copy_that_is_not_taken_up_again_is_forgotten) {
  PromptLookup lookup(Ids{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 50});
  add(lookup, {1, 2, 3, 4, 5, 6, 7});
  for (int32_t id = 60; id < 80; ++id) add(lookup, {id});
  add(lookup, {9});
  CHECK(found(lookup) == 0);
}

TEST(any_text_can_be_followed) {
  std::mt19937 random(4);
  for (int round = 0; round < 200; ++round) {
    PromptLookup lookup;
    Ids text;
    for (int i = 0; i < 300; ++i) {
      // Copies of what was said, with all sorts of edits.
      bool copies = text.size() > 20 && random() % 8 != 0;
      int32_t id =
          copies ? text[text.size() - 19 - random() % 2] : static_cast<int32_t>(random() % 9);
      text.push_back(id);
      add(lookup, {id});
      Ids expected = lookup.following(20);
      CHECK(expected.empty() == (found(lookup) == 0) && expected.size() <= 20);
      Ids fewer = lookup.following(3);
      CHECK(std::equal(fewer.begin(), fewer.end(), expected.begin()));
    }
  }
}

}  // namespace llm_host::prompt_lookup_test
