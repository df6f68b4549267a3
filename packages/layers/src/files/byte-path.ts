declare const brand: unique symbol;

/**
 * A path below a folder, without a slash at its beginning or end. Each character is one byte of it: a name
 * need not be UTF-8.
 */
export type BytePath = string & { readonly [brand]: 'BytePath' };

/** The path of these bytes. They come from the kernel, so they have no NUL byte. */
export function bytePath(bytes: Uint8Array): BytePath {
  return branded(Buffer.from(bytes).toString('latin1'));
}

/** The path of a text of which each character is one byte. Throws `RangeError` for any other one. */
export function pathOfLatin1(text: string): BytePath {
  if (WIDE.test(text)) throw new RangeError('a path has a character that is no byte');
  return branded(text);
}

/** The path of a text, as its UTF-8 bytes. */
export function pathOfText(text: string): BytePath {
  return bytePath(Buffer.from(text, 'utf8'));
}

/** The bytes of a path, for calls of the system. */
export function bytesOf(path: BytePath): Buffer {
  return Buffer.from(path, 'latin1');
}

/** The path of `name` in `folder`; an empty folder is the root. */
export function joined(folder: BytePath, name: BytePath): BytePath {
  return folder === '' ? name : branded(`${folder}/${name}`);
}

/** The folder of a path, empty for one that stands in the root, and its name there. */
export function split(path: BytePath): { readonly folder: BytePath; readonly name: BytePath } {
  const at = path.lastIndexOf('/');
  return at === -1
    ? { folder: ROOT, name: path }
    : { folder: branded(path.slice(0, at)), name: branded(path.slice(at + 1)) };
}

/** The names of which a path consists, from the root on. */
export function namesOf(path: BytePath): readonly BytePath[] {
  return path === '' ? [] : path.split('/').map((name) => branded(name));
}

/** Whether a path stands in the folder, at any depth. */
export function isBelow(path: BytePath, folder: BytePath): boolean {
  return folder === '' ? path !== '' : path.startsWith(`${folder}/`);
}

/** A path, and all folders above it but the root. */
export function* foldersOf(path: BytePath): Generator<BytePath> {
  for (let at = path; at !== ROOT; at = split(at).folder) yield at;
}

/** Whether a path is one of those places, or stands below one. */
export function isAtOneOf(path: BytePath, places: ReadonlySet<BytePath>): boolean {
  if (places.size === 0) return false;
  for (let at = path; at !== ROOT; at = split(at).folder) if (places.has(at)) return true;
  return false;
}

/**
 * A path for people and for JSON. A byte that is no part of a printable text is `\\xNN`, and so is a
 * backslash: two paths never read alike, and a name cannot write to a terminal.
 */
export function shown(path: BytePath): string {
  const bytes = bytesOf(path);
  const text = bytes.toString('utf8');
  const isText = Buffer.from(text, 'utf8').equals(bytes);
  return isText
    ? text.replaceAll(UNSAFE, escaped)
    : path.replaceAll(/[^ -[\]-~]/g, (byte) => hex(byte.charCodeAt(0)));
}

/** The path that `shown` gives as this text; undefined for a text that it gives of none. */
export function pathOfShown(text: string): BytePath | undefined {
  const parts = text.split(ESCAPED);
  const bytes = parts.map((part, at) =>
    at % 2 === 0 ? Buffer.from(part, 'utf8') : Buffer.from(part, 'hex'),
  );
  const path = bytePath(Buffer.concat(bytes));
  return shown(path) === text ? path : undefined;
}

const ESCAPED = /\\x([0-9a-f]{2})/;

const WIDE = /[^\0-\xff]/;

/** The root of the tree that paths are of. */
export const ROOT = branded('');

/** Controls, spaces that look like others or turn text, and the sign by which they are shown. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}\\]/gu;

function escaped(character: string): string {
  return [...Buffer.from(character, 'utf8')].map(hex).join('');
}

function hex(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, '0')}`;
}

function branded(text: string): BytePath {
  return text as BytePath;
}
