import type { SamplingSettings } from '../../conversation/types.ts';
import { useChat } from '../../state/use-chat.ts';

const FIELDS = [
  { name: 'temperature', label: 'Temperature', min: 0, max: 2, step: 0.1 },
  { name: 'top_p', label: 'Top p', min: 0, max: 1, step: 0.05 },
  { name: 'top_k', label: 'Top k', min: 0, max: 1000, step: 1 },
  { name: 'min_p', label: 'Min p', min: 0, max: 1, step: 0.05 },
  { name: 'repetition_penalty', label: 'Repetition penalty', min: 0.5, max: 2, step: 0.05 },
  { name: 'max_tokens', label: 'Reply tokens', min: 1, max: 1_000_000, step: 1 },
  { name: 'seed', label: 'Seed', min: 0, max: 4_294_967_295, step: 1 },
] as const;

/** How tokens are chosen; an empty field is the server's to decide. */
export function SamplingFields({ sampling }: { readonly sampling: SamplingSettings }) {
  const chat = useChat();
  const set = (name: keyof SamplingSettings, typed: string) => {
    const value = typed === '' ? undefined : Number(typed);
    if (value === undefined || Number.isFinite(value))
      chat.setSettings({ sampling: { ...sampling, [name]: value } });
  };
  return (
    <fieldset>
      <legend>Sampling</legend>
      <div className="grid">
        {FIELDS.map(({ name, label, ...range }) => (
          <label key={name}>
            {label}
            <input
              type="number"
              inputMode="decimal"
              placeholder="default"
              {...range}
              value={sampling[name] ?? ''}
              onChange={event => set(name, event.target.value)}
            />
          </label>
        ))}
      </div>
    </fieldset>
  );
}
