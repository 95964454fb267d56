#include "layers/sharding/sharding.h"

#include <algorithm>

#include "common/error.h"
#include "layers/sharding/cut.h"

namespace llm_host {

const Sharding kHeadsAndNetwork = {
    .heads_of = "self_attn.q_proj",
    .rows = {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "mlp.gate_proj",
             "mlp.up_proj"},
    .columns = {"self_attn.o_proj", "mlp.down_proj"},
};

namespace {

// Ends of paths that stand for several matrices, one below the other.
const std::vector<std::string> kFused = {"qkv_proj", "gate_up_proj"};

bool is_any(const std::string& module, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return module.ends_with("." + name); });
}

int divided(const char* key, int value, int count) {
  if (value % count == 0) return value / count;
  throw Error(kModelUnsupported, std::string("config.json: ") + key + " (" + std::to_string(value) +
                                     ") cannot be divided by " + std::to_string(count) +
                                     " processes");
}

// A family may have a head size of its own where config.json has none; the weights tell.
int head_dim_of(const LoadSpec& spec, const Sharding& sharding, int heads) {
  for (const TensorEntry& entry : spec.weights.tensors) {
    bool weight = entry.name.ends_with(std::string(".") + sharding.heads_of + ".weight");
    if (weight && !entry.shape.empty()) return static_cast<int>(entry.shape[0]) / heads;
  }
  throw Error(kModelUnsupported, std::string("the weights have no ") + sharding.heads_of +
                                     ".weight: they cannot be divided over processes");
}

Value part_config(const LoadSpec& spec, const Sharding& sharding, int count) {
  Config config(spec.config);
  int heads = config.integer("num_attention_heads");
  int kv_heads = config.integer_or("num_key_value_heads", heads);
  int head_dim =
      config.has("head_dim") ? config.integer("head_dim") : head_dim_of(spec, sharding, heads);
  Value::Object object = *spec.config.as<Value::Object>();
  auto set = [&](const char* key, int value) {
    object.insert_or_assign(key, Value(static_cast<double>(value)));
  };
  set("head_dim", head_dim);
  set("num_attention_heads", divided("num_attention_heads", heads, count));
  set("num_key_value_heads", divided("num_key_value_heads", kv_heads, count));
  set("intermediate_size",
      divided("intermediate_size", config.integer("intermediate_size"), count));
  return Value(std::move(object));
}

}  // namespace

void check_shareable(const LoadSpec& spec) {
  auto refuse = [](bool asked, const char* what) {
    if (!asked) return;
    throw Error(kUsage, std::string("a model shared by several processes has no ") + what);
  };
  refuse(!spec.adapters.empty(), "adapters yet");
  refuse(spec.draft != nullptr, "draft model yet");
  refuse(!spec.save_to.empty(), "checkpoint of its own: save it in one process");
}

LoadSpec part_of(const LoadSpec& whole, const Sharding& sharding, const Part& part) {
  LoadSpec own = whole;
  own.config = part_config(whole, sharding, part.count);
  int group = whole.quantize ? whole.quantize->group_size : 1;
  for (TensorEntry& entry : own.weights.tensors) {
    std::string module = entry.name.substr(0, entry.name.rfind('.'));
    if (is_any(module, kFused)) {
      throw Error(kModelUnsupported, "tensor " + entry.name +
                                         " holds several matrices in one, which cannot be divided "
                                         "over processes yet");
    }
    if (is_any(module, sharding.rows)) {
      cut_rows(entry, part.index, part.count);
    } else if (is_any(module, sharding.columns) && !entry.name.ends_with(".bias")) {
      cut_columns(entry, part.index, part.count, group);
    }
  }
  own.partial = std::make_shared<PartialModules>(PartialModules{sharding.columns, part.sum});
  return own;
}

}  // namespace llm_host
