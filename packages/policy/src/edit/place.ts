import { isMap, isScalar, isSeq, Lexer, parseDocument, type Document, type YAMLSeq } from 'yaml';

/** Where a rule stands in the text of its bundle, and how its list is written. */
export interface RulePlace {
  /** `block`: an item behind a `-`; `flow`: between `[` and `]`, as in JSON. */
  readonly style: 'block' | 'flow';
  /** Where the item begins: its `-`, or its first character. */
  readonly at: number;
  /** How far the content of a block item stands behind its `-`. */
  readonly step: number;
  /** The text of the item, up to its last character. */
  readonly item: string;
}

/** The items of a list of the document as they lie in the text. */
interface Item {
  readonly start: readonly { readonly type: string; readonly offset: number }[];
  readonly value?: { readonly offset: number };
}

/** Finds the rule with that index. Undefined where it does not stand in the list itself. */
export function placeOfRule(source: string, index: number): RulePlace | undefined {
  const document: Document = parseDocument(source, {
    keepSourceTokens: true,
    prettyErrors: false,
    uniqueKeys: false,
  });
  const rules = rulesOf(document);
  const node = rules?.items[index];
  if (rules?.srcToken === undefined || !(isMap(node) || isSeq(node) || isScalar(node))) return undefined;
  const token: { readonly type: string; readonly items?: readonly Item[] } = rules.srcToken;
  const [from, to] = node.range ?? [0, 0];
  const item = source.slice(from, to).trimEnd();
  if (token.type === 'block-seq') {
    const dashes = (token.items ?? []).flatMap(({ start }) =>
      start.filter(({ type }) => type === 'seq-item-ind').map(({ offset }) => offset),
    );
    const at = dashes[index];
    if (at === undefined) return undefined;
    const gap = source.slice(at + 1, from);
    const step = /^ +$/.test(gap) ? gap.length + 1 : 2;
    return { style: 'block', at, step, item };
  }
  if (token.type !== 'flow-collection') return undefined;
  const values = (token.items ?? []).filter(({ value }) => value !== undefined);
  const found = values[index];
  if (found?.value === undefined) return undefined;
  const before = found.start.find(({ type }) => type === 'anchor' || type === 'tag');
  return { style: 'flow', at: before?.offset ?? found.value.offset, step: 0, item };
}

function rulesOf({ contents }: Document): YAMLSeq | undefined {
  if (!isMap(contents)) return undefined;
  const rules = contents.items.find(({ key }) => isScalar(key) && key.value === 'rules')?.value;
  return isSeq(rules) ? rules : undefined;
}

/** The offsets at which a comment begins: a `#` in a text of several lines is none. */
export function commentsOf(source: string): ReadonlySet<number> {
  const comments = new Set<number>();
  let at = 0;
  for (const lexeme of new Lexer().lex(source)) {
    // These stand for no character of the source.
    if (lexeme === '\u0002' || lexeme === '\u0018' || lexeme === '\u001f') continue;
    if (lexeme.startsWith('#')) comments.add(at);
    at += lexeme.length;
  }
  return comments;
}
