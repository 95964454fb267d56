import { expect, it } from 'vitest';
import type { ElicitationRequest } from '../../../src/mcp/server/elicitation.ts';
import { Questions } from '../../../src/mcp/server/peer-requests.ts';

const { signal } = new AbortController();

function questions(elicit: (() => Promise<{ action: 'accept' | 'decline' | 'cancel' }>) | undefined) {
  const asked: ElicitationRequest[] = [];
  const declined: string[] = [];
  const asker = new Questions({
    server: 'bank',
    onLog: line => declined.push(line),
    elicit: () =>
      elicit === undefined
        ? undefined
        : request => {
            asked.push(request);
            return elicit();
          },
    onDeclined: message => declined.push(message),
    onWaiting: () => undefined,
  });
  return { asker, asked, declined };
}

const address = (url: unknown) => ({ mode: 'url', message: 'Log in.', elicitationId: '1', url });
const accept = () => Promise.resolve({ action: 'accept' as const });

it('an address goes to the user as it is', async () => {
  const { asker, asked } = questions(accept);
  expect(await asker.answer(address('https://bank.example/login'), signal)).toEqual({ action: 'accept' });
  expect(asked).toEqual([
    { server: 'bank', message: 'Log in.', fields: [], url: 'https://bank.example/login' },
  ]);
});

it('a host in other letters is shown as it is looked up', async () => {
  const { asker, asked } = questions(accept);
  await asker.answer(address('https://b\u0430nk.example/'), signal);
  expect(asked[0]?.url).toBe('https://xn--bnk-6cd.example/');
});

it.each([
  ['javascript:alert(1)', 'not http or https'],
  ['file:///etc/passwd', 'not http or https'],
  ['https://bank.example@evil.example/', 'user name'],
  ['https://bank.example/\u001b]8;;x\u0007', 'hidden characters'],
  ['https://bank.example/\u202egpj.exe', 'hidden characters'],
  ['https://bank.example/\nhttps://other.example', 'hidden characters'],
  [`https://bank.example/${'a'.repeat(3000)}`, 'too long'],
  ['bank.example', 'not valid'],
  [7, 'not valid'],
  [undefined, 'not valid'],
])('the address %j is declined without a question', async (url, why) => {
  const { asker, asked, declined } = questions(accept);
  expect(await asker.answer(address(url), signal)).toEqual({ action: 'decline' });
  expect(asked).toEqual([]);
  expect(declined.join()).toContain(why);
});

it.each([[{}], [null], [{ message: 7 }], [{ message: 'x', mode: 'telepathy' }]])(
  'a question %j is declined',
  async params => {
    const { asker, asked } = questions(accept);
    expect(await asker.answer(params, signal)).toEqual({ action: 'decline' });
    expect(asked).toEqual([]);
  },
);

it('without anybody to ask: declined, with the words of the question', async () => {
  const { asker, declined } = questions(undefined);
  expect(await asker.answer(address('https://bank.example/'), signal)).toEqual({ action: 'decline' });
  expect(declined).toEqual(["Server 'bank' asked for input, which was declined: Log in."]);
});

it('one at a time, and a question that breaks is a cancelled one', async () => {
  const never = questions(() => new Promise(() => undefined));
  void never.asker.answer(address('https://bank.example/'), signal);
  expect(await never.asker.answer(address('https://bank.example/'), signal)).toEqual({ action: 'decline' });
  const broken = questions(() => Promise.reject(new Error('no terminal')));
  expect(await broken.asker.answer(address('https://bank.example/'), signal)).toEqual({ action: 'cancel' });
});

it('a call that needs an address goes on only if the user was there', async () => {
  await questions(accept).asker.visit([address('https://bank.example/')], signal);
  const declines = questions(() => Promise.resolve({ action: 'decline' }));
  await expect(declines.asker.visit([address('https://bank.example/')], signal)).rejects.toThrow(
    'The user did not open an address that the tool needs (decline)',
  );
});

it.each([
  ['marked by the reader of messages', { _meta: { 'llm-host/form': 'is larger than 32 KB' } }],
  ['of a task', { requestedSchema: { properties: { a: { description: 'x'.repeat(40_000) } } } }],
])('a form that is too large (%s) is declined with the reason', async (_, params) => {
  const { asker, asked, declined } = questions(accept);
  expect(await asker.answer({ message: 'Who?', ...params }, signal)).toEqual({ action: 'decline' });
  expect(asked).toEqual([]);
  expect(declined).toEqual([
    "Server 'bank' asked for input, which was declined (its form is larger than 32 KB): Who?",
  ]);
});

it('so many addresses at once are not visited', async () => {
  const { asker, asked } = questions(accept);
  const addresses = Array.from({ length: 21 }, () => address('https://bank.example/'));
  await expect(asker.visit(addresses, signal)).rejects.toThrow(
    'asks for 21 addresses at once; at most 20 are allowed',
  );
  expect(asked).toEqual([]);
});
