import { homedir } from 'node:os';
import { join } from 'node:path';
import { decodedOf, decodeRate } from '../../agent/events/decode-rate.ts';
import { messageOf } from '../../errors.ts';
import { formAsker } from '../../line/ask-form.ts';
import type { ApprovalAnswer, ApprovalRequest, Approver } from '../../mcp/policy/approval.ts';
import { type InputCompletion, inputCompletion } from '../../mcp/resources/input-completion.ts';
import type { ServerState } from '../../mcp/tool-host.ts';
import { stripControls } from '../../text/clean/strip-controls.ts';
import type { ImageSetting } from '../../tui/images/image-protocol.ts';
import type { Completion } from '../../tui/input/complete.ts';
import type { EditorEffect } from '../../tui/input/editor.ts';
import { PromptHistory } from '../../tui/input/prompt-history.ts';
import { Screen } from '../../tui/screen.ts';
import type { Banner } from '../../tui/state/banner.ts';
import type { FooterInfo } from '../../tui/state/screen-state.ts';
import { chooseTheme } from '../../tui/style/theme.ts';
import { FileNames } from '../attachments/file-names.ts';
import type { UserTerminal } from '../builtins/base/builtin.ts';
import { namesOf } from '../builtins/run-builtin.ts';
import { BUILTINS } from '../builtins/table.ts';
import { stateDirectory, VERSION } from '../process/app.ts';
import { divertOutput } from '../process/program-log.ts';
import { readLine, shareTerminal } from '../process/questions.ts';
import type { Signals } from '../process/signals.ts';
import { tildePath } from '../process/tilde-path.ts';
import type { ChatSession } from '../session/chat-session.ts';
import { alwaysNotice, answerChoices, questionOf, readArguments } from './approval.ts';
import { replayParts } from './replay-parts.ts';
import { TurnLoop, type TurnReader } from './turn-loop.ts';
import type { TurnNote } from './turn-note.ts';

/** Characters of a description in the menu. */
const MAX_ABOUT = 200;

export interface ScreenSessionOptions {
  readonly session: ChatSession;
  readonly signals: Signals;
  readonly colors: boolean;
  readonly theme: string | undefined;
  readonly images: ImageSetting | undefined;
  /** No banner. */
  readonly quiet: boolean;
  readonly note?: TurnNote | undefined;
  /** Printed below the banner. */
  readonly notices: readonly string[];
}

/** The chat on the Ink screen. Resolves with the exit code. */
export class ScreenSession {
  readonly #options: ScreenSessionOptions;
  readonly #screen: Screen;
  readonly #loop: TurnLoop;
  #stopped = false;
  #lend: () => () => void = () => () => undefined;

