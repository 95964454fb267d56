import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { Conversation } from '../../../src/agent/turn/conversation.ts';
import { createHistory } from '../../../src/chat/history.ts';
import type { BuiltinContext } from '../../../src/cli/builtins/base/builtin.ts';
import { runBuiltin } from '../../../src/cli/builtins/run-builtin.ts';
import { ChatSession } from '../../../src/cli/session/chat-session.ts';
import { SessionFolder } from '../../../src/cli/session/saved-sessions.ts';
import { TurnLog } from '../../../src/cli/session/turn-log.ts';
import type { ModelSwitch } from '../../../src/cli/start/model-switch.ts';
import { Redactor } from '../../../src/mcp/policy/audit-redact.ts';
import type { PrepareOptions } from '../../../src/mcp/tool-host.ts';
import { openLog } from '../../../src/run/log.ts';
import type { OpenedModel } from '../../../src/run/open-model.ts';
import { answer, collect, content, FakeHost, FakeModel } from '../../agent/fakes.ts';

interface Options {
  readonly cache?: NonNullable<OpenedModel['cache']>;
  readonly saveTo?: string;
  /** What the only tool says. */
  readonly echo?: string;
  readonly modelSwitch?: ModelSwitch;
  /** The system message as of now. */
  readonly systemText?: () => string;
}

/** A session in a folder of its own, whose model says these texts. */
export function place(replies: ConstructorParameters<typeof FakeModel>[0], options: Options = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'llm-host-builtins-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const model = new FakeModel(replies);
  const naming: string[] = [];
  const tools = Object.assign(new FakeHost({ echo: answer(options.echo ?? 'said hf_abcdefghijklmnop') }), {
    prepareInput: async (text: string, prepare: PrepareOptions) => {
      naming.push(prepare.naming ?? text);
      return { text, notices: [] };
    },
  });
  const { systemText = () => 'Be brief.' } = options;
  const history = createHistory(systemText());
  const log = openLog(join(folder, 'log.jsonl'), 'info', expect.unreachable);
  const session = new ChatSession({
    conversation: new Conversation({ model, tools, history, sampling: {}, toolTimeoutMs: 1000 }),
    tools,
    log,
    turnLog: new TurnLog(log, new Redactor(['hunter2'])),
    opened: {
      model,
      name: 'tiny',
      device: 'cpu',
      description: 'tiny: 1 M parameters',
      notices: [],
      ...(options.cache && { cache: options.cache }),
      close: async () => undefined,
    },
    folder: new SessionFolder(join(folder, 'sessions')),
    ...(options.modelSwitch && { modelSwitch: options.modelSwitch }),
    systemText,
    saveTo: options.saveTo && join(folder, options.saveTo),
  });
  return {
    folder,
    model,
    session,
    /** What of each prompt could name resources. */
    naming,
    ask: (prompt: string) => collect(session.turn({ text: prompt }, new AbortController().signal)),
    type: (line: string, context: Partial<BuiltinContext> = {}) => runBuiltin(line, session, context),
    roles: () => history.messages.map(({ role }) => role).join(' '),
    logged: () => readFileSync(log.path, 'utf8'),
  };
}

export const says = (...texts: string[]) => texts.map(text => [content(text)]);
