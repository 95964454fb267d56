#include "kernels/packed/form/weight_arena.h"

#include <algorithm>
#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace llm_host {
namespace mx = mlx::core;
namespace {

constexpr int64_t kLine = 64;
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
// Small, so that AddressSanitizer sees reads past a piece, and thousands of models a second can be
// loaded.
constexpr int64_t kHugePage = 4096, kSlab = 4096;
#else
constexpr int64_t kHugePage = int64_t{2} << 20, kSlab = int64_t{64} << 20;
#endif

int64_t rounded_up(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

// Offset of the first huge page in a slab.
int64_t first_page(const mx::array& slab) {
  auto address = static_cast<int64_t>(reinterpret_cast<uintptr_t>(slab.data<uint8_t>()));
  return rounded_up(address, kHugePage) - address;
}

}  // namespace

WeightArena::Piece WeightArena::take(int64_t bytes) {
  int64_t needed = rounded_up(bytes + kSlack, kLine);
  if (!slab_ || used_ + needed > static_cast<int64_t>(slab_->nbytes())) {
    // Pages that are never touched take no memory.
    int64_t size = std::max(kSlab, rounded_up(needed, kHugePage)) + kHugePage;
    // [lines, 64], as an array's dimensions are int32.
    slab_ =
        mx::array(mx::allocator::malloc(static_cast<size_t>(size)),
                  mx::Shape{static_cast<int>(size / kLine), static_cast<int>(kLine)}, mx::uint8);
    used_ = first_page(*slab_);
#if defined(__linux__)
    // A hint only: without huge pages it works too, but slower.
    madvise(slab_->data<uint8_t>() + used_,
            static_cast<size_t>((size - used_) / kHugePage * kHugePage), MADV_HUGEPAGE);
#endif
  }
  Piece piece{*slab_, used_};
  // The next piece may overlap the slack: it is only read ahead, and the values are not used.
  used_ += rounded_up(bytes, kLine);
  taken_ += bytes;
  return piece;
}

}  // namespace llm_host
