const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

/** Elements whose content is no text. */
const HIDDEN = new Set(['script', 'style', 'head', 'title', 'template']);
/** Elements that begin a line. */
const BREAKS = /^\/?(?:p|div|br|tr|li|h[1-6]|table|ul|ol|blockquote|hr|section|article|header|footer)$/;

/** The text that a person would read of a page, roughly. It takes one pass, whatever the page is. */
export function htmlText(html: string): string {
  let text = '';
  let hidden: string | undefined;
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    const piece = html.slice(at, open < 0 ? html.length : open);
    if (hidden === undefined) text += decoded(piece.replaceAll(/\s+/g, ' '));
    if (open < 0) break;
    const isComment = html.startsWith('<!--', open);
    const close = html.indexOf(isComment ? '-->' : '>', open);
    if (close < 0) break;
    at = close + (isComment ? 3 : 1);
    const name = isComment
      ? ''
      : (/^\/?[a-z0-9]+/i.exec(html.slice(open + 1, open + 32))?.[0] ?? '').toLowerCase();
    if (hidden !== undefined) {
      if (name === `/${hidden}`) hidden = undefined;
    } else if (HIDDEN.has(name)) hidden = name;
    else if (BREAKS.test(name)) text += '\n';
  }
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line, index, lines) => line !== '' || lines[index - 1] !== '')
    .join('\n')
    .trim();
}

function decoded(text: string): string {
  return text.replaceAll(/&(#[0-9]{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,6});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10_ff_ff && (code < 0xd8_00 || code > 0xdf_ff)
      ? String.fromCodePoint(code)
      : whole;
  });
}
