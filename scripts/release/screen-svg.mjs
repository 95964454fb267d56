/** A terminal's 16 colours, on a dark ground. */
const PALETTE = [
  ...['#1e222a', '#e06c75', '#98c379', '#e5c07b', '#61afef', '#c678dd', '#56b6c2', '#abb2bf'],
  ...['#5c6370', '#ff7b86', '#b5e890', '#ffd68a', '#7cc7ff', '#de8ef5', '#6fd3df', '#ffffff'],
];
const GROUND = '#1e222a';
const INK = '#d7dae0';
// As high as a line of the font, so that the bars of rows join.
const CELL = { width: 8.43, height: 16.5, baseline: 13 };
const MARGIN = 12;
const BAR = 26;

/**
 * The window of a headless xterm terminal as an SVG picture.
 * @param {import('@xterm/headless').Terminal} terminal
 * @param {string} title in the bar above it
 */
export function screenSvg(terminal, title) {
  const { cols, rows } = terminal;
  const width = Math.ceil(cols * CELL.width + 2 * MARGIN);
  const height = rows * CELL.height + BAR + 2 * MARGIN;
  const buffer = terminal.buffer.active;
  const lines = Array.from({ length: rows }, (_, row) =>
    lineSvg(buffer.getLine(buffer.viewportY + row), cols, row),
  );
  const cursor = place(buffer.cursorX, buffer.cursorY + buffer.baseY - buffer.viewportY);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-label="${escaped(title)}">
<rect width="${width}" height="${height}" rx="8" fill="${GROUND}"/>
<g fill="#5c6370"><circle cx="18" cy="14" r="5"/><circle cx="36" cy="14" r="5"/><circle cx="54" cy="14" r="5"/></g>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="${INK}">
<text x="${width / 2}" y="18" text-anchor="middle" font-size="12" fill="#828997">${escaped(title)}</text>
${lines.filter(Boolean).join('\n')}
<rect x="${cursor.x}" y="${cursor.y}" width="${CELL.width}" height="${CELL.height}" fill="${INK}" opacity="0.5"/>
</g>
</svg>
`;
}

function place(column, row) {
  return { x: round(MARGIN + column * CELL.width), y: round(BAR + MARGIN + row * CELL.height) };
}

/** One `<text>` for each run of cells that look alike. */
function lineSvg(line, cols, row) {
  const runs = [];
  for (let column = 0; column < cols; column++) {
    const cell = line?.getCell(column);
    if (!cell || cell.getWidth() === 0) continue;
    const style = styleOf(cell);
    const text = cell.getChars() || ' ';
    const last = runs.at(-1);
    // Wide characters and the spinner's braille get separate runs: they often come from another font.
    const alone = cell.getWidth() > 1 || /[\u2800-\u28ff]/.test(text);
    if (last && last.style === style && !alone && !last.alone) last.text += text;
    else runs.push({ column, style, text, alone });
  }
  return runs
    .filter(({ text }) => text.trim() !== '')
    .map(({ column, style, text, alone }) => {
      const lead = text.length - text.trimStart().length;
      const shown = text.trim();
      const { x, y } = place(column + lead, row);
      const length = alone ? '' : ` textLength="${round(shown.length * CELL.width)}"`;
      return `<text x="${x}" y="${round(y + CELL.baseline)}"${length}${style} xml:space="preserve">${escaped(shown)}</text>`;
    })
    .join('');
}

function styleOf(cell) {
  const color = cell.isFgRGB()
    ? `#${cell.getFgColor().toString(16).padStart(6, '0')}`
    : cell.isFgPalette()
      ? PALETTE[cell.getFgColor()]
      : undefined;
  return [
    color ? ` fill="${color}"` : '',
    cell.isBold() ? ' font-weight="bold"' : '',
    cell.isItalic() ? ' font-style="italic"' : '',
    cell.isUnderline() ? ' text-decoration="underline"' : '',
    cell.isDim() ? ' opacity="0.6"' : '',
  ].join('');
}

const round = value => Math.round(value * 100) / 100;

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
