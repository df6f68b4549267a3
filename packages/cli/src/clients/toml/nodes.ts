/** A stretch of a text, in UTF-16 units: `start` belongs to it, `end` does not. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** One part of a key, without the dots around it: `"a b"` is one, with the text `a b`. */
export interface KeyPart extends Span {
  readonly text: string;
}

/** A string of one of the four kinds, with what it means. */
export interface StringNode extends Span {
  readonly kind: 'string';
  readonly text: string;
}

/** A number, a boolean or a time: what it means is for a TOML library to say. */
export interface ScalarNode extends Span {
  readonly kind: 'scalar';
}

/** `[ … ]`, also over several lines. `commas` are the places of its own commas. */
export interface ArrayNode extends Span {
  readonly kind: 'array';
  readonly items: readonly ValueNode[];
  readonly commas: readonly number[];
}

/** `{ … }`, with the places of its own commas. */
export interface InlineNode extends Span {
  readonly kind: 'inline';
  readonly pairs: readonly PairNode[];
  readonly commas: readonly number[];
}

export type ValueNode = StringNode | ScalarNode | ArrayNode | InlineNode;

/** `key = value`, from the first unit of its key to the last of its value. */
export interface PairNode extends Span {
  readonly key: readonly KeyPart[];
  readonly value: ValueNode;
}

/** A header line, from its bracket to its bracket. `list` is `[[…]]`. */
export interface HeaderNode extends Span {
  readonly path: readonly KeyPart[];
  readonly list: boolean;
}

/** The pairs under one header; the first section of a document has none. */
export interface SectionNode {
  readonly header: HeaderNode | undefined;
  readonly pairs: readonly PairNode[];
}
