import { request } from './request.ts';

export interface Model {
  readonly id: string;
  /** Undefined for one that is not loaded. */
  readonly contextLength: number | undefined;
  readonly thinks: boolean;
}

export interface Tool {
  readonly name: string;
  readonly server: string;
  readonly description: string;
  readonly readOnly: boolean;
}

/** The served models, the first the server's own. */
export async function readModels(): Promise<readonly Model[]> {
  const { data } = (await (await request('v1/models')).json()) as { data: Record<string, unknown>[] };
  return data.map(({ id, context_length: length, thinking }) => ({
    id: String(id),
    contextLength: typeof length === 'number' ? length : undefined,
    thinks: thinking === true,
  }));
}

export async function readTools(): Promise<readonly Tool[]> {
  const { data } = (await (await request('v1/tools')).json()) as { data: Record<string, unknown>[] };
  return data.map(({ name, server, description, read_only: readOnly }) => ({
    name: String(name),
    server: String(server),
    description: String(description),
    readOnly: readOnly === true,
  }));
}
