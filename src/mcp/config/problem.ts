import { HTTP_SHAPE, STDIO_SHAPE } from './keys.ts';

/** Where something stands inside an entry. */
export type Path = readonly (string | number)[];

/** What is wrong with an entry: it disables this server only. */
export class EntryProblem extends Error {
  readonly path: Path;
  /** The shape that would be right. */
  readonly accepted: string;

  constructor(message: string, path: Path = [], accepted = `${STDIO_SHAPE} or ${HTTP_SHAPE}`) {
    super(message);
    this.path = path;
    this.accepted = accepted;
  }
}
