// Escape sequences (CSI, OSC, DCS, single escapes) and C0/C1 controls except newline and tab.
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]?|\r(?=\n)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Makes text from models and tools safe to print: no cursor moves, titles or clipboard writes. */
export function stripControls(text: string): string {
  return text.replace(SEQUENCES, '');
}
