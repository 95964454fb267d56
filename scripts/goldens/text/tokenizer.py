"""Writes test/golden/text/tokenizer-smollm2.json: ids of the Rust `tokenizers` library for many awkward strings.

    python scripts/goldens/text/tokenizer.py SmolLM2-135M-Instruct.Q4_1.gguf

The tokenizer is built from the GGUF file's own vocabulary, with the steps of SmolLM2's tokenizer.json.
"""

import json
import random
import sys
from pathlib import Path

import gguf
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

ROOT = Path(__file__).resolve().parents[3]
CONTROL = 3

HAND_WRITTEN = [
    "",
    " ",
    "a",
    "Hello, world!",
    "The capital of France is Paris.",
    "I'm you're he's we've they'll I'd don't CAN'T it's",
    "  leading and trailing  ",
    "tabs\tand\t\ttabs\t",
    "newlines\n\nand\r\nmore\r\r\n\n\n",
    " \n \t \r\n ",
    "    four\n        eight\n\ttab",
    "1234567890 3.14159 1,000,000 0x7f 1e-5 2026-11-21T22:05:09Z",
    "½ ² ³ Ⅷ ٠١٢٣ ०१२ ៣ 𝟙𝟚 ⑤ 五",
    "naïve café Zürich Ångström façade São Paulo",
    "e\u0301 n\u0303 a\u0308\u0304 Z\u0351\u0352\u0353algo",
    "日本語のテキスト。漢字かな交じり文、テスト！",
    "中文分词测试,标点。全角　空格",
    "한국어 문장 테스트입니다",
    "مرحبا بالعالم ١٢٣ كيف حالك؟",
    "שלום עולם בְּרֵאשִׁית",
    "Привет, мир! Как дела?",
    "Γειά σου Κόσμε ἀρχή",
    "नमस्ते दुनिया क्षत्रिय",
    "ไทยไม่มีช่องว่าง",
    "😀😃😄 👍🏽 👩‍👩‍👧‍👦 🏳️‍🌈 🇫🇷🇯🇵 ❤️‍🔥 1️⃣",
    "emoji😀in😃words",
    "\u200b\u200c\u200d\u2060\ufeffzero width",
    "\u202eright to left\u202c \u2066isolate\u2069",
    "\u00a0nbsp\u2003em\u3000ideographic\u2028line\u2029para\u0085nel",
    "\x00\x01\x02\x1b[31mred\x1b[0m\x7f",
    "\ufffd replacement \ufffe \uffff \U0010ffff \ue000",
    "𝒜𝓁𝓅𝒽𝒶 𐍈 𠜎 🜁",
    "ﬁ ﬂ ﷺ Ǆ ß ſ İ ı",
    "``'' \"quotes\" ‘’ “” «» „“",
    "!@#$%^&*()_+-=[]{}|;':\",./<>?~`",
    "!!!??? ... --- ___ ===>>> <<<---",
    "https://example.org/path?q=1&r=%20#frag user@mail.example",
    "C:\\Users\\me\\file.txt /usr/local/bin ../.. ~/",
    "def f(x: int) -> int:\n    return x ** 2  # comment\n",
    "for (let i = 0; i < n; ++i) { a[i] = b?.c ?? `t${i}`; }",
    "#include <vector>\ntemplate <typename T> T&& f(T&& t);\n",
    "SELECT * FROM t WHERE a='b' AND c IS NOT NULL; -- x",
    "<html><body class=\"a\">&nbsp;&lt;</body></html>",
    '{"name": "add", "arguments": {"a": 1, "b": [true, null]}}',
    "| a | b |\n|---|:-:|\n| 1 | 2 |\n",
    "\\frac{a}{b} \\sum_{i=0}^{\\infty} x_i",
    "snake_case camelCase PascalCase kebab-case SCREAMING_CASE x1y2z3",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "Pneumonoultramicroscopicsilicovolcanoconiosis Donaudampfschifffahrtsgesellschaftskapitän",
    "antidisestablishmentarianism" * 20,
    "x" * 2000,
    "ab" * 1000,
    " " * 1000,
    "\n" * 500,
    "日" * 500,
    "😀" * 200,
    "0" * 300,
    "<|im_start|>system\nYou are helpful.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n",
    "<|im_start|>",
    "<|im_end|>",
    "<|endoftext|><|endoftext|>",
    "a<|im_end|>b",
    " <|im_end|> ",
    "\n<|im_end|>\n",
    "<|im_start|><|im_start|>user",
    "<|im_start",
    "|im_end|>",
    "<|im_end |>",
    "<|IM_END|>",
    "<<|im_end|>>",
    "<|im_<|im_end|>end|>",
    "<repo_name><reponame><file_sep><filename>",
    "<gh_stars><issue_start><issue_comment><issue_closed>",
    "<jupyter_start><jupyter_text><jupyter_code><jupyter_output><jupyter_script><empty_output>",
    "<repo_name>x<file_sep>y",
    "é<|im_end|>é 😀<|im_start|>日本",
    "<s> </s> <unk> [INST] <pad> <0x0A> ▁ Ġ Ċ",
    "<tool_call>\n{\"name\": \"f\"}\n</tool_call>",
    "<think>hm</think>",
]

