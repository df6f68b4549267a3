import { redact } from '@subluminal/core-types';
import { escapeText } from '../../output/escape.js';

/** The words of a machine that its owner is known by. */
export interface Owner {
  /** Folders that are written `~`. */
  readonly homes: readonly string[];
  readonly user: string;
  readonly host: string;
  /** Texts of the owner's own, such as those in `config.toml`. */
  readonly texts: readonly string[];
}

/** Shorter texts stand in other words, too. */
const MIN_TEXT = 4;
const MIN_NAME = 3;
/** A name that says nothing about anybody. */
const COMMON: ReadonlySet<string> = new Set([
  'root',
  'user',
  'runner',
  'node',
  'localhost',
  'vagrant',
  'ubuntu',
]);

/** Names of servers that many people have; taken out, they would take words of every sentence with them. */
const COMMON_SERVERS: ReadonlySet<string> = new Set(
  'browser calendar database docs everything fetch file files filesystem git github gitlab mail memory notes notion playwright postgres search sequential-thinking server shell slack sqlite terminal test time tools web'.split(
    ' ',
  ),
);

/**
 * Takes out of lines what is nobody else's business: credentials, folders and names of people, own texts. The
 * lines are read as one text, since a credential may have several.
 */
export type Scrub = (lines: readonly string[]) => readonly string[];

/** Makes a scrub for a machine. It recognises credentials by their shapes, as the record does. */
export function scrubOf({ homes, user, host, texts }: Owner): Scrub {
  const folders = byLength(homes.filter((home) => home.length > 1));
  // They are looked for in what is left of the lines, which may have lost a part of them by then.
  const own = byLength(
    texts
      .flatMap((text) => [text, redact(text).text])
      .filter((text) => text.length >= MIN_TEXT && !COMMON_SERVERS.has(text.toLowerCase())),
  );
  const names = [
    [user, 'USER'],
    [host, 'HOST'],
  ].filter(([name = '']) => name.length >= MIN_NAME && !COMMON.has(name));
  return (lines) => {
    let { text } = redact(lines.join('\n'));
    for (const one of own) text = text.replaceAll(one, '<text>');
    for (const folder of folders) text = text.replaceAll(folder, '~');
    text = text.replaceAll(/((?<![\w.~-])\/(?:home|Users)\/|[A-Za-z]:\\Users\\)[^/\\\s"'`,;:)]+/g, '$1USER');
    for (const [name = '', word = ''] of names)
      text = text.replaceAll(
        new RegExp(`(?<![\\p{L}\\p{N}])${literal(name)}(?![\\p{L}\\p{N}])`, 'giu'),
        word,
      );
    return text.split('\n').map((line) => escapeText(line));
  };
}

/** The longest first: one may stand in another. */
function byLength(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].toSorted((a, b) => b.length - a.length);
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
