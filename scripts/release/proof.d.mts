export interface Proof {
  readonly date: string;
  readonly commit: string;
  readonly platform: string;
  readonly system: string;
  readonly chip: string;
  readonly cores: number;
  readonly memoryGB: number;
  readonly node: string;
  readonly mlx: { readonly version: string; readonly source?: string; readonly wheel?: string };
  readonly steps: readonly {
    readonly name: string;
    readonly ok: boolean;
    readonly seconds: number;
    readonly error?: string;
    readonly output?: string;
    readonly counts?: { readonly passed: number; readonly failed: number; readonly skipped: number };
  }[];
}

export function installedPeers(cache: string): string[];
export function proofPage(proof: Proof): string;
export function proofLine(proof: Proof): string;
export function keptProofs(folder: string, platform: string): Proof[];
