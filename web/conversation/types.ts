/** A text file that goes with a question. */
export interface AttachedFile {
  readonly name: string;
  readonly text: string;
}

export interface UserMessage {
  readonly id: string;
  /** The message before it; undefined: it begins the conversation. */
  readonly parent: string | undefined;
  readonly role: 'user';
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly text: string;
  readonly files: readonly AttachedFile[];
}

/** The server's question about a call. */
export interface Question {
  /** Where the answer goes. */
  readonly approval: string;
  readonly reason: 'destructive' | 'rule';
}

/** `ended`: the reply ended before the call did. */
export type CallState = 'running' | 'asking' | 'done' | 'failed' | 'refused' | 'ended';

export interface CallPart {
  readonly type: 'call';
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly state: CallState;
  readonly server?: string;
  readonly question?: Question;
  readonly progress?: string;
  readonly result?: string;
  readonly seconds?: number;
}

/** The parts of a reply, in the order in which they came. */
export type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'notice'; readonly text: string }
  | CallPart;

export interface Usage {
  readonly promptTokens: number;
  /** The part of the prompt that came from the cache. */
  readonly cachedTokens: number;
  readonly replyTokens: number;
}

/** `cut`: the reply reached its limit or filled the context. */
export type ReplyState = 'writing' | 'done' | 'cut' | 'stopped' | 'failed';

export interface AssistantMessage {
  readonly id: string;
  readonly parent: string | undefined;
  readonly role: 'assistant';
  readonly created: number;
  readonly model: string;
  readonly parts: readonly Part[];
  readonly state: ReplyState;
  /** Grows with every change: of two copies the one with more is the newer. */
  readonly revision: number;
  /** When it last grew, and by which tab. */
  readonly changed: number;
  readonly writer: string;
  readonly error?: string;
  readonly usage?: Usage;
  /** Tokens of the last prompt: after calls there are several. */
  readonly promptTokens?: number;
  /** Milliseconds in which text came, without tools and waiting. */
  readonly writingMs?: number;
}

export type Message = UserMessage | AssistantMessage;

/** Undefined: as the server has it. */
export interface SamplingSettings {
  readonly temperature?: number | undefined;
  readonly top_p?: number | undefined;
  readonly top_k?: number | undefined;
  readonly min_p?: number | undefined;
  readonly repetition_penalty?: number | undefined;
  readonly max_tokens?: number | undefined;
  readonly seed?: number | undefined;
}

export interface ChatSettings {
  /** Undefined: the server's first. */
  readonly model?: string | undefined;
  /** Empty: the server's own. */
  readonly system: string;
  readonly sampling: SamplingSettings;
  /** Whether the server's tools may be called. */
  readonly tools: boolean;
  /** Which calls to ask about. */
  readonly ask: 'rules' | 'all';
  /** Undefined: as the model does by itself. */
  readonly thinking?: boolean | undefined;
}

/** A tree of messages: an edited question or another reply is a branch beside the first. */
export interface Conversation {
  readonly id: string;
  readonly title: string;
  readonly created: number;
  readonly updated: number;
  readonly settings: ChatSettings;
  /** When the user last chose the title and the settings, in milliseconds since 1970; undefined: never. */
  readonly titled?: number | undefined;
  readonly configured?: number | undefined;
  readonly messages: Readonly<Record<string, Message>>;
  /** The branch that is shown, by the message that it follows (`ROOT` for the first). */
  readonly chosen: Readonly<Record<string, string>>;
}

export const ROOT = '';

export const DEFAULT_SETTINGS: ChatSettings = { system: '', sampling: {}, tools: true, ask: 'rules' };
