import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Conversation } from '../../agent/turn/conversation.ts';
import { createHistory } from '../../chat/history.ts';
import { LlmHostError, messageOf } from '../../errors.ts';
import { checkResponseFormat, type ResponseFormat } from '../../grammar/response-format.ts';
import type { ModelSource } from '../../model/model-source.ts';
import { chatOnly, type OpenModel } from '../../run/open-model.ts';
import { EXIT_PATIENCE_MS } from '../../run/open-model-and-servers.ts';
import { readTextFile } from '../../text/files/read-text-file.ts';
import { checkKey, checkNumbers } from '../options/check-options.ts';
import type { ChatArguments } from '../options/option-table.ts';
import { systemText } from '../options/system-text.ts';
import { type Place, stateDirectory } from '../process/app.ts';
import { readLine, terminalQuestions } from '../process/questions.ts';
import { MissingModel } from '../process/report-error.ts';
import { wrapped } from '../process/terminal.ts';
import { tildePath } from '../process/tilde-path.ts';
import { ChatSession } from '../session/chat-session.ts';
import { SessionFolder, turnCount } from '../session/saved-sessions.ts';
import { TurnLog } from '../session/turn-log.ts';
import { findConfigFile } from '../settings/find-config.ts';
import { MissingFile } from '../settings/lookup.ts';
import { configuredSource, givenSource, otherSource } from '../settings/model-source.ts';
import { loadSettings, type Settings } from '../settings/settings.ts';
import { writeExample } from '../settings/write-example.ts';
import { launch } from '../start/launch.ts';
import { modelNotices } from '../start/model-notices.ts';
import { modelSwitch } from '../start/model-switch.ts';
import { agentOptions } from '../start/run-options.ts';
import { definitionsNotice } from '../tools/definition-tokens.ts';
import { terminalApprover } from './approval.ts';

/** A chat that is ready for its first prompt. */
export interface OpenChat {
  readonly session: ChatSession;
  readonly settings: Settings;
  /** For people: the model and the servers. */
  readonly summary: readonly string[];
  /** Facts the user should know: broken servers, unknown keys, a base model. */
  readonly notices: readonly string[];
  close(): Promise<void>;
}

/** Reads the configuration and refuses what cannot work, then starts servers and model side by side. */
export async function openChat(args: ChatArguments, openModel: OpenModel): Promise<OpenChat> {
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
  const run = await launch(args, source, settings, chatOnly(openModel));
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
  const notice = `continuing the conversation of ${turnCount(saved)} from ${tildePath(path)}`;
  const cache = await session.restoreCache(path);
  return cache === undefined ? [notice] : [notice, cache];
}

/**
 * The settings of a chat. On a terminal a missing file can be written on the spot. Throws as `loadSettings` does, and
 * LlmHostError MODEL_NOT_FOUND.
 */
async function chatSettings(
  args: ChatArguments,
  given: ModelSource | undefined,
  where: Place,
): Promise<Settings> {
  while (true) {
    try {
      return loadSettings(args, given?.kind === 'demo', where);
    } catch (error) {
      if (!(error instanceof MissingFile)) throw error;
      // A mistyped model is reported before a missing file. Whether a Hub id exists shows only later.
      if (given?.kind === 'unknown') throw given.error;
      if (!(await offerExample(error, args, where))) throw error;
    }
  }
}

/** Offers to write the missing file; true once it is there. Only a chat at a terminal is asked. */
async function offerExample(
  missing: MissingFile,
  { prompt, json }: ChatArguments,
  { cwd }: Place,
): Promise<boolean> {
  const target = join(cwd, missing.file);
  if (prompt !== undefined || json || !terminalQuestions() || existsSync(target)) return false;
  process.stderr.write(`${wrapped(`${missing.message}.`, process.stderr, process.env)}\n`);
  const answer = await readLine(`Write ${missing.file} here from the example? yes or no [yes]: `, false);
  if (answer === undefined || !/^(?:y(?:es)?)?$/i.test(answer.trim())) return false;
  return writeExample(missing.file, target);
}

const MAX_SCHEMA_BYTES = 1024 * 1024;

/** `--schema FILE`, with `--prompt` only. Throws LlmHostError USAGE for a file without a usable schema. */
export function answerFormat(args: ChatArguments, cwd: string): ResponseFormat | undefined {
  if (args.schema === undefined) return undefined;
  if (args.prompt === undefined) {
    throw new LlmHostError('USAGE', '--schema needs -p: it applies to one answer');
  }
  const path = resolve(cwd, args.schema);
  let schema: unknown;
  try {
    schema = JSON.parse(readTextFile(path, MAX_SCHEMA_BYTES, { pipes: true }));
  } catch (error) {
    const where = error instanceof SyntaxError ? `${path} is not JSON: ` : '';
    throw new LlmHostError('USAGE', `--schema: ${where}${messageOf(error)}`);
  }
  const format = { type: 'json_schema' as const, schema: schema as Readonly<Record<string, unknown>> };
  checkResponseFormat(format);
  return format;
}
