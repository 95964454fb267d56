#pragma once

#include <cstddef>
#include <cstdint>

// Changed inputs that are still well-formed, for libFuzzer's custom mutators: bytes changed
// anywhere in a JSON text are mostly a syntax error. One in four is left to libFuzzer's own
// changes. All change `data` in place, which has `size` bytes of `capacity`, and return its new
// size.
namespace fuzz {

// A JSON text: nodes replaced, dropped, copied elsewhere, wrapped, numbers nudged.
size_t mutate_json(uint8_t* data, size_t size, size_t capacity, unsigned seed);

// The header of a TensorFile in the same way; in half of them tensors then lie side by side as
// their types and shapes say.
size_t mutate_tensor_file(uint8_t* data, size_t size, size_t capacity, unsigned seed);

}  // namespace fuzz

// libFuzzer's own, or replay.cc's.
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t capacity);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t capacity,
                                          unsigned seed);
