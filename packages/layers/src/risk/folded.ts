import { type BytePath, bytesOf, namesOf } from '../files/byte-path.js';

/** Letters that some file systems leave out of a name: joiners, marks of direction, the byte order mark. */
const LEFT_OUT = /[\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFEFF]/gu;

/** Nothing of such a name is folded. */
const PLAIN = /^[a-z0-9_.-]*[a-z0-9_-]$/;

/**
 * A name as the file systems read it that take several for one: without case, without letters that are not
 * seen, without dots and spaces at its end, and without the stream that a colon begins. It is for comparing
 * names with known ones, and opens nothing.
 */
export function foldedName(name: string): string {
  if (PLAIN.test(name)) return name;
  const seen = name.normalize('NFKC').replaceAll(LEFT_OUT, '').toLowerCase();
  const colon = seen.indexOf(':');
  const own = colon > 0 ? seen.slice(0, colon) : seen;
  let end = own.length;
  while (end > 1 && (own[end - 1] === '.' || own[end - 1] === ' ')) end -= 1;
  const whole = own.slice(0, end);
  return whole === 'git~1' ? '.git' : whole;
}

/** The names of a path, each folded. */
export function foldedNames(path: BytePath): readonly string[] {
  return namesOf(path).map((name) => foldedName(bytesOf(name).toString('utf8')));
}
