import { LlmHostError } from '../../errors.ts';
import { aliasesOfFamily, MODEL_ALIASES } from '../../hub/aliases.ts';
import { type HubId, parseHubId } from '../../hub/hub-id.ts';
import { nearest } from '../../text/nearest.ts';

/** For a name like that of an alias. */
function aliasHint(source: string): string | undefined {
  const names = MODEL_ALIASES.map(({ name }) => name);
  const guess = nearest(source, names) ?? aliasesOfFamily(source)[0]?.name;
  return guess && `Did you mean '${guess}'?`;
}

/** `--revision` means `@revision` after a Hub id. Throws LlmHostError USAGE for any other source. */
export function atRevision(source: string, revision: string | undefined): string {
  if (revision === undefined) return source;
  const whole = `${source}@${revision}`;
  if (!source.includes('@') && parseHubId(whole)) return whole;
  throw new LlmHostError('USAGE', `--revision ${revision} does not apply to the model '${source}'`, {
    hint: 'It only applies to models of the Hub: llm-host org/name --revision v1, or llm-host org/name@v1.',
  });
}

/** The Hub id of a command that takes nothing else. Throws LlmHostError USAGE. */
export function requireHubId(source: string, revision: string | undefined): HubId {
  const whole = atRevision(source, revision);
  const id = parseHubId(whole);
  if (id) return id;
  throw new LlmHostError('USAGE', `'${whole}' is not the name of a model on the Hub`, {
    hint:
      aliasHint(source) ?? 'Such a name is org/name, or org/name@revision, or an alias such as granite4:1b.',
  });
}
