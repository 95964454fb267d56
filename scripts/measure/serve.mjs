// Load from many clients on `llm-host serve demo --no-mcp --cache-mb 128`, which it starts, and with --compare also on
// mlx_lm.server with the same weights. Each client sends a prompt, reads the stream to its end and repeats. Prints a line
// of JSON per server and number of clients: replies, 429s, other errors, time to first token, between tokens and to the
// end (milliseconds, p50 and p99), total tokens per second, resident memory (Linux).
// Usage, after `npm run bootstrap`:
//   node scripts/measure/serve.mjs [--clients 1,8,32] [--seconds 60] [--tokens 24] [--compare]
//   node scripts/measure/serve.mjs --clients "" --disconnects 20   disconnecting clients: when the engine is free again
//   node scripts/measure/serve.mjs --clients "" --long-prompts 3   gaps of a stream while a long prompt is read
//   node scripts/measure/serve.mjs --clients "" --alternate 4      two alternating conversations: tokens from the cache
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { serveDemo } from '../lib/served-demo.mjs';
import { reportUncaught, runMain, SetupError } from '../lib/setup-error.mjs';
import { measureLoad, streamed } from './serve/load.mjs';
import { serveMlxLm } from './serve/mlx-lm-server.mjs';
import { measureAlternation, measureDisconnects, measureGaps } from './serve/probes.mjs';

reportUncaught();

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '1,8,32' },
    seconds: { type: 'string', default: '60' },
    tokens: { type: 'string', default: '24' },
    disconnects: { type: 'string', default: '0' },
    'long-prompts': { type: 'string', default: '0' },
    alternate: { type: 'string', default: '0' },
    compare: { type: 'boolean', default: false },
    'cache-mb': { type: 'string', default: '128' },
  },
});
const clientCounts = values.clients.split(',').filter(Boolean).map(Number);
if (![...clientCounts, values.seconds, values.tokens].every(number => number > 0)) {
  console.error('--clients takes numbers with commas, --seconds and --tokens take one each, all above 0');
  process.exit(2);
}
const print = line => console.log(JSON.stringify(line));

await runMain(async () => {
  const servers = [
    {
      name: 'llm-host',
      ...(await serveDemo(['--no-mcp', '--no-repetition-guard', '--cache-mb', values['cache-mb']])),
    },
  ];
  try {
    if (values.compare) servers.push({ name: 'mlx_lm.server', ...(await serveMlxLm()) });
    for (const { name, url } of servers) {
      // Warm-up.
      const messages = [{ role: 'user', content: 'Hello' }];
      const { status } = await streamed(url, { max_tokens: 8, messages });
      if (status !== 200) throw new SetupError(`${name} answers ${status}`);
    }
    for (const clients of clientCounts) {
      for (const { name, url, pid } of servers) {
        const load = { clients, seconds: Number(values.seconds), tokens: Number(values.tokens) };
        const server = { url, pid: existsSync(`/proc/${pid}/status`) ? pid : undefined };
        print({ server: name, ...(await measureLoad(server, load)) });
      }
    }
    const [own] = servers;
    if (values.disconnects !== '0') print(await measureDisconnects(own, Number(values.disconnects)));
    if (values['long-prompts'] !== '0') print(await measureGaps(own, Number(values['long-prompts'])));
    for (const line of await measureAlternation(own, Number(values.alternate))) print(line);
  } finally {
    await Promise.all(servers.map(server => server.stop()));
  }
});
