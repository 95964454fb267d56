#include "layers/cache/slot_buffer.h"

#include <unistd.h>

#include <fstream>
#include <memory>
#include <vector>

#include "check.h"
#include "common/heap.h"
#include "layers/cache/kv_cache.h"
#include "weights/checkpoint.h"

namespace llm_host::slot_buffer_test {

static const check::Suite suite("slot_buffer", [] {
  mx::set_default_device(mx::Device::cpu);
  keep_freed_memory();
  mx::set_cache_limit(0);  // as the engine does
});

namespace {

constexpr int kHeads = 4, kDim = 64, kLayers = 24, kTokens = 2048;

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
constexpr bool kOwnPages = true;
#else
constexpr bool kOwnPages = false;
#endif

// Bytes of this process that are in memory; 0 where they are not known, or blocks have no pages of
// their own.
int64_t resident() {
  if (!kOwnPages) check::skip("blocks have no pages of their own here");
  if (!kOwnPages) return 0;
  std::ifstream file("/proc/self/statm");
  int64_t pages = 0, in_memory = 0;
  file >> pages >> in_memory;
  return file ? in_memory * sysconf(_SC_PAGESIZE) : 0;
}

// Blocks that stay allocated between two caches: without them, freed caches would be neighbours in
// the heap, and together fit the next larger ones.
std::vector<std::vector<char>> between;

}  // namespace

TEST(begins_with_its_rows) {
  mx::array rows = random({1, kHeads, 5, kDim});
  mx::array buffer = slot_buffer(rows, {1, kHeads, 300, kDim}, mx::float32);
  CHECK((buffer.shape() == mx::Shape{1, kHeads, 300, kDim}));
  mx::array first = mx::slice(buffer, {0, 0, 0, 0}, rows.shape());
  CHECK(mx::array_equal(first, rows).item<bool>());
  CHECK(mx::array_equal(slot_buffer(rows, rows.shape(), mx::float32), rows).item<bool>());
}

TEST(slots_without_rows_take_no_memory) {
  int64_t before = resident();
  mx::array buffer = slot_buffer(random({1, 1, 10, 1024}), {1, 1, 20000, 1024}, mx::float32);
  mx::eval(buffer);
  CHECK(buffer.nbytes() == 80u * 1024 * 1000 && resident() - before < 10 << 20);
}

TEST(caches_that_grow_leave_no_holes) {
  std::vector<std::unique_ptr<KvCache>> caches;
  for (int i = 0; i < kLayers; ++i) {
    caches.push_back(std::make_unique<KvCache>(kHeads, kDim, kTokens, mx::float32));
  }
  int64_t before = resident(), bytes = 0;
  for (int length = 0; length < kTokens; length += 128) {
    mx::array rows = random({1, kHeads, 128, kDim});
    for (auto& cache : caches) {
      auto [keys, values] = cache->append(rows, rows);
      mx::eval(keys, values);
      between.emplace_back(5000, 'x');
    }
  }
  for (auto& cache : caches) bytes += static_cast<int64_t>(cache->bytes());
  CHECK(bytes == int64_t{2} * kLayers * kTokens * kHeads * kDim * 4);
  CHECK(resident() - before < bytes + (bytes / 10));
}

}  // namespace llm_host::slot_buffer_test