ALPHABETS = [
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "0123456789.,-+",
    " \t\n\r",
    "!?.,;:'\"()[]{}<>|/\\@#$%^&*~`",
    "éüñøåßçžőğışÀÉÎÕ",
    "日本語中文字漢한국어ひらがなカタカナ",
    "абвгдежзАБВГαβγδΩשלוםمرحبا",
    "😀🎉👍🏽👩‍💻🇩🇪❤️\u200d",
    "\u0300\u0301\u0308\u00a0\u2003\u200b\ufeff",
]
WORDS = "the of and to in is that it was for on are with as his they at be this from I've don't 12 x2 foo_bar".split()
CONTROLS = ["<|im_start|>", "<|im_end|>", "<|endoftext|>", "<file_sep>", "<|im_", "end|>"]


def random_string(rng: random.Random) -> str:
    parts = []
    for _ in range(rng.randint(1, 12)):
        kind = rng.random()
        if kind < 0.35:
            parts.append(" ".join(rng.choices(WORDS, k=rng.randint(1, 6))))
        elif kind < 0.5:
            parts.append(rng.choice(CONTROLS))
        else:
            parts.append("".join(rng.choices(rng.choice(ALPHABETS), k=rng.randint(1, 10))))
    return "".join(part + rng.choice(["", "", " ", "\n"]) for part in parts)


def build(path: str) -> Tokenizer:
    fields = gguf.GGUFReader(path).fields
    tokens = fields["tokenizer.ggml.tokens"].contents()
    merges = [tuple(merge.split(" ")) for merge in fields["tokenizer.ggml.merges"].contents()]
    types = fields["tokenizer.ggml.token_type"].contents()
    tokenizer = Tokenizer(models.BPE({token: id for id, token in enumerate(tokens)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    controls = [token for token, type in zip(tokens, types) if type == CONTROL]
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in controls])
    return tokenizer


def main() -> None:
    tokenizer = build(sys.argv[1])
    rng = random.Random(20261121)
    texts = HAND_WRITTEN + [random_string(rng) for _ in range(200)]
    cases = [{"text": text} for text in dict.fromkeys(texts)]
    for special in (True, False):
        tokenizer.encode_special_tokens = not special
        for case in cases:
            case["special" if special else "plain"] = tokenizer.encode(case["text"]).ids
    target = ROOT / "test/golden/text/tokenizer-smollm2.json"
    lines = ",\n".join(json.dumps(case, ensure_ascii=True) for case in cases)
    target.write_text(f"[\n{lines}\n]\n", "utf-8")
    print(f"{len(cases)} strings")


if __name__ == "__main__":
    main()
