#include "weights/quantize/quantization.h"

#include "common/error.h"

namespace llm_host {

const char kSupportedQuantizations[] =
    "affine with 2, 3, 4, 5, 6 or 8 bits in groups of 32, 64 or 128; mxfp4 and mxfp8 in groups of "
    "32; nvfp4 in groups of 16";

namespace {

bool is_supported(const Quantization& q) {
  if (q.mode == "mxfp4") return q.bits == 4 && q.group_size == 32;
  if (q.mode == "nvfp4") return q.bits == 4 && q.group_size == 16;
  if (q.mode == "mxfp8") return q.bits == 8 && q.group_size == 32;
  bool group = q.group_size == 32 || q.group_size == 64 || q.group_size == 128;
  return q.mode == "affine" && group && ((q.bits >= 2 && q.bits <= 6) || q.bits == 8);
}

std::string text_of(const Quantization& q) {
  return "mode \"" + q.mode + "\" with " + std::to_string(q.bits) + " bits in groups of " +
         std::to_string(q.group_size);
}

const char* mode_of(bool byte_scales, int bits, int group_size) {
  if (!byte_scales) return "affine";
  if (bits == 8) return "mxfp8";
  return group_size == 16 ? "nvfp4" : "mxfp4";
}

// Reads an entry as MLX does: a module's own entry without a mode is affine, whatever the defaults.
Quantization entry_of(const Config& entry) {
  Quantization q;
  q.mode = entry.string_or("mode", "affine");
  // Modes with a single form may leave out its size.
  bool bytes = q.mode == "mxfp8";
  bool fixed = bytes || q.mode == "mxfp4" || q.mode == "nvfp4";
  int group = q.mode == "nvfp4" ? 16 : 32;
  q.group_size = fixed ? entry.integer_or("group_size", group) : entry.integer("group_size");
  q.bits = fixed ? entry.integer_or("bits", bytes ? 8 : 4) : entry.integer("bits");
  return q;
}

std::optional<Config> section_of(const Config& config) {
  auto section = config.object("quantization");
  return section ? section : config.object("quantization_config");
}

}  // namespace

void check_quantization(const Quantization& q, const std::string& where) {
  if (is_supported(q)) return;
  throw Error(kModelUnsupported, where + ": quantization " + text_of(q) +
                                     " is not supported; supported: " + kSupportedQuantizations);
}

Quantization quantization_of(const Config& config, const std::string& path,
                             const std::string& tensor, int in, int64_t words, int64_t groups,
                             bool byte_scales) {
  auto section = section_of(config);
  if (!section) {
    throw Error(kModelBroken, tensor + " is quantized, but config.json has no quantization");
  }
  check_quantization(entry_of(*section), "config.json");
  Quantization found;
  found.group_size = groups > 0 ? static_cast<int>(in / groups) : 0;
  found.bits = static_cast<int>(words * 32 / in);
  found.mode = mode_of(byte_scales, found.bits, found.group_size);
  bool whole = found.group_size * groups == in && int64_t{found.bits} * in == words * 32;
  if (!whole) {
    throw Error(kModelBroken,
                tensor + " has " + std::to_string(words) + " words and " + std::to_string(groups) +
                    " scales a row, which fit no quantization of rows of " + std::to_string(in));
  }
  check_quantization(found, tensor);
  const Value* own = section->find(path);
  // An entry of `true` or `false` only repeats whether the tensors are quantized.
  bool has_own = own != nullptr && own->as<Value::Object>() != nullptr;
  if (!has_own && section->has_objects()) return found;
  Quantization said = has_own ? entry_of(Config(*own, section->path_of(path))) : entry_of(*section);
  if (said.mode != found.mode || said.bits != found.bits || said.group_size != found.group_size) {
    std::string key = has_own ? section->path_of(path) : "quantization";
    throw Error(kModelBroken, "config.json: " + key + " says " + text_of(said) + ", " + tensor +
                                  " has " + text_of(found));
  }
  return found;
}

}  // namespace llm_host
