export interface ToolOutcome {
  /** Text for the model, with placeholders for images and resources. */
  readonly text: string;
  /** Where `text` is cut: more of it, in which a model can read on. */
  readonly whole?: string;
  /** The server reported a tool error, described in `text`. */
  readonly isError: boolean;
  /** Paths of its images and sounds that were saved. */
  readonly saved?: readonly string[];
  /** Resources that it links to. */
  readonly links?: readonly { readonly server: string; readonly uri: string }[];
}

export interface Progress {
  readonly done: number;
  readonly total?: number;
  readonly message?: string;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds. Progress restarts it, up to ten times this in all. */
  readonly timeoutMs: number;
  readonly onProgress?: (progress: Progress) => void;
  /** The server starts or stops waiting for the user, who fills in a form. */
  readonly onWaiting?: (waiting: boolean) => void;
  /**
   * Called once the call may run or is refused: how long that took, since the user may have been asked, and other arguments
   * that the user has put in the place of the given ones.
   */
  readonly onPermit?: (permit: {
    readonly waitedMs: number;
    readonly changed: Readonly<Record<string, unknown>> | undefined;
  }) => void;
  /**
   * The server works on the call as a task, for longer than `timeoutMs`: told once, and the call waits up to `limitMs` in all.
   * Without it such a task goes on in the background.
   */
  readonly onLongTask?: (limitMs: number) => void;
}
