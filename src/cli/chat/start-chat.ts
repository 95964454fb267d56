import { join } from 'node:path';
import { Conversation } from '../../agent/turn/conversation.ts';
import { createHistory } from '../../chat/history.ts';
import { LlmHostError } from '../../errors.ts';
import { chatOnly } from '../../run/chat-only.ts';
import type { OpenModel } from '../../run/open-model.ts';
import { EXIT_PATIENCE_MS } from '../../run/open-run.ts';
import { answerFormat } from '../options/answer-format.ts';
import { checkKey, checkNumbers } from '../options/check-options.ts';
import type { ChatArguments } from '../options/option-table.ts';
import { systemText } from '../options/system-text.ts';
import { stateDirectory } from '../process/folders.ts';
import { homely } from '../process/homely.ts';
import { MissingModel } from '../process/missing-model.ts';
import { ChatSession } from '../session/chat-session.ts';
import { SessionFolder } from '../session/saved-sessions.ts';
import { TurnLog } from '../session/turn-log.ts';
import { turnCount } from '../session/whole-conversation.ts';
import { findConfigFile } from '../settings/find-config.ts';
import { configuredSource, givenSource, otherSource } from '../settings/model-source.ts';
import type { Settings } from '../settings/settings.ts';
import { modelNotices } from '../start/model-notices.ts';
import { modelSwitch } from '../start/model-switch.ts';
import { agentOptions } from '../start/run-options.ts';
import { startRun } from '../start/start-run.ts';
import { definitionsNotice } from '../tools/definition-tokens.ts';
import { terminalApprover } from './ask-approval.ts';
import { chatSettings } from './chat-settings.ts';

/** A chat that is ready for its first prompt. */
export interface StartedChat {
  readonly session: ChatSession;
  readonly settings: Settings;
  /** For people: the model and the servers. */
  readonly summary: readonly string[];
  /** What the user should know: broken servers, unknown keys, a base model. */
  readonly notices: readonly string[];
  close(): Promise<void>;
}

/** Reads the configuration and refuses what cannot work, then starts servers and model side by side. */
export async function startChat(args: ChatArguments, openModel: OpenModel): Promise<StartedChat> {
  checkNumbers(args);
  checkKey(args);
  const where = { cwd: process.cwd(), env: process.env };
  const given = givenSource(args, where);
  // Without a config file, which could name a model, the missing model is the error to report.
  const named = given !== undefined || args.config !== undefined || findConfigFile(where).path !== undefined;
  if (!named) throw new MissingModel(args.prompt);
  const settings = await chatSettings(args, given, where);
  const source = given ?? configuredSource(args, settings, where);
  const system =
    args.system === undefined ? settings.config.SystemPrompt : systemText(args.system, where.cwd);
  const responseFormat = answerFormat(args, where.cwd);
  const folder = new SessionFolder(join(stateDirectory(where.env), 'sessions'));
  const resumed = args.resume === undefined ? undefined : resumePath(args.resume, folder);
  const run = await startRun(args, source, settings, chatOnly(openModel));
  const { opened, servers, log } = run;
  // With --json a terminal's lines are requests, read all the time: none of them would reach a question.
  const takesRequests = args.json === true && args.prompt === undefined;
  servers.host.setApprover(takesRequests ? undefined : terminalApprover());
  const turnOptions = agentOptions(args, settings.config);
  const currentSystem = () => run.systemText(system);
  const conversation = new Conversation({
    model: opened.model,
    tools: servers.host,
    history: createHistory(currentSystem()),
    ...turnOptions,
    overflow: settings.config.overflow ?? 'summarize',
    awaitTasks: !hasLaterTurns(args),
    responseFormat,
  });
  const room = () => definitionsNotice(servers.host.tools(), conversation.offer, opened.model.contextLength);
  const session: ChatSession = new ChatSession({
    conversation,
    opened,
    folder,
    log,
    turnLog: new TurnLog(log, servers.redactor),
    tools: servers.host,
    systemText: currentSystem,
    modelSwitch: modelSwitch(
      run,
      name => otherSource(name, source, args, where.cwd),
      another => modelNotices(another, session.thinking, turnOptions.sampling),
    ),
    thinking: args.think,
    saveTo: args.save,
    lateNotice: () => (told ? undefined : room()),
    once: args.prompt !== undefined,
  });
  const close = () => run.close(() => session.close(), EXIT_PATIENCE_MS);
  const notices = [...settings.notices, ...run.notices];
  const atOnce = room();
  const told = atOnce !== undefined || servers.host.servers().every(({ state }) => state !== 'starting');
  if (atOnce !== undefined) notices.push(atOnce);
  notices.push(...modelNotices(opened, args.think, turnOptions.sampling));
  try {
    if (responseFormat && !opened.model.canFollowFormat) {
      throw new LlmHostError('MODEL_UNSUPPORTED', `--schema: ${opened.name} cannot follow a JSON Schema`);
    }
    if (resumed !== undefined) notices.push(...(await resume(session, resumed, args.system !== undefined)));
  } catch (error) {
    await close();
    throw error;
  }
  const warnings = settings.warnings.map(warning => `Warning: ${warning}`);
  return {
    session,
    settings,
    summary: run.summary,
    notices: [...warnings, ...notices.map(notice => `Notice: ${notice}`)],
    close,
  };
}

/** Whether more may be asked once a turn is over: by a person at a terminal, or a program that reads JSON. */
function hasLaterTurns({ prompt, json }: ChatArguments): boolean {
  return prompt === undefined && (json === true || process.stdin.isTTY === true);
}

function resumePath(option: string, folder: SessionFolder): string {
  if (option !== '') return option;
  const latest = folder.latest();
  if (!latest)
    throw new LlmHostError('USAGE', `--resume: no conversation has been saved in ${folder.path} yet`);
  return latest.path;
}

/** The saved system message stays, unless `ownSystem`: the user gave another one. */
async function resume(session: ChatSession, path: string, ownSystem: boolean): Promise<string[]> {
  const own = session.history.messages.find(({ role }) => role === 'system');
  const saved = session.load(path);
  if (ownSystem) session.setSystem(own?.content);
  const notice = `continuing the conversation of ${turnCount(saved)} from ${homely(path)}`;
  const cache = await session.restoreCache(path);
  return cache === undefined ? [notice] : [notice, cache];
}
