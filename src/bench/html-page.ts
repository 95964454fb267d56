const STYLE = `
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 0.5rem 0 1.5rem; width: 100%; }
th, td { text-align: left; padding: 0.2rem 0.8rem 0.2rem 0; vertical-align: middle; }
td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.b { width: 45%; }
svg { display: block; width: 100%; height: 1.1rem; }
rect { fill: #3b7dd8; } tr.peer rect { fill: #a9a9a9; } line { stroke: #222; }
@media (prefers-color-scheme: dark) { body { background: #16181c; color: #e6e6e6; } line { stroke: #eee; } }
`;

/** A whole page. `title` is plain text, `body` HTML. */
export function page(title: string, body: string): string {
  const name = escaped(title);
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${name}</title>
<style>${STYLE}</style></head>
<body>
<h1>${name}</h1>
${body}
</body>
</html>
`;
}

export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, mark => `&#${mark.charCodeAt(0)};`);
}
