import { percentiles, streamed } from './load.mjs';

/** One number of /metrics. */
async function metric(url, name) {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^llm_host_${name} (\\S+)`, 'm').exec(text)?.[1]);
}

/**
 * Clients that disconnect in mid-stream: milliseconds until the engine is free, and tokens generated beyond those the
 * client had read.
 */
export async function measureDisconnects({ url }, times) {
  const freeMs = [];
  const beyond = [];
  for (let count = 0; count < times; count += 1) {
    const stop = new AbortController();
    const before = await metric(url, 'generated_tokens_total');
    const messages = [{ role: 'user', content: `Write a very long story, part ${count}.` }];
    let read = 0;
    let left;
    await streamed(
      url,
      { messages, temperature: 1, seed: count, max_tokens: 2000 },
      {
        signal: stop.signal,
        onPieces: pieces => {
          read += pieces;
          if (read < 10) return;
          left ??= performance.now();
          stop.abort();
        },
      },
    ).catch(() => undefined);
    if (left === undefined) continue; // the reply was shorter
    // Its place is released after the engine; its tokens are counted before.
    while ((await metric(url, 'requests_admitted')) !== 0);
    freeMs.push(performance.now() - left);
    beyond.push((await metric(url, 'generated_tokens_total')) - before - read);
  }
  return {
    disconnects: freeMs.length,
    engineFreeMs: percentiles(freeMs),
    tokensBeyondRead: { p50: percentiles(beyond).p50, max: Math.max(...beyond) },
  };
}

/** A stream while others send a prompt of some 4,000 tokens: milliseconds between its pieces before that, and during it. */
export async function measureGaps({ url }, times) {
  const alone = [];
  const beside = [];
  for (let count = 0; count < times; count += 1) {
    const stop = new AbortController();
    let gaps = alone;
    let last;
    let started = () => undefined;
    const running = new Promise(resolve => {
      started = resolve;
    });
    // No chat, in which tokens of a tool call are no pieces; and the tokens that would end it are banned.
    const prompt = `Part ${count} of a very long story. Once upon a time`;
    const endless = { prompt, max_tokens: 4000, logit_bias: { 0: -100, 2: -100 } };
    const story = streamed(url, endless, {
      signal: stop.signal,
      onPieces: () => {
        const now = performance.now();
        if (last !== undefined) gaps.push(now - last);
        last = now;
        if (alone.length >= 40 * (count + 1)) started();
      },
    }).catch(() => undefined);
    await running;
    gaps = beside;
    const pad = `Number ${count}. ${'The quick brown fox jumps over the lazy dog. '.repeat(400)}`;
    const { usage } = await streamed(url, { max_tokens: 1, messages: [{ role: 'user', content: pad }] });
    if (usage.prompt_tokens_details?.cached_tokens > 200) throw new Error('the prompt was cached');
    stop.abort();
    await story;
  }
  const longest = list => Math.round(Math.max(...list));
  return {
    longPrompts: times,
    alone: { ...percentiles(alone), longest: longest(alone) },
    beside: { ...percentiles(beside), longest: longest(beside) },
  };
}

/** Two clients that take turns in a long conversation each: tokens of each prompt, and those of them from the cache. */
export async function measureAlternation({ url }, turns) {
  const pad = 'The quick brown fox jumps over the lazy dog. '.repeat(60);
  const conversations = ['A', 'B'].map(name => [{ role: 'user', content: `Story ${name}. ${pad}` }]);
  const lines = [];
  for (let turn = 1; turn <= turns; turn += 1) {
    for (const [index, messages] of conversations.entries()) {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ messages, max_tokens: 24, temperature: 0, user: `client-${index}` }),
      });
      const { usage, choices } = await response.json();
      const cached = usage.prompt_tokens_details.cached_tokens;
      const prompt = usage.prompt_tokens;
      lines.push({ client: 'AB'[index], turn, prompt, cached, read: prompt - cached });
      messages.push(choices[0].message, { role: 'user', content: 'Go on, please.' });
    }
  }
  return lines;
}
