/** Marks of chat templates and of tool calls, as far as they are the same in many families. */
const MARKS =
  /<\|[^|<>\n]{1,40}\|>|<\/?(?:s|bos|eos|think|tool_calls?|tool_response|tool_result|tools|function_call|start_of_turn|end_of_turn)>|\[\/?(?:INST|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|THINK)\]/gi;
/** A line that begins like a turn of somebody. */
const SPEAKER = /^[#*\s]*(user|human|assistant|system|tool)\s*(?:\*\*)?:(?:\*\*)?[ \t]*/gim;
/** The end of a reply that repeats itself. */
const LOOP = /([\s\S]{1,200}?)\1{2,}[\s\S]{0,200}$/;

/** What a model wrote as a summary: as plain text that cannot be taken for turns or calls, each sentence once. */
export function cleanSummary(text: string, repetitive: boolean): string {
  const plain = text.replaceAll(MARKS, '').replaceAll(SPEAKER, '($1) ');
  return eachOnce(repetitive ? plain.replace(LOOP, '$1') : plain).trim();
}

function eachOnce(text: string): string {
  const seen = new Set<string>();
  const isNew = (sentence: string): boolean => {
    const key = sentence.trim();
    if (key === '' || !seen.has(key)) seen.add(key);
    else return false;
    return true;
  };
  const lines = text.split('\n').map(line => {
    const sentences = line.split(/(?<=[.!?])\s+/);
    return { empty: line.trim() === '', text: sentences.filter(isNew).join(' ') };
  });
  return lines.flatMap(line => (line.text !== '' || line.empty ? [line.text] : [])).join('\n');
}
