import type { ToUnroute, Unrouted, UnroutedText, WrittenEntry } from '../client.js';
import { TOKEN_HEADER, UPSTREAM_HEADER } from '../ours.js';
import { itemsOf, withoutFirst } from '../../text/toml/array.js';
import type { TomlChange } from '../../text/toml/change.js';
import { readDocument, valuesIn, type Values } from '../../text/toml/document.js';
import { editToml } from '../../text/toml/edit.js';
import {
  meaningAt,
  meaningOf,
  sameMeaning,
  valueMeaning,
  type Meaning,
  type Table,
} from '../../text/toml/meaning.js';
import { sectionsOf } from '../../text/toml/syntax.js';
import { RUN_TOKEN_HEADER, SHIM_VARIABLES } from './route.js';
import { shapeOf, textAt, type Shape } from './shape.js';

/**
 * Puts entries back; see `Client.unroute`. `codex mcp add` writes all entries anew, so only what they mean
 * counts.
 */
export function unrouteCodex(text: string, entries: readonly ToUnroute[]): UnroutedText {
  const before = readDocument(text);
  const values = valuesIn(before);
  const changes: TomlChange[] = [];
  const became = entries.map(({ pointer, back }): Unrouted => {
    const table = meaningAt(before.meaning, pointer);
    if (!(table instanceof Map)) return { kept: 'it is not there any more', gone: true };
    const exact = back === undefined ? undefined : restored(table, pointer, back);
    if (exact !== undefined) {
      changes.push(...exact);
      return { how: 'exact' };
    }
    const shape = shapeOf(table);
    if (shape.ours === undefined) return { kept: 'it is not routed any more', gone: true };
    changes.push(...(shape.ours === 'http' ? address : command)(values, pointer, shape));
    return { how: 'unwrapped' };
  });
  return { text: changes.length === 0 ? text : editToml(text, changes), became };
}

/** The changes that give an entry its own values back, where all that an import changed is as it wrote it. */
function restored(
  table: Table,
  pointer: readonly string[],
  back: WrittenEntry,
): readonly TomlChange[] | undefined {
  const original = meaningOf(back.original);
  const written = meaningOf(back.written);
  const paths = changedPaths(original, written);
  const ours = (path: readonly string[]): boolean =>
    sameMeaning(meaningAt(table, path), meaningAt(written, path));
  if (paths.length === 0 || !paths.every(ours)) return undefined;
  const values = valuesIn({ text: back.original, sections: sectionsOf(back.original) });
  return paths.toReversed().flatMap((path) => undone(pointer, path, written, values));
}

/** Where two forms of an entry differ: keys, and of a table that both have the keys in it. */
function changedPaths(original: Table, written: Table): readonly (readonly string[])[] {
  return [...new Set([...original.keys(), ...written.keys()])].flatMap((key) => {
    const [before, after] = [original.get(key), written.get(key)];
    if (sameMeaning(before, after)) return [];
    if (!(before instanceof Map) || !(after instanceof Map)) return [[key]];
    return changedPaths(before, after).map((path) => [key, ...path]);
  });
}

/** The changes that take one difference back: the value as it was spelled, or nothing where nothing was. */
function undone(
  pointer: readonly string[],
  path: readonly string[],
  written: Table,
  original: Values,
): readonly TomlChange[] {
  const source = original(path);
  const whole = [...pointer, ...path];
  if (source !== undefined) return [{ path: whole, source }];
  const value = meaningAt(written, path);
  return [...emptied(whole, value), { path: whole, source: undefined }];
}

/** A table goes only when it is empty. */
function emptied(path: readonly string[], value: Meaning | undefined): readonly TomlChange[] {
  if (!(value instanceof Map)) return [];
  return [...value.keys()].toReversed().map((key: string) => ({ path: [...path, key], source: undefined }));
}

/** The command and the arguments behind the `--` take their places again. */
function command(
  values: Values,
  pointer: readonly string[],
  { ours, envVars }: Shape,
): readonly TomlChange[] {
  const args = values([...pointer, 'args']) ?? '[]';
  const at = typeof ours === 'object' ? ours.commandAt : 0;
  const own = itemsOf(args)[at];
  if (own === undefined) throw new RangeError('no command');
  return [
    { path: [...pointer, 'command'], source: own },
    { path: [...pointer, 'args'], source: withoutFirst(args, at + 1) },
    ...variables(values, [...pointer, 'env_vars'], envVars ?? []),
  ];
}

function variables(values: Values, path: readonly string[], names: readonly string[]): readonly TomlChange[] {
  const list = values(path);
  if (list === undefined || !names.some((name) => SHIM_VARIABLES.includes(name))) return [];
  const rest = itemsOf(list).filter((item) => {
    const meaning = valueMeaning(item);
    return typeof meaning !== 'string' || !SHIM_VARIABLES.includes(meaning);
  });
  return [{ path, source: rest.length === 0 ? undefined : `[${rest.join(', ')}]` }];
}

/** The address of the header takes its place again, and our headers go. */
function address(values: Values, pointer: readonly string[], { table }: Shape): readonly TomlChange[] {
  const source = values([...pointer, 'http_headers', UPSTREAM_HEADER]);
  if (source === undefined) throw new RangeError('no address');
  return [
    { path: [...pointer, 'url'], source },
    ...without(pointer, table, 'http_headers', [TOKEN_HEADER, UPSTREAM_HEADER]),
    ...without(pointer, table, 'env_http_headers', [RUN_TOKEN_HEADER]),
  ];
}

function without(
  pointer: readonly string[],
  table: Table,
  key: string,
  names: readonly string[],
): readonly TomlChange[] {
  const headers = table.get(key);
  if (!(headers instanceof Map)) return [];
  const there = names.filter((name) => textAt(headers, name) !== undefined);
  const gone = there.map((name) => ({ path: [...pointer, key, name], source: undefined }));
  return headers.size > there.length ? gone : [...gone, { path: [...pointer, key], source: undefined }];
}
