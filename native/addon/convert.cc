#include "addon/convert.h"

#include "addon/fields.h"
#include "addon/sampling.h"

namespace llm_host {
namespace {

constexpr double kMaxSafe = 9007199254740991;
constexpr int kMaxDepth = 64;

Value to_value(const Napi::Value& value, int depth) {
  if (depth > kMaxDepth) throw Error(kModelBroken, "config.json is nested too deeply");
  if (value.IsBoolean()) return Value(value.As<Napi::Boolean>().Value());
  if (value.IsNumber()) return Value(value.As<Napi::Number>().DoubleValue());
  if (value.IsString()) return Value(value.As<Napi::String>().Utf8Value());
  if (value.IsArray()) {
    auto array = value.As<Napi::Array>();
    Value::Array items;
    for (uint32_t i = 0; i < array.Length(); ++i) {
      Napi::HandleScope scope(value.Env());
      items.push_back(to_value(array.Get(i), depth + 1));
    }
    return Value(std::move(items));
  }
  if (value.IsObject()) {
    auto object = value.As<Napi::Object>();
    Napi::Array names = object.GetPropertyNames();
    Value::Object members;
    for (uint32_t i = 0; i < names.Length(); ++i) {
      Napi::HandleScope scope(value.Env());
      Napi::Value name = names.Get(i);
      members.emplace(name.ToString().Utf8Value(), to_value(object.Get(name), depth + 1));
    }
    return Value(std::move(members));
  }
  return Value();
}

TensorEntry to_tensor(const Napi::Value& value, const std::string& path) {
  Fields fields(value, path);
  TensorEntry entry;
  entry.name = fields.text("name");
  entry.dtype = fields.text("dtype");
  entry.file = static_cast<size_t>(fields.integer("file", 0, 1e6));
  entry.offset = static_cast<uint64_t>(fields.integer("offset", 0, kMaxSafe));
  entry.bytes = static_cast<uint64_t>(fields.integer("bytes", 0, kMaxSafe));
  Napi::Array shape = fields.array("shape");
  for (uint32_t i = 0; i < shape.Length(); ++i) {
    Napi::Value size = shape.Get(i);
    double number = size.IsNumber() ? size.As<Napi::Number>().DoubleValue() : -1;
    if (number < 0 || number > std::numeric_limits<int32_t>::max() ||
        std::floor(number) != number) {
      throw Error(kUsage, path + ".shape must hold integers from 0 to 2147483647");
    }
    entry.shape.push_back(static_cast<int64_t>(number));
  }
  return entry;
}

WeightFiles to_weights(const Napi::Value& value, const std::string& path) {
  Fields fields(value, path);
  WeightFiles weights;
  Napi::Array files = fields.array("files");
  for (uint32_t i = 0; i < files.Length(); ++i) {
    Napi::Value file = files.Get(i);
    if (!file.IsString()) throw Error(kUsage, path + ".files must hold strings");
    weights.files.push_back(file.As<Napi::String>().Utf8Value());
  }
  Napi::Array tensors = fields.array("tensors");
  for (uint32_t i = 0; i < tensors.Length(); ++i) {
    Napi::HandleScope scope(value.Env());
    weights.tensors.push_back(
        to_tensor(tensors.Get(i), path + ".tensors[" + std::to_string(i) + "]"));
  }
  return weights;
}

}  // namespace

Value to_value(const Napi::Value& value) { return to_value(value, 0); }

namespace {

// Its caches may take as much memory as the larger model's.
std::shared_ptr<LoadSpec> to_draft_spec(const Fields& fields, const LoadSpec& of) {
  Napi::Value value = fields.get("draft");
  if (Fields(value, fields.path("draft")).has("draft")) {
    throw Error(kUsage, "spec.draft must not have a draft of its own");
  }
  auto draft = std::make_shared<LoadSpec>(to_load_spec(value));
  draft->cache_bytes = of.cache_bytes;
  return draft;
}

EncoderSpec to_encoder_spec(const Napi::Value& value) {
  Fields fields(value, "spec.encoder");
  EncoderSpec spec{fields.text("pooling"), {}};
  Napi::Array dense = fields.array("dense");
  for (uint32_t i = 0; i < dense.Length(); ++i) {
    Fields parts(dense.Get(i), fields.path("dense") + "[" + std::to_string(i) + "]");
    spec.dense.push_back({static_cast<int>(parts.integer("out", 1, 1 << 20)), parts.boolean("bias"),
                          parts.text("activation")});
  }
  return spec;
}

}  // namespace

LoadSpec to_load_spec(const Napi::Value& value) {
  Fields fields(value, "spec");
  LoadSpec spec;
  spec.config = to_value(fields.get("config"));
  spec.weights = to_weights(fields.get("weights"), fields.path("weights"));
  spec.gguf = fields.boolean("gguf");
  spec.context_length = static_cast<int>(fields.integer("contextLength", 0, 1 << 30));
  spec.kv_bits = static_cast<int>(fields.integer("kvBits", 0, 8));
  if (spec.kv_bits != 0 && spec.kv_bits != 4 && spec.kv_bits != 8) {
    throw Error(kUsage, "spec.kvBits must be 0, 4 or 8");
  }
  spec.exact = fields.has("exact") && fields.boolean("exact");
  if (fields.has("encoder")) spec.encoder = to_encoder_spec(fields.get("encoder"));
  spec.norm_shift = static_cast<float>(fields.number_or("normShift", 0));
  Napi::Array adapters = fields.array("adapters");
  for (uint32_t i = 0; i < adapters.Length(); ++i) {
    Fields parts(adapters.Get(i), fields.path("adapters") + "[" + std::to_string(i) + "]");
    spec.adapters.push_back({to_weights(parts.get("weights"), parts.path("weights")),
                             static_cast<float>(parts.number("scale")),
                             parts.boolean("transposed")});
  }
  spec.adapters_optional = fields.has("adaptersOptional") && fields.boolean("adaptersOptional");
  if (fields.has("quantize")) {
    Fields parts(fields.get("quantize"), fields.path("quantize"));
    spec.quantize = QuantizeSpec{parts.text("mode"), static_cast<int>(parts.integer("bits", 1, 32)),
                                 static_cast<int>(parts.integer("groupSize", 1, 1024))};
  }
  if (fields.has("cacheBytes")) {
    spec.cache_bytes = static_cast<uint64_t>(fields.integer("cacheBytes", 0, 1e15));
  }
  if (fields.has("parallel")) spec.parallel = static_cast<int>(fields.integer("parallel", 1, 256));
  if (fields.has("maxGapMs")) {
    spec.max_gap_ms = static_cast<double>(fields.integer("maxGapMs", 1, 60000));
  }
  if (fields.has("saveTo")) spec.save_to = fields.text("saveTo");
  if (fields.has("group")) {
    Fields parts(fields.get("group"), fields.path("group"));
    spec.group_limit_ms = static_cast<int>(parts.integer("limitMs", 1, 1 << 30));
    if (parts.has("joinMs")) {
      spec.group_join_ms = static_cast<int>(parts.integer("joinMs", 1, 1 << 30));
    }
  }
  if (fields.has("draft")) spec.draft = to_draft_spec(fields, spec);
  return spec;
}

CacheFile to_cache_file(const Napi::Value& value) {
  CacheFile file{to_weights(value, "file"), Fields(value, "file").text("checksum")};
  if (file.weights.files.size() != 1) throw Error(kUsage, "file.files must hold one path");
  return file;
}

Request to_request(const Napi::Value& value) {
  constexpr double kMaxInt = std::numeric_limits<int32_t>::max();
  Fields fields(value, "request");
  Request request;
  request.prompt_ids = fields.ids("promptIds");
  read_sampling(fields, request);
  request.stop_ids = fields.ids("stopIds");
  request.logprobs = static_cast<int>(fields.integer("logprobs", -1, 20));
  request.checkpoints = fields.ids("checkpoints");
  request.prefill_chunk = static_cast<int>(fields.integer("prefillChunk", 0, kMaxInt));
  request.prompt_logprobs = fields.has("promptLogprobs") && fields.boolean("promptLogprobs");
  request.reproducible = fields.has("reproducible") && fields.boolean("reproducible");
  request.adapted = !fields.has("adapted") || fields.boolean("adapted");
  if (fields.has("lookup") && fields.boolean("lookup")) request.lookup = Lookup::kWherePaid;
  if (fields.has("lookupAlways") && fields.boolean("lookupAlways")) {
    request.lookup = Lookup::kAlways;
  }
  request.measure_graph = fields.has("measureGraph") && fields.boolean("measureGraph");
  request.allowed_first = fields.bytes_or_none("allowedFirst");
  if (fields.has("continued")) {
    request.continued = static_cast<int>(fields.integer("continued", 0, kMaxInt));
  }
  if (fields.has("callStart")) {
    request.call_start = static_cast<int32_t>(fields.integer("callStart", 0, kMaxInt));
  }
  if (fields.has("prefix")) request.prefix = to_cache_file(fields.get("prefix"));
  return request;
}

EncodeRequest to_encode_request(const Napi::Value& value) {
  Fields fields(value, "request");
  EncodeRequest request{fields.ids("ids"), fields.ids("lengths"), {}};
  if (fields.has("types")) request.types = fields.ids("types");
  return request;
}

}  // namespace llm_host
