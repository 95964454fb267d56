import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { type JSONRPCMessage, serializeMessage } from '@modelcontextprotocol/client';
import { LlmHostError } from '../../errors.ts';
import type { McpLimits } from '../config/limits.ts';
import type { StdioServerConfig } from '../config/types.ts';
import { IncomingFlow } from './incoming-flow.ts';
import { MARK_VARIABLE, newMark } from './marked-processes.ts';
import { MessageReader } from './message-reader.ts';
import { PacedReader } from './paced-reader.ts';
import { endGroup, onWindows, trackGroup } from './process-groups.ts';
import type { ServerTransport } from './server-transport.ts';
import { incoming, outgoing } from './wire-extensions.ts';

type ServerProcess = ChildProcessByStdio<Writable, Readable, Readable>;

/** How long a failed request waits for the exit that may explain it. */
const END_NOTICE_MS = 400;
/** How long to read output after the exit; a process that left the group may hold the pipe open. */
const DRAIN_MS = 200;
const MAX_QUEUED_BYTES = 32 * 1024 * 1024;

/**
 * MCP over stdin and stdout of a child process that leads its own process group, so that wrappers and grandchildren
 * end with it. Replaces the SDK's transport, which signals only the direct child, drops the connection over one
 * oversized message, and hangs when a child dies with a full pipe.
 */
