/** A setting of git: its name as `section.subsection.key`, of which only the subsection has its own case. */
export interface GitSetting {
  readonly name: string;
  readonly value: string;
}

const HEAD = /^\[[ \t]*([^\s\]"]+)(?:[ \t]+"((?:\\.|[^"\\\n])*)")?[ \t]*\]/;
const KEY = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*(=?)/;

/**
 * Reads a file of git's settings, as git does: a setting may stand behind its section's name, a value may
 * have quotes, and go on in the next line. A line that cannot be read is left out, and the next one read.
 */
export function gitSettings(text: string): readonly GitSetting[] {
  const found: GitSetting[] = [];
  let section = '';
  let rest = text.replaceAll('\r\n', '\n').trimStart();
  while (rest !== '') {
    const head = HEAD.exec(rest);
    const key = head === null ? KEY.exec(rest) : null;
    if (head !== null) {
      const [whole, name = '', own] = head;
      section =
        own === undefined ? name.toLowerCase() : `${name.toLowerCase()}.${own.replaceAll(/\\(.)/g, '$1')}`;
      rest = rest.slice(whole.length).trimStart();
    } else if (key !== null) {
      const [whole, name = '', sign] = key;
      const { value, length } =
        sign === '' ? { value: 'true', length: 0 } : valueAt(rest.slice(whole.length));
      found.push({ name: `${section}.${name.toLowerCase()}`, value });
      rest = rest.slice(whole.length + length).trimStart();
    } else {
      const end = rest.indexOf('\n');
      rest = end === -1 ? '' : rest.slice(end + 1).trimStart();
    }
  }
  return found;
}

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b' };

/** The value at the beginning of a text, and the length of what says it. */
function valueAt(text: string): { readonly value: string; readonly length: number } {
  let value = '';
  // Blanks at the end belong to a value if they are quoted.
  let kept = 0;
  let isQuoted = false;
  let at = 0;
  for (; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (sign === '\n') break;
    if (!isQuoted && (sign === '#' || sign === ';')) {
      const end = text.indexOf('\n', at);
      at = end === -1 ? text.length : end;
      break;
    }
    if (sign === '"') isQuoted = !isQuoted;
    else if (sign === '\\') {
      at += 1;
      const next = text[at] ?? '';
      if (next !== '\n') value += ESCAPED[next] ?? next;
    } else if (value !== '' || isQuoted || sign.trim() !== '') value += sign;
    if (isQuoted || sign.trim() !== '') kept = value.length;
  }
  return { value: value.slice(0, kept), length: at };
}
