import { Readable } from 'node:stream';
import { limitedBody } from '../../../src/mcp/transport/guarded-fetch.ts';
import { MessageReader } from '../../../src/mcp/transport/message-reader.ts';
import { messagesBody, toMessagesTurn } from '../../../src/serve/anthropic/request.ts';
import { ApiError } from '../../../src/serve/http/api-error.ts';
import { readBody } from '../../../src/serve/http/body-fields.ts';
import type { ServeContext } from '../../../src/serve/http/serve-context.ts';
import {
  generateBody,
  chatBody as ollamaBody,
  toTurn as toOllamaTurn,
  toPromptTurn,
} from '../../../src/serve/ollama/requests.ts';
import { chatBody, toTurn } from '../../../src/serve/openai/chat-request.ts';
import { toMessages } from '../../../src/serve/openai/messages.ts';
import { responsesBody, toResponseTurn } from '../../../src/serve/openai/responses-request.ts';
import { LineSplitter } from '../../../src/text/line-splitter.ts';
import type { FuzzTarget } from '../harness/target.ts';

const MESSAGE = '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a"}]}}\n';

/** The first byte chooses where the bytes are cut. */
const serverStream: FuzzTarget = {
  name: 'server-stream',
  waits: true,
  files: /src\/(mcp\/transport\/(message-reader|limited-body)|text\/line-splitter)\.ts/,
  seeds: () => [
    `\u0007${MESSAGE}${MESSAGE}`,
    `\u0001log line\n{"jsonrpc":"2.0","method":"notifications/progress"}\r\n`,
    '\u0003data: {"jsonrpc":"2.0"}\n\n',
  ],
  dictionary: [
    '{"jsonrpc":"2.0","id":"a","error":{"code":1,"message":""}}',
    '\ufeff',
    'event: message\n',
    'data: ',
    '\n\n',
    '\r',
  ],
  run: async input => {
    const step = 1 + (input[0] ?? 0);
    const bytes = Buffer.from(input.subarray(1));
    const read = (size: number): string[] => {
      const seen: string[] = [];
      const reader = new MessageReader({
        onMessage: message => seen.push(`message ${JSON.stringify(message)}`),
        onJunk: line => seen.push(`junk ${line}`),
        onFatal: reason => seen.push(`fatal ${reason}`),
      });
      for (let at = 0; at < bytes.length; at += size)
        for (const _ of reader.push(bytes.subarray(at, at + size))) void _;
      return seen;
    };
    const [whole, cut] = [read(bytes.length || 1), read(step)];
    if (JSON.stringify(whole) !== JSON.stringify(cut))
      throw new Error(`cut into ${step}: ${cut} instead of ${whole}`);
    const splitter = new LineSplitter(16);
    for (const line of splitter.push(bytes))
      if (line.type === 'line' && Buffer.byteLength(line.text) > 48) throw new Error('too long');
    for await (const _ of limitedBody(Readable.from([bytes]), { stream: true, id: 1 })) void _;
  },
};

const CHAT = {
  model: 'm',
  messages: [{ role: 'user', content: 'hi' }],
  temperature: 0.5,
  stop: ['a'],
  tools: [{ type: 'function', function: { name: 'f', parameters: {} } }],
};
const PARTS = {
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'a' }] },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: '1', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: '1', content: 'r' },
  ],
};
const RESPONSES = {
  model: 'm',
  input: [
    { role: 'user', content: [{ type: 'input_text', text: 'a' }] },
    { type: 'function_call_output', call_id: '1', output: 'r' },
  ],
  text: { format: { type: 'json_schema', name: 'n', schema: {} } },
};
const MESSAGES = {
  model: 'm',
  max_tokens: 5,
  system: [{ type: 'text', text: 's' }],
  messages: [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'f', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: '1', content: 'r', is_error: true }] },
  ],
  tools: [{ name: 'f', input_schema: { type: 'object' } }],
  tool_choice: { type: 'any' },
};
const OLLAMA = {
  model: 'm',
  messages: [{ role: 'user', content: 'a' }],
  options: { num_predict: -1, top_p: 0.5, stop: 'x' },
  format: 'json',
};

/** What the readers ask of the server. */
const CONTEXT = {
  model: { vocabSize: 100 },
  turns: {
    toolNames: (own: readonly { function: { name: string } }[]) => own.map(tool => tool.function.name),
  },
} as unknown as ServeContext;

/** One body, read as each API would. What is wrong with it is an ApiError of status 400, and nothing else. */
const httpBody: FuzzTarget = {
  name: 'http-body',
  files: /src\/serve\/(http|openai|ollama|anthropic)\/[\w-]+\.ts/,
  seeds: () =>
    [CHAT, PARTS, RESPONSES, MESSAGES, OLLAMA, { model: 'm', prompt: 'a', system: 's', raw: true }].map(
      body => JSON.stringify(body),
    ),
  dictionary: [
    '"tool_choice":"required"',
    '"logit_bias":{"1":2}',
    '"response_format":{"type":"json_object"}',
    '"max_tokens":0',
    '"seed":-1',
    '"content":null',
    '"image_url"',
    '"format":{}',
    '"input":"a"',
  ],
  run: input => {
    let body: unknown;
    try {
      body = JSON.parse(Buffer.from(input).toString('utf8'));
    } catch {
      return;
    }
    const readers = [
      () => {
        const read = readBody(chatBody, body);
        return toTurn(read, toMessages(read.messages), CONTEXT, 'auto');
      },
      () => toResponseTurn(readBody(responsesBody, body), [], CONTEXT, 'auto'),
      () => toMessagesTurn(readBody(messagesBody, body), CONTEXT, 'auto'),
      () => toOllamaTurn(readBody(ollamaBody, body), CONTEXT, 'auto'),
      () => toPromptTurn(readBody(generateBody, body)),
    ];
    for (const reader of readers) {
      try {
        reader();
      } catch (error) {
        if (!(error instanceof ApiError) || error.status >= 500) throw error;
      }
    }
  },
};

export const WIRE_TARGETS: readonly FuzzTarget[] = [serverStream, httpBody];
