// Time to the first token of a new process behind a long system prompt, with and without the disk tier: each run is a
// process of its own, whose weights are in the page cache; the first one with the tier fills it and is not counted.
// Usage, after `npm run bootstrap`: node scripts/measure/restart.mjs MODEL [--tokens 4000] [--runs 5] [--load JSON]
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { runMain, SetupError } from '../lib/setup-error.mjs';

const TEXT = readFileSync(new URL('./opticks.txt', import.meta.url), 'utf8').split(/\s+/);
const REPLY_TOKENS = 16;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tokens: { type: 'string', default: '4000' },
    runs: { type: 'string', default: '5' },
    load: { type: 'string', default: '{}' },
    child: { type: 'string' },
  },
});
await runMain(values.child === undefined ? compare : reply);

/** One process: a reply behind the system prompt, told as JSON. */
async function reply() {
  const { openLocalModel } = await import(new URL('../../dist/run/open-local-model.js', import.meta.url));
  const { localSource } = await import(new URL('../../dist/model/model-source.js', import.meta.url));
  const tokens = Number(values.tokens);
  const chat = await openLocalModel(localSource(positionals[0], { cwd: process.cwd() }), {
    contextLength: tokens + 512,
    cwd: process.cwd(),
    env: process.env,
    diskCacheBytes: Number(values.child),
    ...JSON.parse(values.load),
  });
  const { model } = chat;
  const messagesOf = words => [
    { role: 'system', content: TEXT.slice(0, words).join(' ') },
    { role: 'user', content: 'What is light?' },
  ];
  let words = Math.round(tokens / 2);
  for (;;) {
    const missing = tokens - model.countTokens({ messages: messagesOf(words), tools: [] });
    if (missing <= 0) break;
    words += Math.max(1, Math.floor(missing / 2));
    if (words > TEXT.length) throw new SetupError('the text is too short for so many tokens');
  }
  const asked = performance.now();
  const sampling = { maxTokens: REPLY_TOKENS, temperature: 0 };
  const stream = model.reply({ messages: messagesOf(words), tools: [], sampling });
  let text = '';
  let first;
  for (;;) {
    const step = await stream.next();
    if (step.done) {
      await chat.close();
      const { cachedTokens, promptTokens } = step.value;
      console.log(JSON.stringify({ process: first, reply: first - asked, cachedTokens, promptTokens, text }));
      return;
    }
    if (step.value.type === 'prefill') continue;
    first ??= performance.now();
    text += step.value.text ?? '';
  }
}

async function compare() {
  const [source] = positionals;
  const runs = Number(values.runs);
  if (source === undefined || !(runs >= 1) || !(Number(values.tokens) >= 300)) {
    throw new SetupError(
      'Usage: node scripts/measure/restart.mjs MODEL [--tokens 4000] [--runs 5] [--load JSON]',
    );
  }
  const caches = mkdtempSync(join(tmpdir(), 'llm-host-restart-'));
  try {
    mkdirSync(join(caches, 'llm-host'));
    const present = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
    symlinkSync(join(present, 'llm-host', 'demo'), join(caches, 'llm-host', 'demo'));
    const run = async bytes => {
      const args = [fileURLToPath(import.meta.url), source, '--child', String(bytes)];
      for (const name of ['tokens', 'load']) args.push(`--${name}`, values[name]);
      const env = { ...process.env, XDG_CACHE_HOME: caches };
      const { stdout } = await promisify(execFile)(process.execPath, args, { env });
      return JSON.parse(stdout);
    };
    const LIMIT = 2 ** 36;
    await run(LIMIT);
    const rows = [];
    for (let index = 0; index < runs; index++) rows.push({ without: await run(0), with: await run(LIMIT) });
    report(rows);
  } finally {
    rmSync(caches, { recursive: true, force: true });
  }
}

function report(rows) {
  const spread = numbers => {
    const sorted = numbers.toSorted((a, b) => a - b);
    return [sorted[0], sorted[Math.floor((sorted.length - 1) / 2)], sorted.at(-1)];
  };
  for (const kind of ['without', 'with']) {
    const of = key => spread(rows.map(row => row[kind][key])).map(ms => ms.toFixed(0));
    const { cachedTokens, promptTokens } = rows[0][kind];
    console.log(
      `${kind.padEnd(8)} ${of('process').join(' / ')} ms from the process's start to the first token, ` +
        `${of('reply').join(' / ')} ms from the request; ${cachedTokens} of ${promptTokens} tokens from the disk`,
    );
  }
  for (const key of ['process', 'reply']) {
    const ratios = spread(rows.map(row => row.with[key] / row.without[key])).map(ratio => ratio.toFixed(3));
    console.log(`with over without, from the ${key}: ${ratios.join(' / ')}`);
  }
  const same = rows.every(
    row => row.with.text === rows[0].without.text && row.without.text === rows[0].without.text,
  );
  console.log(same ? 'every text is the same' : 'THE TEXTS DIFFER');
}
