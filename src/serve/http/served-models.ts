import type { RequestTurns } from '../../agent/requests/request-turns.ts';
import type { Embedder } from '../../embed/embedder.ts';
import type { HubId } from '../../hub/hub-id.ts';
import type { ModelFacts } from '../../model/model-facts.ts';
import type { Tokenizer } from '../../tokens/tokenizer-types.ts';

/** The served model, as the APIs describe it. */
export interface ServedModel extends ModelFacts {
  readonly id: string;
  /** Unix seconds when it was loaded. */
  readonly created: number;
  /** Tokens. */
  readonly contextLength: number;
}

/** A model with what answers requests for it. */
export interface LoadedModel {
  readonly model: ServedModel;
  /** Undefined for a model that another process runs. */
  readonly tokenizer?: Tokenizer | undefined;
  /** Turns of this model; those of one with an `embedder` refuse. */
  readonly turns: RequestTurns;
  /** Set for a model that turns texts into vectors, and does nothing else. */
  readonly embedder?: Embedder | undefined;
}

/** A model that requests may name besides the first. */
export interface OtherModel {
  readonly id: string;
  /** Where it is on the Hub, whatever it is called here; undefined: it is no model of the Hub. */
  readonly hub?: Pick<HubId, 'repo' | 'revision'> | undefined;
  /** The repository whose files a model uses that was named by a path into the cache. */
  readonly repo?: string | undefined;
  /** On disk; undefined: not known. */
  readonly bytes?: number | undefined;
  /** The time of its last change, in milliseconds since 1970. */
  readonly modifiedMs?: number | undefined;
}

/** A model that stays loaded until it is released. */
export interface Lease {
  readonly loaded: LoadedModel;
  /**
   * Idempotent. `keepAliveMs`: for how long after its last user, until another one says otherwise; Infinity: until its place
   * is needed.
   */
  release(keepAliveMs?: number): void;
}

/** The models that requests may name. */
export interface ServedModels {
  /** Always loaded. */
  readonly first: LoadedModel;
  /** Models other than the first. */
  list(): readonly OtherModel[];
  /** The other models in memory; `expires`: `Date.now()` when one is to be closed, undefined while it is in use. */
  loaded(): readonly { readonly loaded: LoadedModel; readonly expires: number | undefined }[];
  /** The id that a client means; undefined: there is none. */
  idOf(name: string): string | undefined;
  /**
   * Loads a model if it is not. `signal`: nobody waits for it any longer. Throws QueueFull, ApiError 503 if there is no room
   * or the server stops, 499 after an abort, and what loading throws.
   */
  use(id: string, signal?: AbortSignal): Promise<Lease>;
  /** Closes a model as soon as it is not in use; the first one stays. Loads nothing. */
  unload(id: string): void;
  /**
   * Keeps a model from being loaded while it is deleted. Throws ApiError 409 if it, or another revision of it, is loaded or
   * being loaded.
   */
  removing(id: string, remove: () => Promise<void>): Promise<void>;
}
