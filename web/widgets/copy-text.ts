/** Puts a text into the clipboard; whether it could. Pages that come over plain HTTP from another machine have only the old way. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'offscreen';
  // Inside an open dialog, or it could not take the focus.
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  const before = document.activeElement;
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return copied;
}
