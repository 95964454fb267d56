#include "weights/mlx_tensor.h"

#include <cstring>

#include "check.h"
#include "checkpoint.h"
#include "common/error.h"
#include "weights/join.h"

namespace llm_host::mlx_tensor_test {

static const check::Suite suite("mlx_tensor", [] { mx::set_default_device(mx::Device::cpu); });

namespace {

struct Form {
  const char* mode;
  int group, bits;  // bits 0: dense
  mx::Dtype type;   // of dense weights, or of scales and biases
};

const Form kForms[] = {
    {"affine", 64, 4, mx::bfloat16}, {"affine", 32, 4, mx::float16}, {"affine", 64, 8, mx::float32},
    {"affine", 64, 3, mx::bfloat16}, {"affine", 32, 5, mx::float16}, {"affine", 64, 6, mx::float32},
    {"affine", 128, 2, mx::float16}, {"mxfp4", 32, 4, mx::float32},  {"nvfp4", 16, 4, mx::float32},
    {"", 0, 0, mx::bfloat16},        {"", 0, 0, mx::float16},
};

void add(Checkpoint& checkpoint, const std::string& path, const mx::array& w, const Form& form) {
  if (form.bits == 0) return checkpoint.add(path + ".weight", mx::astype(w, form.type));
  checkpoint.add_quantized(path, mx::astype(w, form.type), form.group, form.bits, form.mode);
}

// Bit by bit: both are made of the same codes and scales.
bool same_rows(const cpu::Packed& a, const cpu::Packed& b) {
  const PackedMatrix &x = a.layout(), &y = b.layout();
  if (x.rows != y.rows || x.cols != y.cols || x.kind != y.kind) return false;
  std::vector<float> row(static_cast<size_t>(x.cols)), other(row.size());
  for (int r = 0; r < x.rows; ++r) {
    unpack_row(x, r, row.data());
    unpack_row(y, r, other.data());
    if (std::memcmp(row.data(), other.data(), 4 * row.size()) != 0) return false;
  }
  return true;
}

// Read whole, then packed.
cpu::Packed packed_afterwards(WeightStore& store, const Matrix& m) {
  auto flat = [](const std::optional<mx::array>& a) -> std::optional<mx::array> {
    if (!a) return std::nullopt;
    mx::array rows = mx::contiguous(mx::reshape(*a, {-1, a->shape(-1)}));
    rows.eval();
    return rows;
  };
  return *cpu::Packed::pack(store.arena(), *flat(m.weight), flat(m.scales), flat(m.biases),
                            m.group_size, m.bits);
}

}  // namespace

TEST(matrices_are_packed_while_they_are_read) {
  // More than one part for a thread; the last block of rows is not full.
  constexpr int kRows = 1032, kCols = 1024;
  for (const Form& form : kForms) {
    Checkpoint checkpoint;
    add(checkpoint, "a", random({kRows, kCols}), form);
    uint64_t read = 0, size = 0;
    for (const TensorEntry& tensor : checkpoint.spec().weights.tensors) size += tensor.bytes;
    WeightStore store = checkpoint.store([&](uint64_t done, uint64_t) { read = done; });
    if (!store.packed()) return check::skip("this CPU has no kernels for packed weights");
    std::optional<cpu::Packed> packed = store.packed_matrix("a", kRows, kCols);
    CHECK(packed.has_value());
    CHECK(read == size);
    CHECK(store.parameters() == uint64_t{kRows} * kCols);
    store.finish();
    WeightStore other = checkpoint.store();
    CHECK(same_rows(*packed, packed_afterwards(other, other.matrix("a", kRows, kCols, true))));
  }
}

TEST(experts_are_joined_while_they_are_packed) {
  constexpr int kExperts = 5, kRows = 48, kCols = 256;
  for (const Form& form : kForms) {
    Checkpoint checkpoint;
    add(checkpoint, "gate", random({kExperts, kRows, kCols}, 1), form);
    add(checkpoint, "up", random({kExperts, kRows, kCols}, 2), form);
    WeightStore store = checkpoint.store();
    if (!store.packed()) return check::skip("this CPU has no kernels for packed weights");
    std::optional<cpu::Packed> packed =
        store.packed_experts({"gate", "up"}, kExperts, kRows, kCols);
    CHECK(packed.has_value());
    CHECK(store.parameters() == uint64_t{2} * kExperts * kRows * kCols);
    store.finish();
    WeightStore other = checkpoint.store();
    auto stack = [&](const char* path) {
      return other.experts(path, kExperts, kRows, kCols, true);
    };
    Matrix both = concatenate("both", {stack("gate"), stack("up")}, other.where());
    CHECK(same_rows(*packed, packed_afterwards(other, both)));
  }
}

TEST(what_has_no_packed_form_is_left_to_others) {
  Checkpoint checkpoint;
  checkpoint.add("floats.weight", random({32, 64}));
  checkpoint.add("gate.weight", mx::astype(random({3, 8, 64}), mx::bfloat16));
  checkpoint.add("wide.weight", mx::astype(random({3, 16, 64}), mx::bfloat16));
  checkpoint.add("other.weight", mx::astype(random({3, 16, 64}), mx::float16));
  WeightStore store = checkpoint.store();
  if (!store.packed()) return check::skip("this CPU has no kernels for packed weights");
  CHECK(!store.packed_matrix("floats", 32, 64));
  CHECK(!store.packed_experts({"gate"}, 3, 8, 64));            // half a block
  CHECK(!store.packed_experts({"wide", "other"}, 3, 16, 64));  // two types
  CHECK(store.parameters() == 0);
  checkpoint.spec().quantize = QuantizeSpec{"affine", 4, 32};
  CHECK(!checkpoint.store().packed_experts({"wide"}, 3, 16, 64));
}

TEST(packing_ends_at_a_bad_value_a_short_file_and_a_cancelled_load) {
  auto infinite = [](mx::array w, int at) {
    w = mx::astype(mx::contiguous(w), mx::bfloat16);
    w.eval();
    w.data<uint16_t>()[at] = 0x7f80;
    return w;
  };
  Checkpoint checkpoint;
  checkpoint.add("dense.weight", infinite(random({64, 64}), 200));
  checkpoint.add("codes.weight", mx::zeros({64, 8}, mx::uint32));
  checkpoint.add("codes.scales", infinite(random({64, 1}), 5));
  checkpoint.add("codes.biases", mx::zeros({64, 1}, mx::bfloat16));
  checkpoint.add("good.weight", mx::astype(random({64, 64}), mx::bfloat16));
  Value::Object q, config;
  q.emplace("bits", Value(4.0));
  q.emplace("group_size", Value(64.0));
  config.emplace("quantization", Value(std::move(q)));
  checkpoint.spec().config = Value(std::move(config));
  WeightStore store = checkpoint.store();
  if (!store.packed()) return check::skip("this CPU has no kernels for packed weights");
  CHECK_ERROR(kModelBroken, "infinite or not a number at element 200",
              store.packed_matrix("dense", 64, 64));
  CHECK_ERROR(kModelBroken, "tensor codes.scales (", store.packed_matrix("codes", 64, 64));
  CHECK_ERROR(kModelBroken, "config.json asks for [64, 96]", store.packed_matrix("good", 64, 96));
  WeightStore stopped =
      checkpoint.store([](uint64_t, uint64_t) { throw Error("STOP", "stopped"); });
  CHECK_ERROR("STOP", "stopped", stopped.packed_matrix("good", 64, 64));
  // A file that ends early, and sizes that lie, are told before memory is taken.
  TensorEntry& last = checkpoint.spec().weights.tensors.back();
  last.offset += 64;
  CHECK_ERROR(kModelBroken, "the file has only", checkpoint.store().packed_matrix("good", 64, 64));
  last.shape = {1 << 20, 1 << 19};
  last.bytes = uint64_t{1} << 40;
  CHECK_ERROR(kModelBroken, "the file has only",
              checkpoint.store().packed_matrix("good", 1 << 20, 1 << 19));
}

}  // namespace llm_host::mlx_tensor_test
