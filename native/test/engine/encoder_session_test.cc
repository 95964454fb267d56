#include "engine/encoder_session.h"

#include <cmath>

#include "check.h"
#include "engine/runtime.h"
#include "tiny_bert.h"
#include "tiny_llama.h"

namespace llm_host::encoder_session_test {

static const check::Suite suite("encoder_session", init_runtime);

namespace {

using Texts = std::vector<std::vector<int32_t>>;

std::unique_ptr<EncoderSession> load(const LoadSpec& spec) {
  return EncoderSession::load(spec, [](uint64_t, uint64_t) {});
}

std::unique_ptr<EncoderSession> load() {
  static const TinyBert files;
  return load(files.spec());
}

EncodeRequest request_of(const Texts& texts) {
  EncodeRequest request;
  for (const std::vector<int32_t>& text : texts) {
    request.ids.insert(request.ids.end(), text.begin(), text.end());
    request.lengths.push_back(static_cast<int32_t>(text.size()));
  }
  return request;
}

std::vector<int32_t> text_of(int length, int seed) {
  std::vector<int32_t> ids;
  for (int i = 0; i < length; ++i) ids.push_back((seed + 7 * i) % TinyBert::kVocab);
  return ids;
}

// One request with what became of it.
struct Asked {
  explicit Asked(EncoderSession& session, const Texts& texts)
      : job(std::make_shared<EncodeJob>(1, request_of(texts), [this](EncodeResult done) {
          ++times;
          result = std::move(done);
        })) {
    session.add(job);
  }
  std::vector<float> vector(int text) const {
    auto at = result.vectors.begin() + int64_t{text} * TinyBert::kHidden;
    return {at, at + TinyBert::kHidden};
  }

  std::shared_ptr<EncodeJob> job;
  EncodeResult result;
  int times = 0;
};

double cosine(const std::vector<float>& a, const std::vector<float>& b) {
  double product = 0, left = 0, right = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    product += double{a[i]} * b[i];
    left += double{a[i]} * a[i];
    right += double{b[i]} * b[i];
  }
  return product / std::sqrt(left * right);
}

// A decoder, whose vectors are as long as those of TinyBert.
std::unique_ptr<EncoderSession> load_decoder(const char* pooling) {
  static const TinyLlama files;
  LoadSpec spec = files.spec();
  spec.encoder = EncoderSpec{pooling, {}};
  return load(spec);
}

void finish(EncoderSession& session) { while (session.turn()); }

}  // namespace

TEST(a_text_has_the_same_vector_alone_and_among_others) {
  auto session = load();
  Texts texts;
  for (int i = 0; i < 50; ++i) texts.push_back(text_of(1 + i * 5 % 40, i));
  Asked all(*session, texts);
  finish(*session);
  CHECK(!all.result.error);
  CHECK(all.result.vectors.size() == texts.size() * TinyBert::kHidden);
  for (int i : {0, 7, 19, 49}) {
    Asked alone(*session, {texts[static_cast<size_t>(i)]});
    finish(*session);
    CHECK(alone.vector(0) == all.vector(i));
  }
  CHECK(all.vector(3) != all.vector(4));
}

TEST(a_decoder_reads_texts_side_by_side) {
  auto session = load_decoder("lasttoken");
  Texts texts;
  for (int i = 0; i < 30; ++i) texts.push_back(text_of(1 + i * 7 % 60, i));
  Asked all(*session, texts);
  finish(*session);
  CHECK(!all.result.error);
  for (int i : {0, 11, 29}) {
    Asked alone(*session, {texts[static_cast<size_t>(i)]});
    finish(*session);
    CHECK(alone.vector(0) == all.vector(i));
  }
}

TEST(a_token_of_a_decoder_sees_none_behind_it) {
  auto first = load_decoder("cls"), last = load_decoder("lasttoken");
  Texts texts{{5, 6, 7, 8}, {5, 9, 10, 8}};
  Asked firsts(*first, texts), lasts(*last, texts);
  finish(*first);
  finish(*last);
  CHECK(firsts.vector(0) == firsts.vector(1));
  CHECK(lasts.vector(0) != lasts.vector(1));
}

TEST(packed_weights_turn_a_vector_by_little) {
  static const TinyBert files;
  LoadSpec exact = files.spec();
  exact.exact = true;
  auto session = load(), reference = load(exact);
  Texts texts{text_of(12, 1), text_of(40, 2), text_of(1, 3)};
  Asked packed(*session, texts), float32(*reference, texts);
  finish(*session);
  finish(*reference);
  for (int i = 0; i < 3; ++i) {
    CHECK_NEAR(cosine(packed.vector(i), float32.vector(i)), 1, 1e-4);
  }
}

TEST(token_types_and_order_matter) {
  auto session = load();
  EncodeRequest request = request_of({{5, 6, 7, 8}});
  request.types = {0, 0, 1, 1};
  EncodeResult typed;
  session->add(
      std::make_shared<EncodeJob>(1, request, [&](EncodeResult r) { typed = std::move(r); }));
  Asked plain(*session, {{5, 6, 7, 8}, {8, 7, 6, 5}});
  finish(*session);
  CHECK(typed.vectors != plain.vector(0));
  CHECK(plain.vector(0) != plain.vector(1));
}

TEST(requests_share_turns_and_end_once) {
  auto session = load();
  Asked first(*session, {text_of(10, 1)}), second(*session, {text_of(3, 2), text_of(4, 3)});
  CHECK(session->turn());
  CHECK(first.times == 1 && second.times == 1);
  CHECK(!session->turn());
  CHECK(session->idle());
}

TEST(a_cancelled_request_ends_and_the_others_go_on) {
  auto session = load();
  Asked gone(*session, Texts(500, text_of(40, 1))), other(*session, {text_of(4, 2)});
  CHECK(session->turn());
  gone.job->cancel();
  gone.job->cancel();
  finish(*session);
  CHECK(gone.times == 1 && gone.result.error && gone.result.error->code() == kCancelled);
  CHECK(other.times == 1 && !other.result.error);
}

TEST(a_vector_that_is_not_finite_is_an_error) {
  static const TinyBert files(true);
  auto session = load(files.spec());
  Asked asked(*session, {text_of(4, 1), text_of(5, 2)});
  finish(*session);
  CHECK(asked.times == 1 && asked.result.error);
  CHECK(asked.result.error->code() == kModelBroken);
}

TEST(requests_that_the_model_cannot_take) {
  ModelInfo info;
  info.vocab_size = 10;
  info.context_length = 4;
  auto refused = [&](const EncodeRequest& request) {
    return check::throws<Error>([&] { check_encode_request(info, request); },
                                [](const Error& error) { return error.code() == kUsage; });
  };
  check_encode_request(info, request_of({{1, 2}, {9, 0, 3, 4}}));
  CHECK(refused({}));
  CHECK(refused(request_of({{1, 2, 3, 4, 5}})));
  CHECK(refused(request_of({{}})));
  CHECK(refused(request_of({{10}})));
  CHECK(refused(request_of({{-1}})));
  CHECK(refused({{1, 2}, {1}, {}}));
  CHECK(refused({{1, 2}, {2}, {0}}));
  CHECK(refused({{1, 2}, {2}, {0, 2}}));
}

}  // namespace llm_host::encoder_session_test
