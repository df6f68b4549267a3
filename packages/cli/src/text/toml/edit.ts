import { TextProblem } from '../text-problem.js';
import { editOf, type Edit, type TomlChange } from './change.js';
import { readDocument } from './document.js';
import { sameMeaning, valueMeaning, withMeaning, type Table } from './meaning.js';
import { Index } from './places.js';
import { sectionsOf } from './syntax.js';

/**
 * A text with these changes, one after the other, and every unit outside of them as it was. A value is
 * replaced where it stands; a new pair gets a line (or a place in its inline table) of its own, so that
 * taking it out again gives the text as it was. A table that is to go must be empty. Throws `TextProblem` for
 * a text that is no TOML, where there is no place for a new pair, and where the outcome would mean anything
 * else than the text before with these values changed.
 */
export function editToml(text: string, changes: readonly TomlChange[]): string {
  let expected: Table = readDocument(text).meaning;
  for (const { path, source } of changes) {
    expected = withMeaning(expected, path, source === undefined ? undefined : valueMeaning(source));
  }
  let edited = text;
  for (let left = changes; left.length > 0;) {
    const { edits, later } = round(edited, left);
    edited = applied(edited, edits);
    left = later;
  }
  if (!means(edited, expected)) {
    throw new TextProblem('this cannot be changed without changing something else', text, 0);
  }
  return edited;
}

/**
 * The changes that can be made at once, so that a file of many servers is not read again for each of them. A
 * change waits for the next round where it touches another one, or where one before it adds or removes
 * something of the same server.
 */
function round(
  text: string,
  changes: readonly TomlChange[],
): { readonly edits: readonly Edit[]; readonly later: readonly TomlChange[] } {
  const index = new Index(sectionsOf(text));
  const edits: Edit[] = [];
  const later: TomlChange[] = [];
  const busy = new Set<string>();
  // A change above the servers may move any of them: it goes alone.
  const above = changes.findIndex(({ path }) => path.length < 3);
  const end = above === -1 ? changes.length : Math.max(above, 1);
  for (const change of changes.slice(0, end)) {
    const server = JSON.stringify(change.path.slice(0, 2));
    const edit = busy.has(server) ? undefined : editOf(text, index, change);
    const isFree = edit !== undefined && edits.every((one) => one.end < edit.start || edit.end < one.start);
    if (isFree) edits.push(edit);
    else later.push(change);
    if (!isFree || !edit.replaces) busy.add(server);
  }
  return { edits, later: [...later, ...changes.slice(end)] };
}

function applied(text: string, edits: readonly Edit[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end, put } of edits.toSorted((one, other) => one.start - other.start)) {
    pieces.push(text.slice(at, start), put);
    at = end;
  }
  return pieces.join('') + text.slice(at);
}

function means(text: string, expected: Table): boolean {
  try {
    return sameMeaning(readDocument(text).meaning, expected);
  } catch (error) {
    if (error instanceof TextProblem) return false;
    throw error;
  }
}
