import type { CallPart, CallState } from '../../conversation/types.ts';
import { plain } from '../../markdown/plain.ts';
import { visibleJson } from '../../markdown/visible-json.ts';
import { useChatState } from '../../state/use-chat.ts';
import { Icon, type IconName } from '../../widgets/icon.tsx';
import { ApprovalQuestion } from './approval-question.tsx';

const SHOWN: Readonly<Record<CallState, readonly [IconName, string]>> = {
  running: ['tool', 'running'],
  asking: ['help', 'waits for you'],
  done: ['check', 'done'],
  failed: ['alert', 'failed'],
  refused: ['close', 'refused'],
  ended: ['stop', 'not finished'],
};

/** A call of a tool: what it was called with, what came back, and the question whether it may run. */
export function ToolCard({ call }: { readonly call: CallPart }) {
  const { name, server, seconds, progress, result } = call;
  const state = useShownState(call);
  const [icon, word] = SHOWN[state];
  const detail = [
    state === 'running' && progress ? progress : word,
    ...(seconds === undefined ? [] : [`${seconds.toFixed(1)} s`]),
  ].join(' · ');
  return (
    <section className={`tool-card ${state}`} aria-label={`Tool ${name}`}>
      <details open={state === 'asking'}>
        <summary>
          <Icon name={icon} />
          <span className="name">{plain(name)}</span>
          <span className="hint brief">{plain(JSON.stringify(call.arguments))}</span>
          <span className="state">{plain(detail)}</span>
        </summary>
        <h3>{server === undefined ? 'Called with' : `Called on ${plain(server)} with`}</h3>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without it, keys could not scroll the text */}
        <pre tabIndex={0}>{visibleJson(call.arguments)}</pre>
        {result !== undefined && (
          <>
            <h3>{state === 'done' ? 'Result' : 'Why'}</h3>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: as above */}
            <pre tabIndex={0}>{plain(result)}</pre>
          </>
        )}
      </details>
      {call.state === 'asking' && <ApprovalQuestion call={call} hidden={state !== 'asking'} />}
    </section>
  );
}

/** An answer shows at once, not only when the call has ended. */
function useShownState({ state, question }: CallPart): CallState {
  const approved = useChatState(({ answered }) => question && answered.get(question.approval));
  if (state !== 'asking' || approved === undefined) return state;
  return approved ? 'running' : 'refused';
}
