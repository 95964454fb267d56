#include "layers/sharding/sharding.h"

#include "check.h"
#include "common/error.h"
#include "engine/tiny_llama.h"
#include "layers/sharding/cut.h"
#include "weights/checkpoint.h"

namespace llm_host::sharding_test {

static const check::Suite suite("sharding", [] { mx::set_default_device(mx::Device::cpu); });

namespace {

constexpr int kRows = 8, kColumns = 128;

bool same(const mx::array& a, const mx::array& b) {
  return a.shape() == b.shape() && mx::array_equal(a, b).item<bool>();
}

mx::array rows_of(const mx::array& a, int index, int count) {
  int size = a.shape(0) / count;
  return mx::slice(a, {index * size, 0}, {(index + 1) * size, a.shape(1)});
}

mx::array columns_of(const mx::array& a, int index, int count) {
  int size = a.shape(1) / count;
  return mx::slice(a, {0, index * size}, {a.shape(0), (index + 1) * size});
}

// "a" as it is read, of this shape.
mx::array read(const Checkpoint& checkpoint, int out, int in) {
  WeightStore store = checkpoint.store();
  Matrix m = store.matrix("a", out, in);
  return m.quantized() ? m.dequantize() : m.weight;
}

TensorEntry entry(std::string name, std::string dtype, std::vector<int64_t> shape, uint64_t bytes) {
  return {std::move(name), std::move(dtype), std::move(shape), 0, 1000, bytes};
}

int number_in(const LoadSpec& spec, const char* key) { return Config(spec.config).integer(key); }

}  // namespace

TEST(parts_of_a_dense_matrix_are_its_rows_or_columns) {
  mx::array whole = random({kRows, kColumns});
  for (int count : {2, 4}) {
    for (int index = 0; index < count; ++index) {
      Checkpoint rows, columns;
      rows.add("a.weight", whole);
      cut_rows(rows.spec().weights.tensors[0], index, count);
      CHECK(same(read(rows, kRows / count, kColumns), rows_of(whole, index, count)));
      columns.add("a.weight", whole);
      cut_columns(columns.spec().weights.tensors[0], index, count, 1);
      CHECK(same(read(columns, kRows, kColumns / count), columns_of(whole, index, count)));
    }
  }
}

TEST(parts_of_a_quantized_matrix_are_cut_along_its_groups) {
  mx::array floats = random({kRows, kColumns});
  for (int bits : {2, 3, 4, 6, 8}) {
    Checkpoint whole, columns;
    whole.add_quantized("a", floats, 32, bits, "affine");
    columns.add_quantized("a", floats, 32, bits, "affine");
    for (TensorEntry& tensor : columns.spec().weights.tensors) cut_columns(tensor, 1, 4, 1);
    mx::array expected = columns_of(read(whole, kRows, kColumns), 1, 4);
    CHECK(same(read(columns, kRows, kColumns / 4), expected));
  }
}

TEST(a_part_is_read_whole_or_in_pieces) {
  Checkpoint checkpoint;
  checkpoint.add("a.weight", random({kRows, kColumns}));
  TensorEntry& tensor = checkpoint.spec().weights.tensors[0];
  cut_columns(tensor, 1, 2, 1);
  TensorFiles files(checkpoint.spec().weights);
  auto ignore = [](uint64_t) {};
  std::vector<uint8_t> all(tensor.bytes), pieces(tensor.bytes);
  files.read(tensor, all.data(), tensor.bytes, 0, ignore);
  // Pieces that begin and end within rows.
  for (uint64_t at = 0; at < tensor.bytes; at += 100) {
    files.read(tensor, pieces.data() + at, std::min<uint64_t>(100, tensor.bytes - at), at, ignore);
  }
  CHECK(all == pieces);
}

TEST(the_last_row_of_a_part_must_lie_in_the_file) {
  Checkpoint checkpoint;
  checkpoint.add("a.weight", random({kRows, kColumns}));
  TensorEntry& tensor = checkpoint.spec().weights.tensors[0];
  cut_columns(tensor, 1, 2, 1);
  CHECK(read(checkpoint, kRows, kColumns / 2).size() == kRows * kColumns / 2);
  tensor.offset += 4;
  CHECK_ERROR("MODEL_BROKEN", "a.weight", read(checkpoint, kRows, kColumns / 2));
}

TEST(what_does_not_divide_is_refused) {
  TensorEntry odd = entry("a.weight", "F32", {6, 10}, 240);
  CHECK_ERROR("MODEL_UNSUPPORTED", "has 6 rows", cut_rows(odd, 0, 4));
  CHECK_ERROR("MODEL_UNSUPPORTED", "has 10 columns, which", cut_columns(odd, 0, 4, 1));
  // Three groups of scales.
  TensorEntry scales = entry("a.scales", "BF16", {6, 3}, 36);
  CHECK_ERROR("MODEL_UNSUPPORTED", "has 3 columns", cut_columns(scales, 0, 2, 1));
  TensorEntry blocks = entry("a.weight", "Q4_K", {2, 256}, 288);
  CHECK_ERROR("MODEL_UNSUPPORTED", "in whole groups", cut_columns(blocks, 0, 2, 1));
  TensorEntry to_quantize = entry("a.weight", "BF16", {2, 64}, 256);
  CHECK_ERROR("MODEL_UNSUPPORTED", "in whole groups", cut_columns(to_quantize, 0, 2, 64));
  for (auto& broken : {entry("a.weight", "F32", {4, 4}, 63), entry("a.weight", "F32", {}, 4)}) {
    TensorEntry copy = broken;
    CHECK_ERROR("MODEL_BROKEN", "a.weight", cut_rows(copy, 0, 2));
    CHECK_ERROR("MODEL_BROKEN", "a.weight", cut_columns(copy, 0, 2, 1));
  }
}

TEST(a_part_of_a_model_is_a_smaller_model) {
  TinyLlama llama;
  LoadSpec part = part_of(llama.spec(), kHeadsAndNetwork, {1, 2, nullptr});
  CHECK(number_in(part, "num_attention_heads") == 2);
  CHECK(number_in(part, "num_key_value_heads") == 1);
  CHECK(number_in(part, "intermediate_size") == 32);
  CHECK(number_in(part, "head_dim") == 8);
  CHECK(number_in(part, "hidden_size") == number_in(llama.spec(), "hidden_size"));
  uint64_t whole_bytes = 0, bytes = 0, own = 0;
  for (const TensorEntry& tensor : llama.spec().weights.tensors) whole_bytes += tensor.bytes;
  for (const TensorEntry& tensor : part.weights.tensors) {
    bytes += tensor.bytes;
    if (tensor.name.find("_proj.") != std::string::npos) own += tensor.bytes;
  }
  CHECK(bytes + own == whole_bytes);
  CHECK(part.partial->contains("model.layers.0.mlp.down_proj"));
  CHECK(!part.partial->contains("model.layers.0.mlp.up_proj"));
  CHECK_ERROR("MODEL_UNSUPPORTED", "num_key_value_heads (2)",
              part_of(llama.spec(), kHeadsAndNetwork, {0, 4, nullptr}));
}

TEST(of_an_adapter_each_process_reads_what_meets_its_channels) {
  TinyLlama llama;
  const std::string q = "model.layers.0.self_attn.q_proj", o = "model.layers.0.self_attn.o_proj";
  for (bool transposed : {false, true}) {
    auto shape = [&](int64_t rows, int64_t columns) {
      return transposed ? std::vector<int64_t>{columns, rows} : std::vector<int64_t>{rows, columns};
    };
    LoadSpec spec = llama.spec();
    spec.adapters.push_back({{{"file"},
                              {entry(q + ".lora_a", "F32", shape(32, 3), 384),
                               entry(q + ".lora_b", "F32", shape(3, 32), 384),
                               entry(o + ".lora_a", "F32", shape(32, 3), 384),
                               entry(o + ".lora_b", "F32", shape(3, 32), 384)}},
                             1,
                             transposed});
    std::vector<TensorEntry> own =
        part_of(spec, kHeadsAndNetwork, {1, 2, nullptr}).adapters[0].weights.tensors;
    CHECK(own[0].shape == shape(32, 3) && own[0].offset == 1000);
    CHECK(own[1].shape == shape(3, 16));
    CHECK(own[2].shape == shape(16, 3));
    CHECK(own[3].shape == shape(3, 32) && own[3].offset == 1000);
    CHECK(own[1].row_stride == (transposed ? 0 : 32 * 4));
    CHECK(own[2].row_stride == (transposed ? 32 * 4 : 0));
    uint64_t bytes = 0;
    for (const TensorEntry& tensor : own) bytes += tensor.bytes;
    CHECK(bytes == 2 * 384 + 2 * 192);
  }
}

TEST(a_process_has_some_of_the_experts) {
  TinyLlama llama;
  const std::string block = "model.layers.0.mlp.", stack = block + "experts.gate_up_proj";
  LoadSpec spec = llama.spec();
  spec.weights.tensors = {entry("model.layers.0.self_attn.q_proj.weight", "F32", {32, 32}, 4096),
                          entry(stack, "F32", {4, 8, 2}, 256),
                          entry(stack + "_bias", "F32", {4, 8}, 128),
                          entry(block + "router.weight", "F32", {4, 2}, 32)};
  LoadSpec part = part_of(spec, kHeadsAndExperts, {1, 2, nullptr});
  const std::vector<TensorEntry>& own = part.weights.tensors;
  CHECK((own[1].shape == std::vector<int64_t>{2, 8, 2}) && own[1].offset == 1128);
  CHECK((own[2].shape == std::vector<int64_t>{2, 8}) && own[2].offset == 1064);
  CHECK((own[3].shape == std::vector<int64_t>{4, 2}));
  CHECK(part.partial->contains("model.layers.0.mlp") && part.partial->index == 1);
  CHECK(number_in(part, "intermediate_size") == 64);
  spec.weights.tensors[1] = entry(stack, "F32", {3, 8, 2}, 192);
  CHECK_ERROR("MODEL_UNSUPPORTED", "the 3 experts of tensor model",
              part_of(spec, kHeadsAndExperts, {0, 2, nullptr}));
}

TEST(experts_with_tensors_of_their_own_are_counted_from_the_first_of_a_process) {
  TinyLlama llama;
  auto name = [](int expert) {
    return "model.layers.0.mlp.experts." + std::to_string(expert) + ".up_proj.weight";
  };
  LoadSpec spec = llama.spec();
  spec.weights.tensors = {entry("model.layers.0.self_attn.q_proj.weight", "F32", {32, 32}, 4096)};
  for (int e = 0; e < 12; ++e) {
    spec.weights.tensors.push_back(entry(name(e), "F32", {8, 2}, 64));
    spec.weights.tensors.back().offset = static_cast<uint64_t>(e);
  }
  LoadSpec part = part_of(spec, kHeadsNetworkAndExperts, {1, 2, nullptr});
  CHECK(part.weights.tensors.size() == 7);
  for (int e = 0; e < 6; ++e) {
    const TensorEntry& own = part.weights.tensors[static_cast<size_t>(e) + 1];
    CHECK(own.name == name(e) && own.offset == static_cast<uint64_t>(6 + e) && own.bytes == 64);
  }
  spec.weights.tensors.pop_back();
  CHECK_ERROR("MODEL_UNSUPPORTED", "the 11 experts of tensor model.layers.0.mlp.experts.0.",
              part_of(spec, kHeadsNetworkAndExperts, {0, 2, nullptr}));
}

TEST(fused_matrices_are_refused) {
  TinyLlama llama;
  LoadSpec fused = llama.spec();
  fused.weights.tensors.push_back(
      entry("model.layers.0.mlp.gate_up_proj.weight", "F32", {128, 32}, 128 * 32 * 4));
  CHECK_ERROR("MODEL_UNSUPPORTED", "gate_up_proj.weight holds several",
              part_of(fused, kHeadsAndNetwork, {0, 2, nullptr}));
}

TEST(what_several_processes_do_not_do_is_refused) {
  LoadSpec spec;
  check_shareable(spec);
  spec.parallel = 2;
  check_shareable(spec);
  spec.save_to = "/tmp";
  CHECK_ERROR("USAGE", "checkpoint", check_shareable(spec));
}

}  // namespace llm_host::sharding_test