export class StdioTransport implements ServerTransport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /**
   * With this and `pid` the SDK recognizes a process: one that does not answer the probe for the modern era is a
   * legacy server.
   */
  readonly stderr = null;

  readonly #config: StdioServerConfig;
  readonly #limits: McpLimits;
  readonly #stderr: StderrTail;
  readonly #reader: MessageReader;
  readonly #flow: IncomingFlow;
  #markExited: () => void = () => {};
  readonly #exited = new Promise<void>(resolve => {
    this.#markExited = resolve;
  });
  #markOver: () => void = () => {};
  /** The process has exited and its output has been read. */
  readonly #over = new Promise<void>(resolve => {
    this.#markOver = resolve;
  });
  #paced: readonly PacedReader[] = [];
  #process: ServerProcess | undefined;
  #ending: string | undefined;
  #finished = false;
  #pipeLost = false;
  #strayLine: string | undefined;
  #groupEnd: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  /** `onLog` gets each line of stderr, and stray lines of stdout. */
  constructor(config: StdioServerConfig, onLog: (line: string) => void, limits: McpLimits) {
    this.#config = config;
    this.#limits = limits;
    this.#stderr = new StderrTail(onLog);
    this.#flow = new IncomingFlow({
      deliver: message => this.#deliver(incoming(message)),
      giveUp: reason => this.#giveUp(reason),
      onLog,
    });
    this.#reader = new MessageReader({
      onMessage: message => this.#flow.take(message),
      onJunk: line => {
        this.#strayLine ??= line;
        onLog(`stray line on stdout: ${line}`);
      },
      onFatal: reason => this.#giveUp(reason),
    });
  }

  /** Why the process is gone, such as `ended (signal SIGKILL)`; undefined while it runs, and after `close`. */
  get ending(): string | undefined {
    return this.#ending;
  }

  /** The last lines of the server's stderr. */
  get stderrTail(): string {
    return this.#stderr.last();
  }

  get strayLine(): string | undefined {
    return this.#strayLine;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Throws LlmHostError MCP_SERVER if the command cannot be started. */
  async start(): Promise<void> {
    if (this.#process !== undefined) throw new Error('the transport was started already');
    const { name, command, args, cwd } = this.#config;
    if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw new LlmHostError('MCP_SERVER', `server '${name}': the working folder ${cwd} does not exist`);
    }
    const mark = newMark();
    const child = spawn(command, args, {
      cwd,
      env: { ...serverEnvironment(this.#config.env), [MARK_VARIABLE]: mark },
      // Its own process group; on Windows that would be its own window.
      detached: !onWindows,
      windowsHide: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#process = child;
    if (child.pid !== undefined) trackGroup(child.pid, mark);
    this.#listen(child);
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', error => reject(startError(this.#config, error)));
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#process?.stdin;
    if (stdin === undefined || this.#ending !== undefined || !stdin.writable)
      throw new Error('Not connected');
    if (stdin.writableLength > MAX_QUEUED_BYTES) throw new Error('the server does not read its input');
    this.#flow.sending(message);
    try {
      // The callback also runs, with an error, when the stream is destroyed, so a dead server cannot block the sender.
      await new Promise<void>((resolve, reject) => {
        stdin.write(serializeMessage(outgoing(message)), error => (error ? reject(error) : resolve()));
      });
    } finally {
      this.#flow.sent(message);
    }
  }

  /** Resolves when the process is seen to be gone, or after a moment if it is not. */
  async waitForEnd(): Promise<void> {
    await Promise.race([this.#over, sleep(END_NOTICE_MS, undefined, { ref: false })]);
  }

  /** Closes stdin, then sends SIGTERM, then SIGKILL to the group. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  /**
   * The SDK defers notifications but handles responses at once, so progress that arrives together with its response
   * would be lost: responses wait their turn.
   */
  #deliver(message: JSONRPCMessage): void {
    this.#paced[0]?.noteMessage();
    if ('result' in message || 'error' in message) setImmediate(() => this.onmessage?.(message));
    else this.onmessage?.(message);
  }

  async #shutDown(): Promise<void> {
    const child = this.#process;
    if (child?.pid === undefined) return;
    child.stdin.end();
    await Promise.race([this.#exited, sleep(this.#limits.exitMs, undefined, { ref: false })]);
    await this.#endGroup(child.pid);
    await Promise.race([this.#exited, sleep(DRAIN_MS, undefined, { ref: false })]);
    this.#finish();
  }

  #listen(child: ServerProcess): void {
    this.#paced = [
      new PacedReader(child.stdout, chunk => this.#reader.push(chunk)),
      new PacedReader(child.stderr, chunk => this.#stderr.push(chunk)),
    ];
    child.stdout.on('end', () => void this.#onPipeLost('stdout'));
    child.stdin.on('error', () => void this.#onPipeLost('stdin'));
    // The exit that follows EPIPE and the like tells more.
    for (const stream of [child.stdin, child.stdout, child.stderr])
      stream.on('error', error => this.onerror?.(error));
    child.on('error', error => this.onerror?.(error));
    child.on('exit', (code, signal) => void this.#onExit(child, code, signal));
    child.on('close', () => this.#finish());
  }

  async #onExit(child: ServerProcess, code: number | null, signal: NodeJS.Signals | null): Promise<void> {
    const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
    // After `close` the exit is an answer to it, unless a lost pipe was why the connection was closed.
    if (this.#closing === undefined || this.#pipeLost) this.#ending ??= `ended (${how})`;
    this.#markExited();
    for (const reader of this.#paced) reader.rush();
    // Grandchildren may outlive their parent.
    if (child.pid !== undefined) void this.#endGroup(child.pid);
    await sleep(DRAIN_MS);
    this.#finish();
  }

  /** A process without one of its pipes cannot answer calls any more. */
  async #onPipeLost(name: 'stdin' | 'stdout'): Promise<void> {
    if (this.#closing === undefined) this.#pipeLost = true;
    await this.waitForEnd();
    if (!this.#finished && this.#closing === undefined) this.#giveUp(`it closed its ${name}`);
  }

  #giveUp(reason: string): void {
    this.#ending ??= `was stopped: ${reason}`;
    this.onerror?.(new Error(reason));
    this.#process?.stdout.destroy();
    void this.close();
  }

  #endGroup(group: number): Promise<void> {
    this.#groupEnd ??= endGroup(group, this.#limits.signalMs);
    return this.#groupEnd;
  }

  #finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    if (this.#closing === undefined) this.#ending ??= 'ended';
    for (const reader of this.#paced) reader.drain();
    this.#flow.end();
    this.#stderr.flush();
    const child = this.#process;
    for (const stream of [child?.stdin, child?.stdout, child?.stderr]) stream?.destroy();
    this.#markOver();
    this.onclose?.();
  }
}

function startError({ name, command }: StdioServerConfig, error: NodeJS.ErrnoException): LlmHostError {
  const what: Record<string, string> = {
    ENOENT: `the command '${command}' was not found`,
    EACCES: `the command '${command}' may not be executed`,
    E2BIG: `the arguments of '${command}' are too long`,
  };
  const text = what[error.code ?? ''] ?? `the command '${command}' cannot be started: ${error.message}`;
  const hint =
    error.code === 'ENOENT' ? `Install it, or correct "command" of '${name}' in mcp.json.` : undefined;
  return new LlmHostError('MCP_SERVER', `server '${name}': ${text}`, {
    cause: error,
    ...(hint ? { hint } : {}),
  });
}

const RING_CHARS = 64 * 1024;
const MAX_LINE_CHARS = 4096;

/** Keeps the last 64 KB of a server's stderr, and logs each whole line. */
export class StderrTail {
  readonly #onLine: (line: string) => void;
  readonly #decoder = new StringDecoder('utf8');
  #kept = '';
  #line = '';

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** Each step logs a line. */
  *push(chunk: Buffer): Generator<void> {
    const text = this.#decoder.write(chunk);
    this.#kept = (this.#kept + text).slice(-RING_CHARS);
    const lines = (this.#line + text).split('\n');
    this.#line = lines.pop() ?? '';
    for (const line of lines) {
      this.#emit(line);
      yield;
    }
    // A progress bar that never ends its line must not pile up.
    if (this.#line.length > MAX_LINE_CHARS) this.flush();
  }

  /** Logs the unfinished last line. */
  flush(): void {
    this.#emit(this.#line);
    this.#line = '';
  }

  /** The last lines for a message, without colors; '' if nothing was written. */
  last(lines = 15): string {
    const all = stripVTControlCharacters(this.#kept).split('\n');
    return all
      .map(line => line.trimEnd().slice(0, 500))
      .filter(line => line !== '')
      .slice(-lines)
      .join('\n');
  }

  #emit(line: string): void {
    const text = line.trimEnd().slice(0, MAX_LINE_CHARS);
    if (text !== '') this.#onLine(text);
  }
}

/** Variables that a server inherits. Anything else, above all tokens and keys, must be named in its entry. */
const INHERITED = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ'];
/** Hardly any Windows program starts without these. */
const WINDOWS =
  'APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT PROGRAMFILES SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME USERPROFILE';
/** Servers behind a proxy that re-signs TLS hang without these. Read in upper and lower case. */
const NETWORK = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'];

/** A server's whole environment: the short list from `host`, then its entry's `env`, where null removes. */
export function serverEnvironment(
  entryEnv: Readonly<Record<string, string | null>>,
  host: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const env: Record<string, string> = {};
  const windows = onWindows ? WINDOWS.split(' ') : [];
  for (const name of [...INHERITED, ...windows, ...NETWORK, ...NETWORK.map(name => name.toLowerCase())]) {
    const value = host[name];
    if (value !== undefined) env[name] = value;
  }
  for (const [name, value] of Object.entries(entryEnv)) {
    if (value === null) delete env[name];
    else env[name] = value;
  }
  return env;
}
