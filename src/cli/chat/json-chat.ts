import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT, LlmHostError, messageOf } from '../../errors.ts';
import { EventWriter } from '../../json/event-writer.ts';
import { EVENTS_VERSION } from '../../json/events.ts';
import type { OpenModel } from '../../run/open-model.ts';
import type { ChatArguments } from '../options/option-table.ts';
import type { Signals } from '../process/signals.ts';
import { VERSION } from '../process/version.ts';
import { promptWithPipe } from './answer-once.ts';
import { JsonSession } from './json-session.ts';
import { type StartedChat, startChat } from './start-chat.ts';

/** How long the last event waits for a cancelled turn to tell of its end: longer than the session does. */
const TELL_MS = 1200;

/** `--json`: the whole run as events on stdout, from `start` to `end`, including errors of the start-up. */
export async function chatInJson(
  args: ChatArguments,
  openModel: OpenModel,
  signals: Signals,
): Promise<number> {
  const writer = new EventWriter(process.stdout);
  let started: StartedChat | undefined;
  // However the program ends, and even if closing hangs.
  signals.addCleanup(async code => {
    const closed = started?.close();
    await Promise.race([closed, sleep(TELL_MS, undefined, { ref: false })]);
    await writer.end(code);
    await closed;
  });
  await writer.write({
    type: 'start',
    version: EVENTS_VERSION,
    program: VERSION,
    model: args.model ?? '',
  });
  try {
    started = await startChat(args, openModel);
    let code: number;
    try {
      code = await converse(args, started, signals, writer);
    } finally {
      signals.closing();
      await started.close();
    }
    await writer.end(code);
    return code;
  } catch (error) {
    const known = error instanceof LlmHostError ? error : undefined;
    const hint = known?.hint === undefined ? {} : { hint: known.hint };
    await writer.write({
      type: 'error',
      code: known?.code ?? 'UNEXPECTED',
      message: messageOf(error),
      ...hint,
    });
    await writer.end(known?.exitCode ?? EXIT.unexpected);
    throw error;
  }
}

async function converse(
  args: ChatArguments,
  { session, notices }: StartedChat,
  signals: Signals,
  writer: EventWriter,
): Promise<number> {
  const { opened, tools } = session;
  await writer.write({
    type: 'ready',
    model: opened.name,
    device: opened.device,
    contextLength: opened.model.contextLength,
    tools: tools.tools().length,
    servers: tools.servers().map(({ name, state, tools: count }) => ({ name, state, tools: count })),
  });
  for (const message of notices) await writer.write({ type: 'notice', message });
  const json = new JsonSession({ session, signals, writer });
  return args.prompt === undefined ? await json.run() : await json.once(await promptWithPipe(args.prompt));
}
