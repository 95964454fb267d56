/** GPT-2's letters for the 256 bytes: printable Latin-1 stands for itself, the other 68 bytes for U+0100 and up. */
export function byteLetters(): readonly string[] {
  let extra = 0x100;
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
    return String.fromCodePoint(printable ? byte : extra++);
  });
}
