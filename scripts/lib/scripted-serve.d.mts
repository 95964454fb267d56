export interface ScriptedServe {
  readonly url: string;
  /** The folder of the `files` server. */
  readonly files: string;
  stop(): Promise<void>;
}

export function startScripted(
  script: object,
  options?: { readonly args?: readonly string[]; readonly port?: number },
): Promise<ScriptedServe>;
