import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../errors.ts';
import { GrammarMatching, NoMatcher, type VocabularyMessage } from './grammar-matching.ts';

/** A request to the thread; each `id` gets one response. */
export type GrammarRequest = { readonly id: number } & (
  | { readonly op: 'prepare'; readonly grammar: string }
  | { readonly op: 'start'; readonly grammar: string; readonly texts: readonly string[] }
  | { readonly op: 'accept'; readonly matcher: number; readonly ids: readonly number[] }
  | { readonly op: 'next'; readonly matcher: number }
  | { readonly op: 'close'; readonly matcher: number }
);

export type GrammarReply = { readonly id: number } & (
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      readonly message: string;
      /** The thread must not be asked again. */
      readonly broken: boolean;
    }
);

const matching = GrammarMatching.create(workerData as VocabularyMessage);
// Reported to the first request.
matching.catch(() => undefined);
// One at a time: a matcher must not be used while its grammar compiles.
let last: Promise<unknown> = Promise.resolve();

parentPort?.on('message', (request: GrammarRequest) => {
  last = last.then(() => answer(request));
});

async function answer(request: GrammarRequest): Promise<void> {
  const { id } = request;
  try {
    parentPort?.postMessage({ id, ok: true, value: await run(await matching, request) });
  } catch (error) {
    // The library ends what it cannot do by an abort, which leaves its stack as it was: after some, or one of
    // another kind, nothing works any more.
    const broken = !(error instanceof NoMatcher);
    parentPort?.postMessage({ id, ok: false, message: messageOf(error), broken } satisfies GrammarReply);
  }
}

function run(grammars: GrammarMatching, request: GrammarRequest): unknown {
  switch (request.op) {
    case 'prepare':
      return grammars.prepare(request.grammar);
    case 'start':
      return grammars.start(request.grammar, request.texts);
    case 'accept':
      return grammars.accept(request.matcher, request.ids);
    case 'next':
      return grammars.next(request.matcher);
    case 'close':
      return grammars.close(request.matcher);
  }
}
