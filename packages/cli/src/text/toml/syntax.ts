import { parseTOML, type AST } from 'toml-eslint-parser';

/** The pairs under one header. The first section of a document has none. */
export interface Section {
  readonly header: AST.TOMLTable | undefined;
  readonly path: readonly string[];
  readonly pairs: readonly AST.TOMLKeyValue[];
}

/**
 * Everything in a TOML text with its place, as offsets into the text. Throws `ParseError`, and `RangeError`
 * for a string that is longer than the library can read (about 100,000 characters).
 */
export function sectionsOf(text: string): readonly Section[] {
  // The library knows no byte order mark. A blank in its place keeps every offset.
  const [{ body }] = parseTOML(text.replace(/^\uFEFF/, ' '), { tomlVersion: '1.1' }).body;
  const top = body.filter((node) => node.type === 'TOMLKeyValue');
  const tables = body.filter((node) => node.type === 'TOMLTable');
  return [
    { header: undefined, path: [], pairs: top },
    ...tables.map((table) => ({ header: table, path: namesOf(table.key), pairs: table.body })),
  ];
}

/** The parts of a key, as they are meant. */
export function namesOf({ keys }: AST.TOMLKey): readonly string[] {
  return keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value));
}

/** The source form of a node. */
export function sourceOf(text: string, { range }: AST.TOMLNode): string {
  return text.slice(...range);
}
