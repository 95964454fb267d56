#include "weights/quantization.h"

#include "engine/error.h"

namespace llm_host {

Quantization quantization_of(const Config& config, const std::string& path) {
  auto section = config.object("quantization");
  if (!section) section = config.object("quantization_config");
  if (!section) {
    throw Error(kModelBroken,
                "tensor " + path + ".weight is quantised, but config.json has no quantization");
  }
  const Value* own = section->find(path);
  // `true` and `false` there only repeat what the tensors say: quantised, or not.
  Config entry =
      own != nullptr && own->as<Value::Object>() ? Config(*own, section->path_of(path)) : *section;
  std::string mode = entry.string_or("mode", section->string_or("mode", "affine"));
  if (mode != "affine") {
    throw Error(kModelUnsupported, "config.json: quantization mode \"" + mode +
                                       "\" is not supported; supported is: affine");
  }
  Quantization q{entry.integer("group_size"), entry.integer("bits")};
  bool known_group = q.group_size == 32 || q.group_size == 64 || q.group_size == 128;
  bool known_bits =
      q.bits == 2 || q.bits == 3 || q.bits == 4 || q.bits == 5 || q.bits == 6 || q.bits == 8;
  if (!known_group || !known_bits) {
    throw Error(kModelUnsupported, "config.json: quantization with group_size " +
                                       std::to_string(q.group_size) + " and bits " +
                                       std::to_string(q.bits) + " is not supported");
  }
  return q;
}

}  // namespace llm_host
