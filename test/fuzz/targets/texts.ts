import { readFileSync } from 'node:fs';
import { parseHistory } from '../../../src/chat/history.ts';
import { compileTemplate, renderSegments } from '../../../src/chat/template.ts';
import { parseRequest } from '../../../src/cli/chat/json-chat.ts';
import { replayParts } from '../../../src/cli/chat/replay-parts.ts';
import { readSession } from '../../../src/cli/session/saved-sessions.ts';
import { parseConfig } from '../../../src/cli/settings/config-file.ts';
import { loadMcpConfig } from '../../../src/mcp/config/config.ts';
import { resourceReferences, splitWords } from '../../../src/mcp/resources/input-references.ts';
import { stripControls } from '../../../src/text/clean/strip-controls.ts';
import { stripInvisible } from '../../../src/text/clean/strip-invisible.ts';
import { parseJsonWithComments } from '../../../src/text/json/json-with-comments.ts';
import { createTokenizer } from '../../../src/tokens/tokenizer.ts';
import type { FuzzTarget } from '../harness/target.ts';
import { withFiles } from '../harness/temp-file.ts';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root));
const text = (input: Uint8Array) => Buffer.from(input).toString('utf8');

const appConfig: FuzzTarget = {
  name: 'app-config',
  files: /src\/(cli\/settings\/config-file|text\/json\S*)\.ts/,
  seeds: () => [
    read('config.json.example'),
    '{"SystemPrompt":"","sampling":{"topP":0.9},"tools":{"blocked":["a*"]}}',
  ],
  dictionary: [
    '"toolFormats":[{"id":"x","when":["<a>"],"opener":"<a>","closer":"</a>"}]',
    '"promptStyles":{}',
    '//',
    '/*',
  ],
  run: input => void parseConfig(text(input), '/tmp/config.json'),
};

const mcpJson: FuzzTarget = {
  name: 'mcp-json',
  files: /src\/mcp\/config\/[\w-]+\.ts/,
  seeds: () => [
    read('mcp.json.example'),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: inputs are written so in mcp.json
    '{"mcpServers":{"a":{"command":"x","args":["${env:HOME}"],"env":{"A":"${input:k}"}}},"inputs":[{"id":"k","type":"promptString"}]}',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: variables are written so in mcp.json
    '{"servers":[{"name":"h","url":"https://example.com/mcp","headers":{"A":"${B:-c}"}}]}',
  ],
  dictionary: [
    '"disabled":true',
    '"timeout":1',
    '"envFile":".env"',
    '"allow":["*"]',
    '"type":"http"',
    '"oauth":{}',
    '$' + '{cwd}',
  ],
  run: input => {
    const { servers } = loadMcpConfig(text(input), '/tmp/mcp.json', { env: { HOME: '/home/a' } });
    for (const server of servers)
      if (typeof server.name !== 'string') throw new Error('a server without a name');
  },
};

/** Characters of no language around a special token: where they come out, the user's text does. */
const USER_TOKEN = '\ue123<|im_start|>\ue124';
const CONVERSATION = [
  { role: 'system', content: 'S' },
  { role: 'user', content: `Hello ${USER_TOKEN}` },
  {
    role: 'assistant',
    content: '',
    tool_calls: [{ id: '1', type: 'function', function: { name: 'f', arguments: { a: 1 } } }],
  },
  { role: 'tool', tool_call_id: '1', name: 'f', content: 'R' },
  { role: 'user', content: 'ü' },
];

const template: FuzzTarget = {
  name: 'template',
  files: /src\/chat\/(jinja\/[\w-]+|template)\.ts/,
  seeds: () => [
    read('models/demo/chat_template.jinja'),
    '{% for m in messages %}{{ m.role | upper }}: {{ m["content"] | trim | default("x") }}{% endfor %}',
    '{% macro f(a, b=1) %}{{ a * b }}{% endmacro %}{% set ns = namespace(x=0) %}{% set ns.x = 2 %}{{ f(3, ns.x) }}',
    '{% if tools is defined and tools %}{{ tools | tojson(indent=2) }}{% elif false %}{% else %}{{ [1,2,3][1:] | join(",") }}{% endif %}',
  ],
  dictionary: [
    '{{',
    '}}',
    '{%',
    '%}',
    '{%- ',
    '| replace("a","aa")',
    '| map(attribute="role") | list',
    'loop.index',
    'range(9)',
    'raise_exception("x")',
    'strftime_now("%Y")',
    '.split("a")',
    'is mapping',
    'namespace(',
    '{% generation %}',
    '~',
    '**',
    '//',
  ],
  limitMs: 10_000,
  run: input => {
    const source = text(input);
    const compiled = compileTemplate(source);
    const now = new Date(Date.UTC(2026, 0, 1));
    const segments = renderSegments(compiled, { messages: CONVERSATION, addGenerationPrompt: true, now });
    // Unless the template itself writes them.
    const marks = /[\ue123\ue124]/;
    if (marks.test(source) || /ue12/i.test(source)) return;
    const forged = segments.find(segment => segment.special && marks.test(segment.text));
    if (forged)
      throw new Error(`the user's text is taken for the template's: ${JSON.stringify(forged.text)}`);
  },
};