  constructor(options: ScreenSessionOptions) {
    this.#options = options;
    const { session, signals } = options;
    const history = new PromptHistory(join(stateDirectory(process.env), 'history.jsonl'), message => {
      session.log.logger.warn(message);
      process.stderr.write(`Notice: ${stripControls(message)}\n`);
    });
    const files = new FileNames(process.cwd());
    const blockedBy = <T>(work: () => T): T => signals.blockedBy(work);
    this.#screen = new Screen({
      input: process.stdin,
      output: process.stdout,
      env: process.env,
      blockedBy,
      theme: chooseTheme(options.theme, options.colors, process.env),
      images: options.images,
      history,
      footer: () => footerOf(session),
      candidates: () => ({
        commands: [...BUILTINS.flatMap(namesOf), ...promptNames(session)],
        tools: session.tools.tools().map(tool => tool.definition.function.name),
        resources: resourceNames(session),
        files: typed => files.complete(typed),
        about: descriptions(session),
        promptArguments: before => argumentNames(session, before),
      }),
      findLate: (text, cursor) => valuesOf(session, text.slice(0, cursor)),
      banner: options.quiet ? undefined : bannerOf(session, process.cwd(), homedir()),
      notices: options.notices,
      onEffect: effect => this.#perform(effect),
    });
    this.#loop = new TurnLoop({
      session,
      signals,
      note: options.note,
      keyboard: true,
      reader: screenReader(this.#screen, session, {
        write: sequence => void process.stdout.write(sequence),
        lend: () => this.#lend(),
        blockedBy,
      }),
    });
  }

  async run(): Promise<number> {
    const { signals, session } = this.#options;
    const divert = () => divertOutput(line => session.log.logger.info({ stderr: true }, line));
    let restoreStderr = divert();
    const stop = () => {
      this.#stopped = true;
      shareTerminal(undefined);
      this.#screen.stop();
      restoreStderr();
    };
    this.#lend = () => {
      const resume = this.#screen.suspend();
      restoreStderr();
      return () => {
        if (this.#stopped) return;
        restoreStderr = divert();
        resume();
      };
    };
    shareTerminal(this.#lend);
    session.tools.setElicitation?.(
      formAsker({
        print: text => this.#screen.print(text.trimEnd()),
        ask: (prompt, signal) => readLine(prompt, false, signal),
      }),
    );
    session.tools.setApprover?.(screenApprover(this.#screen));
    signals.onLeave(stop);
    const unwatch = session.tools.onChange?.(() => this.#screen.draw());
    this.#screen.start();
    try {
      return await this.#loop.run();
    } finally {
      this.#loop.cancel();
      unwatch?.();
      stop();
      signals.onLeave(undefined);
    }
  }

  #perform(effect: EditorEffect | { readonly type: 'end' }): void {
    switch (effect.type) {
      case 'submit':
        this.#loop.submit(effect);
        break;
      case 'cancel':
        this.#loop.cancel();
        break;
      case 'interrupt':
        this.#loop.interrupt();
        break;
      case 'suspend':
        this.#suspend();
        break;
      case 'expand':
        this.#screen.print(this.#options.session.results.step(), true);
        break;
      default:
        this.#loop.leave(0);
    }
  }

  /**
   * Returns to the shell until it brings the job back to the foreground. Like a terminal's, the signal goes to the whole
   * process group, so a runner such as npm stops too; without a shell to return to it has no effect.
   */
  #suspend(): void {
    if (process.platform === 'win32') return;
    const giveBack = this.#lend();
    process.kill(0, 'SIGTSTP');
    setImmediate(giveBack);
  }
}

function screenReader(screen: Screen, session: ChatSession, terminal: UserTerminal): TurnReader {
  /** The command that runs stands above what it says already. */
  let echoed = false;
  const echo = (typed: string): void => {
    if (!echoed) screen.echo(typed);
    echoed = true;
  };
  return {
    terminal,
    progress: (typed, text) => {
      echo(typed);
      screen.print(text);
    },
    replay: messages => {
      for (const part of replayParts(messages)) {
        if (part.type === 'prompt') screen.echo(part.text);
        else if (part.type === 'note') screen.print(part.text);
        else {
          screen.event({ type: 'token', text: part.text });
          screen.event({ type: 'assistant', text: part.text, cancelled: false });
        }
      }
    },
    begin: prompt => screen.begin(prompt),
    event: event => screen.event(event),
    end: error => {
      if (error !== undefined) screen.error(messageOf(error));
      screen.end();
    },
    builtin: (typed, output) => {
      echo(typed);
      echoed = false;
      screen.showThinking = session.showThinking;
      if (output !== '') screen.print(output);
    },
    queued: texts => {
      screen.queue = texts;
      screen.draw();
    },
    busy: busy => {
      screen.busy = busy;
      if (!busy) screen.draw();
    },
  };
}

/** Prompts of servers, which may follow a slash like commands. */
function promptNames({ tools }: ChatSession): readonly string[] {
  return (tools.control?.prompts() ?? []).map(({ server, name }) => stripControls(`${server}:${name}`));
}

/** Describes the completions, for the menu. */
function descriptions({ tools }: ChatSession): ReadonlyMap<string, string> {
  const about = new Map<string, string>();
  const add = (option: string, text: string | undefined) => {
    if (text)
      about.set(stripControls(option), stripControls(text).replaceAll(/\s+/g, ' ').slice(0, MAX_ABOUT));
  };
  for (const builtin of BUILTINS) for (const name of namesOf(builtin)) add(`/${name}`, builtin.help);
  for (const prompt of tools.control?.prompts() ?? [])
    add(`/${prompt.server}:${prompt.name}`, prompt.description ?? prompt.title);
  for (const { server, uri, name, title, description } of tools.control?.resources() ?? []) {
    add(`@${server}:${uri}`, description ?? title ?? name);
  }
  for (const { definition } of tools.tools()) add(definition.function.name, definition.function.description);
  return about;
}

/** Resources as prompts refer to them, `server:uri`; those with spaces cannot be referred to. */
function resourceNames({ tools }: ChatSession): readonly string[] {
  const resources = tools.control?.resources() ?? [];
  return resources
    .map(({ server, uri }) => stripControls(`${server}:${uri}`))
    .filter(name => !/\s/.test(name));
}

function footerOf(session: ChatSession): FooterInfo {
  const { opened, tools, lastReply } = session;
  const servers = tools.servers();
  return {
    model: opened.name,
    device: opened.device,
    contextUsed: session.contextUsed,
    contextLength: opened.model.contextLength,
    rate: lastReply && decodeRate(decodedOf(lastReply)),
    tools: tools.tools().length,
    serversUp: servers.filter(server => server.state === 'ready').length,
    servers: servers.length,
  };
}

/** Who has waited for it knows. */
const LOAD_TIME = /, loaded in [\d.]+ s$/;

/** The banner that the screen opens with. */
function bannerOf({ opened, tools }: ChatSession, cwd: string, home: string): Banner {
  const servers = tools.servers();
  const running = servers.filter(({ state }) => state === 'ready' || state === 'starting');
  return {
    title: `llm-host ${VERSION}`,
    facts: [
      { name: 'model', text: stripControls(opened.description).replace(LOAD_TIME, '') },
      { name: 'tools', text: stripControls(serversText(servers)) },
      { name: 'folder', text: stripControls(folderText(running, cwd, home)) },
      { name: 'keys', text: '/ lists commands · Tab completes · Esc cancels' },
    ],
  };
}

/** Each server with its number of tools, or what it is doing; those that are switched off are not named. */
export function serversText(servers: readonly ServerState[]): string {
  const shown = servers.flatMap(({ name, state, tools, installing }) => {
    if (state === 'disabled' || state === 'closed') return [];
    const starting = installing ? 'installing…' : 'starting';
    return [`${name} (${state === 'ready' ? tools : state === 'starting' ? starting : 'failed: see /mcp'})`];
  });
  return shown.join(', ') || 'none';
}

/** The working folder; where the tools see other folders, both. */
export function folderText(
  servers: readonly Pick<ServerState, 'folders'>[],
  cwd: string,
  home: string,
): string {
  const seen = [...new Set(servers.flatMap(({ folders = [] }) => folders))];
  const here = tildePath(cwd, home);
  if (seen.every(folder => folder === cwd)) return here;
  return `${seen.map(folder => tildePath(folder, home)).join(', ')} for the tools\n${here} for @path`;
}

type Tools = Pick<ChatSession, 'tools'>;

/** The names of a prompt's arguments that are not given yet. */
function argumentNames(session: Tools, before: string): Completion | undefined {
  const found = completionOf(session, before);
  return found && 'options' in found ? { ...found, open: true } : undefined;
}

/** How to ask a server for the values of what is being typed. */
function valuesOf(
  session: Tools,
  before: string,
): ((signal: AbortSignal) => Promise<Completion | undefined>) | undefined {
  const found = completionOf(session, before);
  const { control } = session.tools;
  if (control === undefined || found === undefined || !('request' in found)) return undefined;
  const { start, request, write } = found;
  return async signal => {
    const values = await control.complete(request, signal);
    const options = values.flatMap(value => write(value) ?? []);
    return { start, options, ...(request.ref.type === 'ref/resource' && { open: true }) };
  };
}

function completionOf({ tools: { control } }: Tools, before: string): InputCompletion | undefined {
  return control && inputCompletion(before, control.prompts(), control.resources());
}

/** Asks for approval of each call on the screen. Esc means no. */
function screenApprover(screen: Pick<Screen, 'choose' | 'editText' | 'notice'>): Approver {
  return async request => {
    const choices = answerChoices(request);
    while (true) {
      const word = await screen.choose(questionOf(request), choices, 'no', request.signal);
      const choice = choices.find(one => one.word === word);
      if (!choice) return 'no';
      const answer = choice.answer === 'edit' ? await edited(screen, request) : choice.answer;
      const notice = answer === 'always' ? alwaysNotice(request) : undefined;
      if (notice !== undefined) screen.notice(notice);
      if (answer !== undefined) return answer;
    }
  };
}

/** undefined: back to the question. */
async function edited(
  screen: Pick<Screen, 'editText' | 'notice'>,
  request: ApprovalRequest,
): Promise<ApprovalAnswer | undefined> {
  let text = JSON.stringify(request.arguments, undefined, 2);
  while (true) {
    const typed = await screen.editText('arguments -> ', text, request.signal);
    if (typed === undefined) return undefined;
    const read = readArguments(typed, request);
    if ('arguments' in read) return read;
    screen.notice(read.problem);
    text = typed;
  }
}
