// The real program with one part replaced: the engine replays the replies of a file instead of computing them.
// LLM_HOST_SCRIPT names a JSON file: { "replies": ["text", ...], "msPerToken": 0, "charsPerToken": 1, "contextLength": 8192,
// "openMs", "closeMs": how long the model takes to load and to close, "hangAt": "x", "module": a file whose reply(prompt) answers instead, "throwAt": "x", "noiseAt": "x", "blockAt": "x", "blockMs": 1e9 }
import { readFileSync } from 'node:fs';
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises';
import { LocalChatModel } from '../../dist/agent/model/local-model.js';
import { probeTemplate } from '../../dist/chat/capability.js';
import { compileTemplate } from '../../dist/chat/template.js';
import { runProgram } from '../../dist/cli/program.js';

const script = JSON.parse(readFileSync(process.env.LLM_HOST_SCRIPT, 'utf8'));
const source = readFileSync(new URL('../../models/demo/chat_template.jinja', import.meta.url), 'utf8');

const FOREVER = 1e9;

const { reply: replyTo } = script.module ? await import(script.module) : {};

/** One token per character: enough for the stages around the engine to be the real ones. */
const tokenizer = {
  vocabSize: 0x110000,
  bosToken: undefined,
  eosToken: undefined,
  encode: text => Array.from(text, character => character.codePointAt(0)),
  encodeSegments: segments => segments.flatMap(segment => tokenizer.encode(segment.text)),
  decode: ids => String.fromCodePoint(...ids),
  stream: () => ({ push: id => String.fromCodePoint(id), end: () => '' }),
  idOf: () => undefined,
};

const engine = {
  info: {
    name: 'scripted',
    modelType: 'scripted',
    contextLength: script.contextLength ?? 100_000,
    vocabSize: 0x110000,
    parameters: 0,
    weightBytes: 0,
    device: 'none',
  },
  async *events(request) {
    const prompt = replyTo && String.fromCodePoint(...request.promptIds.slice(-4000));
    const reply = replyTo?.(prompt) ?? script.replies.shift() ?? 'The script is over.';
    const promptTokens = request.promptIds.length;
    yield { type: 'prefill', done: promptTokens, total: promptTokens, cached: 0 };
    let generatedTokens = 0;
    let finishReason = 'stop';
    const size = script.charsPerToken ?? 1;
    const pieces = size === 1 ? reply : reply.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g'));
    const started = performance.now();
    for (const text of pieces) {
      // By the clock, so that a late timer does not slow the stream down.
      const due = started + (generatedTokens + 1) * (script.msPerToken ?? 0) - performance.now();
      if (due > 0) await sleep(due);
      else if (script.msPerToken) await immediate();
      if (request.signal?.aborted) {
        finishReason = 'cancelled';
        break;
      }
      generatedTokens += 1;
      if (text === script.throwAt)
        setImmediate(() => {
          throw new Error('thrown by the script');
        });
      if (text === script.noiseAt) makeNoise();
      if (text === script.hangAt) await sleep(FOREVER);
      if (text === script.blockAt) block(script.blockMs ?? Number.POSITIVE_INFINITY);
      yield { type: 'token', token: { id: text.codePointAt(0), text } };
    }
    const timings = { firstTokenMs: 1, prefillMs: 1, decodeMs: performance.now() - started };
    return { finishReason, promptTokens, cachedTokens: 0, generatedTokens, timings };
  },
  close: async () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
};

/** As a hostile pattern or template would: nothing else runs. */
function block(ms) {
  process.stderr.write('blocked\n');
  for (const end = performance.now() + ms; performance.now() < end; );
  process.stderr.write('going on\n');
}

/** What a library may write beside the program. */
function makeNoise() {
  process.emitWarning('noise of Node');
  process.stderr.write('noise on stderr\n');
  console.log('noise of %s', 'the console');
}

async function openModel(_source, { repetitionGuard }) {
  await sleep(script.openMs ?? 0);
  const compiled = compileTemplate(source);
  const template = { compiled, source, capability: probeTemplate(compiled) };
  return {
    model: new LocalChatModel({ engine, tokenizer, template, repetitionGuard, now: new Date() }),
    name: 'scripted',
    device: 'none',
    description: 'scripted',
    notices: [],
    close: async () => {
      if (script.closeMs) process.stderr.write('closing\n');
      await sleep(script.closeMs ?? 0);
    },
  };
}

await runProgram(openModel);
