#include "engine/cache/checksum.h"

#include <set>
#include <vector>

#include "check.h"

namespace llm_host::checksum_test {

static const check::Suite suite("checksum", [] { mx::set_default_device(mx::Device::cpu); });

TEST(every_flipped_bit_and_every_length_changes_it) {
  std::set<uint64_t> sums;
  size_t cases = 0;
  for (size_t size : {0, 1, 7, 8, 31, 32, 33, 100}) {
    std::vector<uint8_t> bytes(size, 0);
    sums.insert(checksum(bytes.data(), size, 0));
    ++cases;
    for (size_t bit = 0; bit < 8 * size; ++bit) {
      auto mask = static_cast<uint8_t>(1 << (bit % 8));
      bytes[bit / 8] ^= mask;
      sums.insert(checksum(bytes.data(), size, 0));
      bytes[bit / 8] ^= mask;
      ++cases;
    }
  }
  CHECK(sums.size() == cases);
}

TEST(words_that_change_places_change_it) {
  std::vector<uint64_t> words{1, 2, 3, 4, 5, 6, 7, 8}, moved{5, 6, 7, 8, 1, 2, 3, 4},
      turned{2, 1, 3, 4, 5, 6, 7, 8};
  uint64_t sum = checksum(words.data(), 64, 0);
  CHECK(sum != checksum(moved.data(), 64, 0) && sum != checksum(turned.data(), 64, 0));
  CHECK(sum != checksum(words.data(), 64, 1) && sum == checksum(words.data(), 64, 0));
}

TEST(a_tensors_name_type_and_shape_are_part_of_it) {
  mx::array a = mx::zeros({2, 3}, mx::float32), b = mx::zeros({3, 2}, mx::float32),
            c = mx::zeros({2, 3}, mx::int32);
  mx::eval({a, b, c});
  std::set<uint64_t> sums{checksum("a", a), checksum("b", a), checksum("a", b), checksum("a", c)};
  CHECK(sums.size() == 4);
}

}  // namespace llm_host::checksum_test
