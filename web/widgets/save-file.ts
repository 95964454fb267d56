/** A browser may begin to read the file a while after the click, or once the user has said where it goes. */
const READ_MS = 60_000;

/** Gives the user a file with this text. */
export function saveFile(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), READ_MS);
}
