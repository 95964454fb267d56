import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { McpHost } from '../../src/mcp/host/mcp-host.ts';
import type { ElicitationRequest } from '../../src/mcp/server/elicitation.ts';
import { fixture } from '../fixtures/mcp/support.ts';

const LIMIT = { timeoutMs: 20_000 };
const NOTHING = { timeoutMs: 5000 };

async function withTasks(
  era: string,
  behaviour: string,
  work: (host: McpHost, log: readonly string[]) => Promise<void>,
): Promise<void> {
  const protocol = era === 'old' ? 'legacy' : 'auto';
  const log: string[] = [];
  const host = new McpHost({
    configs: [fixture('tasks', [era, behaviour], { protocol })],
    onLog: (_server, line) => log.push(line),
  });
  try {
    await host.start();
    await work(host, log);
  } finally {
    await host.close();
  }
}

/** Polls until it is so. */
async function until(check: () => Promise<boolean>, limitMs: number): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await check())) {
    if (performance.now() > end) throw new Error('it did not become so');
    await sleep(50);
  }
}

const report = async (host: McpHost) => JSON.parse((await host.call('report', {}, LIMIT)).text);

// Each with a server of its own, and most of the time waiting for a poll.
describe.concurrent.each(['old', 'new'])('a task of the %s era', era => {
  it('is followed to its result, with its news', () =>
    withTasks(era, 'plain', async host => {
      const news: unknown[] = [];
      const outcome = await host.call(
        'work',
        {},
        { ...LIMIT, onProgress: progress => news.push(progress.message) },
      );
      expect(outcome).toEqual({ text: 'worked', isError: false });
      expect(news).toEqual(['step 0', 'step 1']);
    }));

  it('that fails: its reason', () =>
    withTasks(era, 'fails', async host => {
      await expect(host.call('work', {}, LIMIT)).rejects.toThrow(
        "Tool 'work' failed as a task: it failed: out of paper",
      );
    }));

  it('that its tool reports as failed: in its words, where the server has them', () =>
    withTasks(era, 'fails-in-words', async host => {
      const told = host.call('work', {}, LIMIT);
      if (era === 'old') expect(await told).toEqual({ text: 'Tray 2 is empty.', isError: true });
      else await expect(told).rejects.toThrow("Tool 'work' failed as a task: it failed: out of paper");
    }));

  it('that its server has forgotten', () =>
    withTasks(era, 'forgets', async host => {
      await expect(host.call('work', {}, LIMIT)).rejects.toThrow(/Task not found/);
    }));

  it('with wrong types', () =>
    withTasks(era, 'wrong-types', async host => {
      await expect(host.call('work', {}, LIMIT)).rejects.toThrow('a task without a valid taskId and status');
    }));

  it('that is answered with the state of another', () =>
    withTasks(era, 'other-id', async host => {
      await expect(host.call('work', {}, LIMIT)).rejects.toThrow('the server answered for another task');
    }));

  it('whose words have escapes: clean', () =>
    withTasks(era, 'escapes', async host => {
      const news: unknown[] = [];
      await host.call('work', {}, { ...LIMIT, onProgress: progress => news.push(progress.message) });
      expect(new Set(news)).toEqual(new Set(['at it']));
    }));

  it('that is cancelled: the server is told, and asked no more', () =>
    withTasks(era, 'endless', async host => {
      const controller = new AbortController();
      const call = host.call('work', {}, { ...LIMIT, signal: controller.signal });
      await until(async () => (await report(host)).polls > 0, 10_000);
      controller.abort();
      await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
      await until(async () => (await report(host)).cancelled, 5000);
      const { polls } = await report(host);
      await sleep(600);
      expect((await report(host)).polls).toBe(polls);
    }));

  it('that wants a poll every 0 ms: five a second at most', () =>
    withTasks(era, 'endless', async host => {
      void host.call('work', {}, LIMIT).catch(() => undefined);
      const begun = performance.now();
      await sleep(1500);
      const { polls } = await report(host);
      expect(polls).toBeLessThanOrEqual((5 * (performance.now() - begun)) / 1000 + 1);
    }));

  it('that asks the user', () =>
    withTasks(era, 'asks', async host => {
      const asked: ElicitationRequest[] = [];
      host.setElicitation(async request => {
        asked.push(request);
        return { action: 'accept', content: { one: 'this' } };
      });
      expect((await host.call('work', {}, LIMIT)).text).toBe('worked');
      expect(asked.map(({ message }) => message)).toEqual(['Which one?']);
      expect((await report(host)).given).toEqual({ action: 'accept', content: { one: 'this' } });
    }));

  it.each(era === 'old' ? ['asks', 'asks-early'] : ['asks'])(
    "that %s: the time that the user takes is not the call's",
    behaviour =>
      withTasks(era, behaviour, async host => {
        // Longer than the call may take, which a busy machine may need a second of.
        host.setElicitation(async () => {
          await sleep(3500);
          return { action: 'accept', content: { one: 'this' } };
        });
        const told: boolean[] = [];
        const options = { timeoutMs: 2500, onWaiting: (waiting: boolean) => void told.push(waiting) };
        expect((await host.call('work', {}, options)).text).toBe('worked');
        // Asked early, the call may have a request behind it and the next one not begun for a moment.
        expect(told.length).toBeGreaterThan(0);
        expect(told).toEqual(told.map((_, index) => index % 2 === 0));
        expect(told.at(-1)).toBe(false);
      }),
  );

  it('that asks the user: the question goes on when another call is cancelled, and ends with its own', () =>
    withTasks(era, 'asks', async (host, log) => {
      let asked: AbortSignal | undefined;
      host.setElicitation((_request, signal) => {
        asked = signal;
        return new Promise(resolve => signal.addEventListener('abort', () => resolve({ action: 'cancel' })));
      });
      const [own, other] = [new AbortController(), new AbortController()];
      const held = host.call('report', { hold: true }, { ...LIMIT, signal: other.signal });
      await until(async () => log.includes('holding'), 10_000);
      const work = host.call('work', {}, { ...LIMIT, signal: own.signal });
      await until(async () => asked !== undefined, 10_000);
      other.abort();
      await expect(held).rejects.toMatchObject({ code: 'CANCELLED' });
      expect(asked?.aborted).toBe(false);
      own.abort();
      await expect(work).rejects.toMatchObject({ code: 'CANCELLED' });
      await until(async () => asked?.aborted === true, 5000);
    }));

  it('that outlives its call: told at once as running, and with the next prompt as done', () =>
    withTasks(era, 'long', async host => {
      const outcome = await host.call('work', {}, { timeoutMs: 700 });
      expect(outcome.text).toMatch(/^The tool 'work' is still at work as a task\. It stands at: step \d\. /);
      expect((await host.prepareInput('hello', NOTHING)).text).toBe('hello');
      let notices: readonly string[] = [];
      await until(async () => {
        notices = host.takeNotices();
        return notices.some(notice => notice.includes('is done'));
      }, 10_000);
      expect(notices).toContain(
        "The task of 'work' (server 'tasks') is done; the model is told with your next prompt.",
      );
      expect((await host.prepareInput('hello', NOTHING)).text).toBe(
        "[The task of the tool 'work' is done]\nworked\n\nhello",
      );
      expect((await host.prepareInput('hello', NOTHING)).text).toBe('hello');
    }));

  it('that outlives its call: its result is told as the model may see results', () =>
    withTasks(era, 'long', async host => {
      await host.call('work', {}, { timeoutMs: 700 });
      await until(async () => host.takeNotices().some(notice => notice.includes('is done')), 10_000);
      const cut = (tool: string, text: string) => `${tool}: ${text.slice(0, 4)}...`;
      const told = "[The task of the tool 'work' is done]\nwork: work...\n\nhello";
      const prepared = await host.prepareInput('hello', { ...NOTHING, cut });
      expect(prepared.text).toBe(told);
      prepared.giveBack?.();
      expect((await host.prepareInput('hello', { ...NOTHING, cut })).text).toBe(told);
      expect((await host.prepareInput('hello', { ...NOTHING, cut })).text).toBe('hello');
    }));

  it('that outlives its call: an image that it gives is saved as those of other calls', () =>
    withTasks(era, 'draws', async host => {
      await host.call('work', {}, { timeoutMs: 700 });
      await until(async () => host.takeNotices().some(notice => notice.includes('is done')), 10_000);
      const { text } = await host.prepareInput('hello', NOTHING);
      const [, path = ''] = /\[image image\/png, 8 bytes, saved as (\S+\.png)\]/.exec(text) ?? [];
      expect(readFileSync(path).subarray(1, 4).toString()).toBe('PNG');
    }));

  it('that outlives its call where no prompt may follow: waited for, which is told once', () =>
    withTasks(era, 'long', async host => {
      const limits: number[] = [];
      const options = { timeoutMs: 700, onLongTask: (limitMs: number) => void limits.push(limitMs) };
      expect(await host.call('work', {}, options)).toEqual({ text: 'worked', isError: false });
      expect(limits).toEqual([7000]);
      expect((await host.prepareInput('hello', NOTHING)).text).toBe('hello');
    }));

  it('that takes ten times as long there: cancelled, also at the server', () =>
    withTasks(era, 'endless', async host => {
      await expect(
        host.call('work', {}, { timeoutMs: 100, onLongTask: () => undefined }),
      ).rejects.toMatchObject({
        code: 'TOOL_TIMEOUT',
        message: "Tool 'work' timed out after 1.0s as a task, which was cancelled",
      });
      await until(async () => (await report(host)).cancelled, 5000);
    }));

  it('in the background at the end of the host: cancelled at the server', () =>
    withTasks(era, 'endless', async (host, log) => {
      await host.call('work', {}, { timeoutMs: 300 });
      expect(log).not.toContain('cancelled');
      await host.close();
      expect(log).toContain('cancelled');
    }));

  it('waited for at the end of the host: cancelled at the server', () =>
    withTasks(era, 'endless', async (host, log) => {
      const call = host.call('work', {}, LIMIT);
      await until(async () => (await report(host)).polls > 0, 10_000);
      await Promise.all([host.close(), expect(call).rejects.toMatchObject({ code: 'CANCELLED' })]);
      expect(log).toContain('cancelled');
    }));

  it('that its server does not cancel: the host closes all the same', () =>
    withTasks(era, 'deaf', async host => {
      await host.call('work', {}, { timeoutMs: 300 });
      const began = performance.now();
      await host.close();
      expect(performance.now() - began).toBeLessThan(5000);
    }));

  it('two with the same id: the second is refused', () =>
    withTasks(era, 'endless', async host => {
      const first = host.call('work', {}, { timeoutMs: 1000 });
      await until(async () => (await report(host)).polls > 0, 10_000);
      await expect(host.call('work', {}, LIMIT)).rejects.toThrow('the id of another task');
      expect((await first).text).toContain('still at work');
    }));
});
