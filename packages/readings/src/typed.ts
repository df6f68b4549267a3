const ESCAPE = '\u001b';
/** Behind the escape character: how a terminal is told of keys and of pasted text. */
const SEQUENCE = /^(?:\[[0-9;?]{0,16}[ -/]?[@-~]|O[A-Z])/;
/** Interrupt, end of input, and Return end a line. */
const ENDS: ReadonlySet<string> = new Set(['\n', '\r', '\u0003', '\u0004']);

/** The lines that keys come to in a terminal; Backspace takes back a character, Ctrl-U the line. */
export function typedText(keys: string): string {
  const [first = '', ...others] = keys.split(ESCAPE);
  const text = first + others.map((part) => part.replace(SEQUENCE, '')).join('');
  let line = '';
  let all = '';
  for (const key of text) {
    if (ENDS.has(key)) {
      all += `${line}\n`;
      line = '';
    } else if (key === '\b' || key === '\u007f') line = line.slice(0, -1);
    else if (key === '\u0015') line = '';
    else if (key === '\t' || key >= ' ') line += key;
  }
  return all + line;
}
