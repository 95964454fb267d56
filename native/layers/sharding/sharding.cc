#include "layers/sharding/sharding.h"

#include <algorithm>

#include "common/error.h"
#include "layers/sharding/cut.h"
#include "layers/sharding/expert_part.h"

namespace llm_host {

namespace {

std::vector<std::string> joined(std::vector<std::string> first,
                                const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

const std::vector<std::string> kHeads = {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj",
                                         "self_attn.sinks"};

}  // namespace

const Sharding kHeadsAndNetwork = {
    .heads_of = "self_attn.q_proj",
    .rows = joined(kHeads, {"mlp.gate_proj", "mlp.up_proj"}),
    .columns = {"self_attn.o_proj", "mlp.down_proj"},
};

const Sharding kHeadsAndExperts = {
    .heads_of = "self_attn.q_proj",
    .rows = kHeads,
    .columns = {"self_attn.o_proj"},
    .experts = {"mlp", "block_sparse_moe"},
    .network = false,
};

const Sharding kHeadsNetworkAndExperts = {
    .heads_of = "self_attn.q_proj",
    .rows = kHeadsAndNetwork.rows,
    .columns = kHeadsAndNetwork.columns,
    .experts = {"mlp"},
};

// Short convolutions are whole.
const Sharding kLfm2Layers = {
    .heads_of = "self_attn.q_proj",
    .rows = joined(kHeads, {"feed_forward.gate_proj", "feed_forward.up_proj", "feed_forward.w1",
                            "feed_forward.w3"}),
    .columns = {"self_attn.out_proj", "feed_forward.down_proj", "feed_forward.w2"},
    .experts = {"feed_forward"},
};

namespace {

// Ends of paths that stand for several matrices, one below the other.
const std::vector<std::string> kFused = {"qkv_proj", "gate_up_proj"};

// Whether a tensor belongs to one of these modules, or is one of these itself.
bool is_any(const std::string& tensor, const std::vector<std::string>& names) {
  std::string module = tensor.substr(0, tensor.rfind('.'));
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return module.ends_with("." + name) || tensor.ends_with("." + name);
  });
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
  if (sharding.network) {
    set("intermediate_size",
        divided("intermediate_size", config.integer("intermediate_size"), count));
  }
  return Value(std::move(object));
}

// A tensor of the model that is no expert's.
void cut_tensor(TensorEntry& entry, const Sharding& sharding, const Part& part, int group) {
  if (is_any(entry.name, kFused)) {
    throw Error(kModelUnsupported, "tensor " + entry.name +
                                       " holds several matrices in one, which cannot be divided "
                                       "over processes yet");
  }
  if (is_any(entry.name, sharding.rows)) {
    cut_rows(entry, part.index, part.count);
  } else if (is_any(entry.name, sharding.columns) && !entry.name.ends_with(".bias")) {
    cut_columns(entry, part.index, part.count, group);
  }
}

// Cuts that one of an adapter's two matrices which meets the channels the module is divided by: the
// second one's outputs, or the first one's inputs. The other is whole.
void cut_adapter(AdapterSpec& adapter, const Sharding& sharding, const Part& part) {
  for (TensorEntry& entry : adapter.weights.tensors) {
    bool first = entry.name.ends_with(".lora_a");
    if (!is_any(entry.name, first ? sharding.columns : sharding.rows)) continue;
    // [in, rank] and [rank, out], or transposed.
    if (first != adapter.transposed) {
      cut_rows(entry, part.index, part.count);
    } else {
      cut_columns(entry, part.index, part.count, 1);
    }
  }
}

}  // namespace

void check_shareable(const LoadSpec& spec) {
  auto refuse = [](bool asked, const char* what) {
    if (!asked) return;
    throw Error(kUsage, std::string("a model shared by several processes has no ") + what);
  };
  refuse(spec.draft != nullptr, "draft model yet");
  refuse(!spec.save_to.empty(), "checkpoint of its own: save it in one process");
}

LoadSpec part_of(const LoadSpec& whole, const Sharding& sharding, const Part& part) {
  LoadSpec own = whole;
  own.config = part_config(whole, sharding, part.count);
  int group = whole.quantize ? whole.quantize->group_size : 1;
  ExpertPart experts(sharding, whole.weights.tensors, part);
  std::erase_if(own.weights.tensors, [&](TensorEntry& entry) {
    if (experts.contains(entry.name)) return !experts.take(entry);
    cut_tensor(entry, sharding, part, group);
    return false;
  });
  for (AdapterSpec& adapter : own.adapters) cut_adapter(adapter, sharding, part);
  std::vector<std::string> partial = joined(sharding.columns, sharding.experts);
  own.partial = std::make_shared<PartialModules>(
      PartialModules{std::move(partial), part.sum, part.index, part.count});
  return own;
}

}  // namespace llm_host
