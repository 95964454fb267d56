/** GPT-2's byte-to-unicode alphabet: printable Latin-1 maps to itself, the other 68 bytes to U+0100 and up. */
export function byteLetters(): readonly string[] {
  let extra = 0x100;
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
    return String.fromCodePoint(printable ? byte : extra++);
  });
}
