import { useChatState } from '../../state/use-chat.ts';

/** The server's state while no text comes. */
export function WritingStatus({ id }: { readonly id: string }) {
  const status = useChatState(({ writing }) => writing.get(id));
  if (status === undefined) return <p className="writing hint">Being written in another tab</p>;
  return (
    <p className="writing hint">
      <span className="dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      {statusText(status)}
    </p>
  );
}

/** `prefill 100/2000` and `waiting, 2 ahead` in words. */
function statusText(status: string): string {
  const read = /^prefill (\d+)\/(\d+)$/.exec(status);
  if (read) {
    const [done, total] = [Number(read[1]), Number(read[2])];
    return done < total ? `reading the conversation, ${Math.floor((100 * done) / total)} %` : '';
  }
  return status;
}
