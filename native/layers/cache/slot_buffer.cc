#include "layers/cache/slot_buffer.h"

#include <new>
#include <utility>

#include "common/device_policy.h"
#include "common/heap.h"

namespace llm_host {
namespace {

mx::array unwritten(const mx::Shape& shape, mx::Dtype dtype) {
  size_t bytes = mx::size_of(dtype);
  for (int size : shape) bytes *= static_cast<size_t>(size);
  // A cache that has grown gives its old buffers back at once.
  OwnPages pages;
  mx::allocator::Data data = mx::allocator::malloc(bytes);
  if (data.buffer().ptr() == nullptr) throw std::bad_alloc();
  return mx::array(std::move(data), shape, dtype);
}

}  // namespace

mx::array slot_buffer(const std::optional<mx::array>& rows, const mx::Shape& shape,
                      mx::Dtype dtype) {
  if (DevicePolicy::get().own_kernels()) {
    if (!rows) return unwritten(shape, dtype);
    return mx::slice_update(unwritten(shape, dtype), *rows, {0, 0, 0, 0}, rows->shape());
  }
  if (!rows) return mx::zeros(shape, dtype);
  mx::Shape room = shape;
  room[2] -= rows->shape(2);
  return room[2] > 0 ? mx::concatenate({*rows, mx::zeros(room, dtype)}, 2) : *rows;
}

}  // namespace llm_host
