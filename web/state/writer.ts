const NAME = 'llm-host-writer';

/** The one of this tab before it was loaded again; undefined: it was not. */
export const LAST_WRITER: string | undefined = sessionStorage.getItem(NAME) ?? undefined;

/** This opening of the page, among all tabs. */
export const WRITER: string = Math.random().toString(36).slice(2);

sessionStorage.setItem(NAME, WRITER);
