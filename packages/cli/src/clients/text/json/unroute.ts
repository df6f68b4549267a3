import type { ToUnroute, Unrouted, UnroutedText } from '../../client.js';
import { TOKEN_HEADER, UPSTREAM_HEADER } from '../../ours.js';
import { applyEdits, removeMember, replaceValue, type Edit } from './edit.js';
import { readJson, type Dialect } from './read.js';
import { sameMeaning } from './same-meaning.js';
import { shapeOf, type Shape } from './shape.js';
import { memberOf, nodeAt, type JsonNode } from './tree.js';

/** Puts entries back; see `Client.unroute`. */
export function unrouteJson(
  text: string,
  entries: readonly ToUnroute[],
  dialect: Dialect,
  urlKeys: readonly string[],
): UnroutedText {
  const root = readJson(text, dialect);
  const edits: Edit[] = [];
  const became = entries.map(({ pointer, back }): Unrouted => {
    const node = nodeAt(root, pointer);
    if (node === undefined) return { kept: 'it is not there any more', gone: true };
    if (back !== undefined) {
      const written = readJson(back.written, dialect);
      if (written !== undefined && sameMeaning(written, node)) {
        edits.push(replaceValue(node, back.original));
        return { how: 'exact' };
      }
    }
    const unwrapped = unwrap(text, node, dialect, urlKeys);
    if (unwrapped === undefined) return { kept: 'it is not routed any more', gone: true };
    edits.push(...unwrapped);
    return { how: 'unwrapped' };
  });
  return { text: applyEdits(text, edits), became };
}

function unwrap(
  text: string,
  node: JsonNode,
  dialect: Dialect,
  urlKeys: readonly string[],
): readonly Edit[] | undefined {
  const shape = shapeOf(node, urlKeys);
  if (shape.ours === undefined) return undefined;
  if (shape.ours !== 'http') return command(text, shape);
  // Each step of it looks at what the one before has left: of this entry alone.
  const own = address(text.slice(node.start, node.end), dialect, urlKeys);
  return own === undefined ? undefined : [replaceValue(node, own)];
}

/** The command and the arguments behind the `--` take their places again. */
function command(text: string, { node, ours }: Shape): readonly Edit[] | undefined {
  const program = memberOf(node, 'command')?.value;
  const args = memberOf(node, 'args')?.value;
  if (typeof ours !== 'object' || program === undefined || args?.kind !== 'array') return undefined;
  const [first] = args.items;
  const own = args.items[ours.commandAt];
  if (first === undefined || own === undefined) return undefined;
  const rest = args.items[ours.commandAt + 1];
  return [
    replaceValue(program, text.slice(own.start, own.end)),
    // Without a further argument a trailing comma would be left alone in the list.
    { start: first.start, end: rest?.start ?? args.end - 1, text: '' },
  ];
}

/** An entry whose address of the header takes its place again, without our headers. */
function address(text: string, dialect: Dialect, urlKeys: readonly string[]): string | undefined {
  const node = readJson(text, dialect);
  if (node === undefined) return undefined;
  const { url } = shapeOf(node, urlKeys);
  const upstream = memberOf(memberOf(node, 'headers')?.value, UPSTREAM_HEADER)?.value;
  const at = url === undefined ? undefined : memberOf(node, url.key)?.value;
  if (upstream === undefined || at === undefined) return undefined;
  let result = applyEdits(text, [replaceValue(at, text.slice(upstream.start, upstream.end))]);
  for (const path of [['headers', UPSTREAM_HEADER], ['headers', TOKEN_HEADER], ['headers']]) {
    result = without(result, path, dialect);
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
