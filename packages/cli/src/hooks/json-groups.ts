import { canonicalize } from '@subluminal/core-types';
import {
  applyEdits,
  insertAfter,
  insertFirst,
  insertFirstMember,
  removeItem,
  removeMember,
} from '../clients/text/json/edit.js';
import { readJson, STRICT } from '../clients/text/json/read.js';
import {
  type JsonMember,
  type JsonNode,
  memberOf,
  nodeAt,
  type ObjectNode,
} from '../clients/text/json/tree.js';
import { TextProblem } from '../text/text-problem.js';

/** One group of handlers of one event, as it is to stand in a file. */
export interface HookGroup {
  readonly event: string;
  readonly group: object;
}

/** Whether a handler, read from a file, is one of ours. */
export type IsOurs = (handler: Readonly<Record<string, unknown>>) => boolean;

/**
 * The text of a file of hooks with these groups behind those of others, in the place of whatever of ours
 * stood there before; every other byte as it was. Pure. Throws `TextProblem`.
 */
export function withGroups(text: string, groups: readonly HookGroup[], isOurs: IsOurs): string {
  if (hasExactly(text, groups, isOurs)) return text;
  let now = withoutGroups(text.trim() === '' ? '{}\n' : text, isOurs);
  for (const { event, group } of groups) now = withGroup(now, event, group);
  return now;
}

/**
 * The text without anything of ours; lists and the member that this empties go too. Pure. Throws
 * `TextProblem`.
 */
export function withoutGroups(text: string, isOurs: IsOurs): string {
  let now = text;
  for (let next = withoutOne(now, isOurs); next !== now; next = withoutOne(now, isOurs)) now = next;
  return now;
}

/** Whether these groups, and no others of ours, stand in a text. Throws `TextProblem`. */
export function hasExactly(text: string, groups: readonly HookGroup[], isOurs: IsOurs): boolean {
  if (text.trim() === '') return false;
  const hooks = nodeAt(rootOf(text), ['hooks']);
  if (hooks?.kind !== 'object') return false;
  const found = hooks.members.flatMap(({ key: event, value }) =>
    itemsOf(value)
      .filter((group) => itemsOf(memberOf(group, 'hooks')?.value).some((one) => isOurs(objectOf(text, one))))
      .map((group) => canonicalize({ event, group: objectOf(text, group) })),
  );
  const wanted = groups.map((group) => canonicalize(group));
  return found.toSorted().join('\n') === wanted.toSorted().join('\n');
}

/** Handlers in a text, with the place of each. Throws `TextProblem`. */
export function handlersIn(text: string): readonly FoundHandler[] {
  const hooks = nodeAt(rootOf(text), ['hooks']);
  if (hooks?.kind !== 'object') return [];
  return hooks.members.flatMap(({ key: event, value }) =>
    itemsOf(value).flatMap((group, at) =>
      itemsOf(memberOf(group, 'hooks')?.value).map((handler, index) => ({
        event,
        group: at,
        index,
        handler: objectOf(text, handler),
        matcher: objectOf(text, group)['matcher'],
      })),
    ),
  );
}

/** The events of the handlers in a text: of ours, and of others. Throws `TextProblem`. */
export function eventsIn(
  text: string,
  isOurs: IsOurs,
): { readonly ours: readonly string[]; readonly others: readonly string[] } {
  const found = text.trim() === '' ? [] : handlersIn(text);
  const events = (own: boolean): readonly string[] =>
    found.filter(({ handler }) => isOurs(handler) === own).map(({ event }) => event);
  return { ours: events(true), others: events(false) };
}

/** One handler of a file. */
export interface FoundHandler {
  readonly event: string;
  /** Its places, from 0: of its group among those of the event, and in the group. */
  readonly group: number;
  readonly index: number;
  readonly handler: Readonly<Record<string, unknown>>;
  readonly matcher: unknown;
}

function withGroup(text: string, event: string, group: object): string {
  const root = rootOf(text);
  const hooks = memberOf(root, 'hooks');
  if (hooks === undefined) return applyEdits(text, [addMember(text, root, 'hooks', { [event]: [group] }, 1)]);
  if (hooks.value.kind !== 'object') throw new TextProblem('`hooks` is no object', text, hooks.value.start);
  const list = memberOf(hooks.value, event);
  if (list === undefined) return applyEdits(text, [addMember(text, hooks.value, event, [group], 2)]);
  if (list.value.kind !== 'array') throw new TextProblem(`\`${event}\` is no list`, text, list.value.start);
  const last = list.value.items.at(-1);
  if (last === undefined) return applyEdits(text, [insertFirst(text, list.value, [laidOut(group, 3)])]);
  return applyEdits(text, [
    { start: last.end, end: last.end, text: `,\n${'  '.repeat(3)}${laidOut(group, 3)}` },
  ]);
}

function addMember(text: string, object: ObjectNode, key: string, value: unknown, depth: number) {
  const last = object.members.at(-1);
  const source = laidOut(value, depth);
  if (last !== undefined) return insertAfter(text, last, key, source);
  const inner = insertFirstMember(text, object, key, source);
  const [lead, trail] = [`\n${'  '.repeat(depth)}`, `\n${'  '.repeat(depth - 1)}`];
  return { ...inner, text: `${lead}${inner.text}${trail}` };
}

function withoutOne(text: string, isOurs: IsOurs): string {
  const hooks = memberOf(rootOf(text), 'hooks');
  if (hooks?.value.kind !== 'object') return text;
  for (const list of hooks.value.members) {
    for (const [at, group] of itemsOf(list.value).entries()) {
      const handlers = memberOf(group, 'hooks')?.value;
      const own = itemsOf(handlers).findIndex((handler) => isOurs(objectOf(text, handler)));
      if (own === -1 || handlers === undefined) continue;
      if (itemsOf(handlers).length > 1) return applyEdits(text, [removeItem(handlers, own)]);
      if (itemsOf(list.value).length > 1) return applyEdits(text, [removeItem(list.value, at)]);
      if (hooks.value.members.length > 1) return applyEdits(text, removeMember(text, hooks.value, list));
      return withoutHooks(text, rootOf(text), hooks);
    }
  }
  return text;
}

/** The member `hooks` goes, and with it the lines of an object that has no other. */
function withoutHooks(text: string, root: ObjectNode, hooks: JsonMember): string {
  if (root.members.length > 1) return applyEdits(text, removeMember(text, root, hooks));
  return applyEdits(text, [{ start: root.start, end: root.end, text: '{}' }]);
}

function rootOf(text: string): ObjectNode {
  const root = readJson(text, STRICT);
  if (root?.kind !== 'object') throw new TextProblem('this is no JSON object', text, 0);
  return root;
}

function itemsOf(node: JsonNode | undefined): readonly JsonNode[] {
  return node?.kind === 'array' ? node.items : [];
}

function objectOf(text: string, { start, end }: JsonNode): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text.slice(start, end));
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** A value as people lay it out, its lines indented as deep as it stands. */
function laidOut(value: unknown, depth: number): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${'  '.repeat(depth)}`);
}
