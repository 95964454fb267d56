const NAME = 'llm-host-key';

/** The API key: in this tab until it is closed, and nowhere else. */
export function sessionKey(): string | undefined {
  return sessionStorage.getItem(NAME) ?? undefined;
}

export function keepKey(key: string): void {
  sessionStorage.setItem(NAME, key);
}
