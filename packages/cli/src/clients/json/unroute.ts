import type { Unrouted, WrittenEntry } from '../client.js';
import { TOKEN_HEADER, UPSTREAM_HEADER } from '../ours.js';
import { applyEdits, removeMember, replaceValue } from './edit.js';
import { readJson, type Dialect } from './read.js';
import { sameMeaning } from './same-meaning.js';
import { shapeOf, type Shape } from './shape.js';
import { memberOf, nodeAt } from './tree.js';

const GONE: Unrouted = { kept: 'it is not routed any more', gone: true };

/** Puts one entry back; see `Client.unroute`. */
export function unrouteJson(
  text: string,
  pointer: readonly string[],
  back: WrittenEntry | undefined,
  dialect: Dialect,
  urlKeys: readonly string[],
): Unrouted {
  const node = nodeAt(readJson(text, dialect), pointer);
  if (node === undefined) return { kept: 'it is not there any more', gone: true };
  if (back !== undefined) {
    const written = readJson(back.written, dialect);
    if (written !== undefined && sameMeaning(back.written, written, text, node)) {
      return { text: applyEdits(text, [replaceValue(node, back.original)]), how: 'exact' };
    }
  }
  const shape = shapeOf(node, urlKeys);
  if (shape.ours === undefined) return GONE;
  const unwrapped = shape.ours === 'http' ? address(text, pointer, shape, dialect) : command(text, shape);
  return unwrapped === undefined ? GONE : { text: unwrapped, how: 'unwrapped' };
}

/** The command and the arguments behind the `--` take their places again. */
function command(text: string, { node, ours }: Shape): string | undefined {
  const program = memberOf(node, 'command')?.value;
  const args = memberOf(node, 'args')?.value;
  if (typeof ours !== 'object' || program === undefined || args?.kind !== 'array') return undefined;
  const [first] = args.items;
  const own = args.items[ours.commandAt];
  if (first === undefined || own === undefined) return undefined;
  const rest = args.items[ours.commandAt + 1];
  return applyEdits(text, [
    replaceValue(program, text.slice(own.start, own.end)),
    // Without a further argument a trailing comma would be left alone in the list.
    { start: first.start, end: rest?.start ?? args.end - 1, text: '' },
  ]);
}

/** The address of the header takes its place again, and our headers go. */
function address(
  text: string,
  pointer: readonly string[],
  { node, url }: Shape,
  dialect: Dialect,
): string | undefined {
  const upstream = memberOf(memberOf(node, 'headers')?.value, UPSTREAM_HEADER)?.value;
  const at = url === undefined ? undefined : memberOf(node, url.key)?.value;
  if (upstream === undefined || at === undefined) return undefined;
  let result = applyEdits(text, [replaceValue(at, text.slice(upstream.start, upstream.end))]);
  for (const path of [['headers', UPSTREAM_HEADER], ['headers', TOKEN_HEADER], ['headers']]) {
    result = without(result, [...pointer, ...path], dialect);
  }
  return result;
}

/** Takes a member out; an object only where it is empty. */
function without(text: string, pointer: readonly string[], dialect: Dialect): string {
  const parent = nodeAt(readJson(text, dialect), pointer.slice(0, -1));
  const member = memberOf(parent, pointer.at(-1) ?? '');
  if (parent?.kind !== 'object' || member === undefined) return text;
  if (member.value.kind === 'object' && member.value.members.length > 0) return text;
  return applyEdits(text, removeMember(text, parent, member));
}