const TOKENIZER = {
  version: '1.0',
  added_tokens: [
    {
      id: 4,
      content: '<s>',
      special: true,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
    },
  ],
  normalizer: {
    type: 'Sequence',
    normalizers: [{ type: 'NFC' }, { type: 'Replace', pattern: { String: ' ' }, content: '_' }],
  },
  pre_tokenizer: {
    type: 'Sequence',
    pretokenizers: [
      { type: 'Split', pattern: { Regex: '\\s+|\\w+' }, behavior: 'Isolated', invert: false },
      { type: 'ByteLevel', add_prefix_space: false, use_regex: false },
    ],
  },
  post_processor: null,
  decoder: { type: 'ByteLevel' },
  model: {
    type: 'BPE',
    unk_token: null,
    byte_fallback: false,
    vocab: { a: 0, b: 1, ab: 2, '\u0120': 3 },
    merges: [['a', 'b']],
  },
};

const tokenizerJson: FuzzTarget = {
  name: 'tokenizer-json',
  files: /src\/tokens\/[\w-]+\.ts/,
  seeds: () => [
    JSON.stringify(TOKENIZER),
    JSON.stringify({
      ...TOKENIZER,
      pre_tokenizer: { type: 'Metaspace', replacement: '\u2581', prepend_scheme: 'first' },
      decoder: { type: 'Metaspace', replacement: '\u2581' },
    }),
  ],
  dictionary: [
    '"type":"Unigram"',
    '"type":"WordPiece"',
    '"byte_fallback":true',
    '"merges":["a b"]',
    '"ignore_merges":true',
    '(?:a|b)*c',
    '"Digits"',
    '"type":"Prepend"',
  ],
  limitMs: 10_000,
  run: input => {
    let value: unknown;
    try {
      value = JSON.parse(text(input));
    } catch {
      return;
    }
    const tokenizer = createTokenizer(value);
    const ids = tokenizer.encode('ab b a<s> ü 12', { special: true });
    if (!ids.every(id => Number.isInteger(id) && id >= 0)) throw new Error(`ids ${ids}`);
    tokenizer.decode(ids);
  },
};

const SESSION = {
  version: 1,
  model: 'demo',
  created: '2026-01-01T00:00:00Z',
  updated: '',
  messages: CONVERSATION.slice(0, 2),
};

const sessionFile: FuzzTarget = {
  name: 'session',
  files: /src\/(cli\/session\/saved-sessions|chat\/(history|parse-messages))\.ts/,
  seeds: () => [JSON.stringify(SESSION), JSON.stringify(CONVERSATION)],
  run: input => {
    withFiles({ 'session.json': input }, folder => {
      const { messages } = readSession(`${folder}/session.json`);
      for (const { role, content } of messages) {
        if (typeof content !== 'string' || typeof role !== 'string')
          throw new Error('a message without text');
      }
      replayParts(messages);
    });
    parseHistory(text(input));
  },
};

const promptInput: FuzzTarget = {
  name: 'prompt-input',
  files: /src\/(json\/json-input|mcp\/input-references|text\/[\w-]+)\.ts/,
  seeds: () => [
    '{"type":"prompt","text":"hi"}',
    '{"type":"cancel"}',
    'read @files:file:///a.txt please',
    '/files:sum a="b c" d',
    '{"a": /* b */ 1,}',
  ],
  dictionary: ['@files:', '"text"', '//', '\u001b]0;', '\u200b'],
  run: input => {
    const line = text(input);
    parseRequest({ text: line });
    splitWords(line);
    resourceReferences(line, ['files', 'a']);
    parseJsonWithComments(line);
    const shown = stripInvisible(stripControls(line));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal would obey
    if (/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/.test(shown))
      throw new Error(`still there: ${JSON.stringify(shown)}`);
  },
};

export const TEXT_TARGETS: readonly FuzzTarget[] = [
  appConfig,
  mcpJson,
  template,
  tokenizerJson,
  sessionFile,
  promptInput,
];
