import { HTTP_SHAPE, STDIO_SHAPE } from './keys.ts';

/** A position inside an entry. */
export type Path = readonly (string | number)[];

/** A fault of an entry. Disables that server only. */
export class EntryProblem extends Error {
  readonly path: Path;
  /** The accepted shape. */
  readonly accepted: string;

  constructor(message: string, path: Path = [], accepted = `${STDIO_SHAPE} or ${HTTP_SHAPE}`) {
    super(message);
    this.path = path;
    this.accepted = accepted;
  }
}
