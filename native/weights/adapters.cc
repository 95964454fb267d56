#include "weights/adapters.h"

#include "common/error.h"

namespace llm_host {

Adapters::Adapters(const std::vector<AdapterSpec>& specs, LoadProgress& progress) {
  for (const AdapterSpec& spec : specs) {
    adapters_.push_back({&spec, TensorReader(spec.weights, progress)});
  }
}

std::optional<Adapters::LowRank> Adapters::read(Adapter& adapter, const std::string& path, int out,
                                                int in, mx::Dtype dtype) {
  std::string names[] = {path + ".lora_a", path + ".lora_b"};
  bool has_a = adapter.reader.files().find(names[0]) != nullptr;
  bool has_b = adapter.reader.files().find(names[1]) != nullptr;
  if (!has_a && !has_b) return std::nullopt;
  if (!has_a || !has_b) {
    throw Error(kModelBroken, "the adapter has only one of " + names[0] + " and .lora_b");
  }
  const TensorEntry &a = adapter.reader.entry(names[0]), &b = adapter.reader.entry(names[1]);
  bool transposed = adapter.spec->transposed;
  int64_t rank = a.shape.size() == 2 ? a.shape[transposed ? 0 : 1] : 0;
  using Shape = std::vector<int64_t>;
  adapter.reader.files().check_shape(a, transposed ? Shape{rank, in} : Shape{in, rank});
  adapter.reader.files().check_shape(b, transposed ? Shape{out, rank} : Shape{rank, out});
  mx::array down = mx::astype(adapter.reader.read_float(a), dtype);
  mx::array up = mx::astype(adapter.reader.read_float(b), dtype);
  if (transposed) {
    up = mx::transpose(up);
  } else {
    down = mx::transpose(down);
  }
  return LowRank{down, mx::multiply(up, mx::array(adapter.spec->scale, dtype))};
}

std::optional<Adapters::LowRank> Adapters::find(const std::string& path, int out, int in,
                                                mx::Dtype dtype) {
  std::vector<mx::array> downs, ups;
  for (Adapter& adapter : adapters_) {
    auto part = read(adapter, path, out, in, dtype);
    if (!part) continue;
    downs.push_back(part->down);
    ups.push_back(part->up);
  }
  if (downs.empty()) return std::nullopt;
  LowRank sum{mx::contiguous(mx::concatenate(downs, 0)), mx::contiguous(mx::concatenate(ups, 0))};
  mx::eval(sum.down, sum.up);
  return sum;
}

void Adapters::check_used() const {
  for (const Adapter& adapter : adapters_) {
    std::vector<std::string> unused = adapter.reader.unused();
    if (unused.empty()) continue;
    throw Error(kModelBroken,
                "the adapter does not fit the model: " + std::to_string(unused.size()) +
                    " of its tensors belong to no linear layer that can take them, " +
                    "the first of them is " + unused.front());
  }
}

}  // namespace llm_host
