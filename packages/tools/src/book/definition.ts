import {
  canonicalize,
  isJsonObject,
  isSublError,
  sha256Hex,
  type JsonObject,
  type JsonValue,
} from '@subluminal/core-types';

/** The longest name of a tool; `tool.call.begin` takes no longer one. */
const MAX_NAME = 512;

/**
 * Members that the hash does not cover: `_meta` is where servers and proxies put what differs from answer to
 * answer, and `icons` are addresses that expire. Neither tells a model what a tool does. Every other member
 * is covered, also one that no revision of the protocol knows: a client may show it to its model.
 */
const UNCOVERED: ReadonlySet<string> = new Set(['_meta', 'icons']);

/** The classes that a server's own word gives its tools. There is no word that takes one away. */
const RAISING = [
  ['destructiveHint', 'write_like'],
  ['openWorldHint', 'network_like'],
] as const;

/** A tool as its server describes it. */
export interface ToolDefinition {
  readonly name: string;
  /** SHA-256 of `text`. */
  readonly hash: string;
  /** The same without the name: equal for a tool that was only renamed. */
  readonly shape: string;
  /** Canonical JSON of what is covered. */
  readonly text: string;
  /** Of `text` in UTF-8. */
  readonly bytes: number;
  /** Risk classes that its annotations add. */
  readonly raised: readonly string[];
}

/**
 * Reads one element of a list; undefined where it has no name or no canonical form: nobody could call it by a
 * name.
 */
export function readDefinition(value: JsonValue): ToolDefinition | undefined {
  if (!isJsonObject(value)) return undefined;
  const name = Object.hasOwn(value, 'name') ? value['name'] : undefined;
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME) return undefined;
  const covered = Object.entries(value).filter(([key]) => !UNCOVERED.has(key));
  try {
    const text = canonicalize(Object.fromEntries(covered));
    const shape = canonicalize(Object.fromEntries(covered.filter(([key]) => key !== 'name')));
    return {
      name,
      hash: sha256Hex(text),
      shape: sha256Hex(shape),
      text,
      bytes: Buffer.byteLength(text),
      raised: raisedBy(value),
    };
  } catch (error) {
    if (isSublError(error, 'not_canonical', 'too_deep')) return undefined;
    throw error;
  }
}

/** Risk classes that a definition's annotations add. */
export function raisedBy(definition: JsonObject): readonly string[] {
  const annotations = Object.hasOwn(definition, 'annotations') ? definition['annotations'] : undefined;
  if (!isJsonObject(annotations)) return NOTHING;
  const raised = RAISING.filter(
    ([hint]) => Object.hasOwn(annotations, hint) && annotations[hint] === true,
  ).map(([, name]) => name);
  return raised.length === 0 ? NOTHING : raised;
}

/** So many members are named, and so much of each name: a server can make any number of them. */
const MAX_MEMBERS = 32;
const MAX_MEMBER = 128;

/** The members of two definitions that differ, in order; the first of many. */
export function differingMembers(before: JsonObject, after: JsonObject): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const differing = [...names].filter((name) => textOf(before, name) !== textOf(after, name)).toSorted();
  return differing.slice(0, MAX_MEMBERS).map((name) =>
    Array.from(name.slice(0, 2 * MAX_MEMBER))
      .slice(0, MAX_MEMBER)
      .join(''),
  );
}

function textOf(definition: JsonObject, name: string): string | undefined {
  const value = Object.hasOwn(definition, name) ? definition[name] : undefined;
  return value === undefined ? undefined : canonicalize(value);
}

const NOTHING: readonly string[] = Object.freeze([]);
