#include "weights/files/dtypes.h"

#include <stdexcept>

namespace llm_host {
namespace {

struct Name {
  const char* name;
  mx::Dtype dtype;
};
const Name kNames[] = {{"F32", mx::float32}, {"F16", mx::float16}, {"BF16", mx::bfloat16},
                       {"U32", mx::uint32},  {"I32", mx::int32},   {"U8", mx::uint8}};

}  // namespace

std::optional<mx::Dtype> dtype_of(const std::string& name) {
  for (const Name& known : kNames) {
    if (name == known.name) return known.dtype;
  }
  return std::nullopt;
}

std::optional<mx::Dtype> float_dtype_of(const std::string& name) {
  std::optional<mx::Dtype> dtype = dtype_of(name);
  return dtype && mx::issubdtype(*dtype, mx::floating) ? dtype : std::nullopt;
}

const char* name_of(mx::Dtype dtype) {
  for (const Name& known : kNames) {
    if (dtype == known.dtype) return known.name;
  }
  throw std::logic_error("safetensors files have no name for this type");
}

}  // namespace llm_host
