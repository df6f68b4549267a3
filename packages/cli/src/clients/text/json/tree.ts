/** Where a value stands in a JSON text: the characters from `start` up to `end`. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** One member of an object: its key, unescaped, with the span of the key's text, and its value. */
export interface JsonMember {
  readonly key: string;
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly value: JsonNode;
}

/** A value of a JSON text with its place. Numbers, truth values and null are plain. */
export type JsonNode =
  | (Span & { readonly kind: 'object'; readonly members: readonly JsonMember[] })
  | (Span & { readonly kind: 'array'; readonly items: readonly JsonNode[] })
  | (Span & { readonly kind: 'string'; readonly value: string })
  | (Span & { readonly kind: 'plain'; readonly value: unknown });

/** An object of a JSON text. */
export type ObjectNode = JsonNode & { readonly kind: 'object' };

/** The member of an object, undefined where it has none or the value is no object. */
export function memberOf(node: JsonNode | undefined, key: string): JsonMember | undefined {
  return node?.kind === 'object' ? node.members.find((member) => member.key === key) : undefined;
}

/** The value at a path of keys. */
export function nodeAt(root: JsonNode | undefined, pointer: readonly string[]): JsonNode | undefined {
  let node = root;
  for (const key of pointer) node = memberOf(node, key)?.value;
  return node;
}

/** A member's value where that is a text. */
export function stringAt(node: JsonNode | undefined, key: string): string | undefined {
  const value = memberOf(node, key)?.value;
  return value?.kind === 'string' ? value.value : undefined;
}
