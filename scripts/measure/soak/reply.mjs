/** The scripted engine's replies: to `turn:N` a call of `echo` with `heard:N`, to its result `said:N`. */
export function reply(prompt) {
  const start = prompt.lastIndexOf('turn:');
  const turn = /^turn:(\w+)/.exec(prompt.slice(start, start + 40))?.[1];
  if (start < 0 || turn === undefined) return 'nothing was asked';
  const rest = prompt.slice(start);
  if (rest.split('<|im_start|>assistant').length > 2) {
    const heard = /<tool_response>\s*heard:(\w+)/.exec(rest)?.[1];
    return `said:${turn} ${heard === turn ? 'as heard' : 'without an answer'}`;
  }
  const name = Number.parseInt(turn.replace(/\D/g, ''), 10) % 2 ? 'polite__echo' : 'fickle__echo';
  return `<tool_call>\n${JSON.stringify({ name, arguments: { text: `heard:${turn}` } })}\n</tool_call>`;
}
