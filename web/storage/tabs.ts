/** One tab's news for the others: a conversation has changed in storage, or is gone from it. */
export interface TabNews {
  readonly type: 'changed' | 'deleted';
  readonly id: string;
}

/** The other tabs of this browser that have the page open. */
export class Tabs {
  readonly #channel = new BroadcastChannel('llm-host');

  constructor(onNews: (news: TabNews) => void) {
    this.#channel.onmessage = ({ data }: MessageEvent<TabNews>) => onNews(data);
  }

  tell(news: TabNews): void {
    this.#channel.postMessage(news);
  }
}
