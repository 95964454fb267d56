import type { DownloadProgress } from '../hub/transfer-meter.ts';
import type { MemoryOptions } from '../model/load-model.ts';
import type { LoadProgress } from '../native/load-types.ts';

/** How a model is loaded into this process: the same for the command line, the library and the engine. */
export interface ModelOptions extends MemoryOptions {
  /** With `quantize`: a missing or empty folder that receives the result as a checkpoint in MLX layout. */
  readonly saveQuantized?: string | undefined;
  /**
   * Bytes on disk, in the folder llm-host/prefixes of the user's caches, for what was read of system prompts and tools, so
   * that another process need not read them again. Default 0: nothing is kept.
   */
  readonly diskCacheBytes?: number | undefined;
  /** Called with what happens there, for a log. */
  readonly onDiskCache?: ((note: string) => void) | undefined;
  /** Generations at once, 1 to 256; more wait. Default 1. */
  readonly parallel?: number | undefined;
  /**
   * Milliseconds, 1 to 60,000, that a running reply should wait at most for its next token because others' prompts are read:
   * less is smoother, more reads prompts faster. Default 100.
   */
  readonly maxGapMs?: number | undefined;
  /** A smaller model with the same tokens, which proposes what comes next: the text is the same, and may come faster. */
  readonly draftModel?: string | undefined;
  /**
   * This process computes a part of the model, and others the rest: those of the group that MLX's variables MLX_HOSTFILE and
   * MLX_RANK describe. Each must run the same requests in the same order (docs/distributed.md). Default: the whole model.
   */
  readonly group?:
    | {
        /** Milliseconds to wait for the others, when loading and in each step. */
        readonly limitMs: number;
      }
    | undefined;
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
  /** Progress of a download, if one is needed. */
  readonly onDownload?: ((progress: DownloadProgress) => void) | undefined;
  /** Another process (with this id, if known) is downloading the same model, and this one waits. */
  readonly onWait?: ((pid: number | undefined) => void) | undefined;
  /** Cancels a download. */
  readonly signal?: AbortSignal | undefined;
  /** Base of relative paths. Default: of the process. */
  readonly cwd?: string | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
}
