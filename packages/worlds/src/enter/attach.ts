import { fileURLToPath } from 'node:url';

const PERL = '/usr/bin/perl';
const ATTACH = fileURLToPath(new URL('./attach.pl', import.meta.url));

/** The command that runs a program in a world that is up. */
export interface AttachCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * The command that brings its three descriptors to the door of a world. It reads the words of the program
 * (`wordsOfProgram`) from descriptor 3 and writes its fate on 4 (`readAttached`). `parent`: the process that
 * starts it, and with which it ends.
 */
export function attachCommand(door: string, parent: number, onTerminal: boolean): AttachCommand {
  return { command: PERL, args: [ATTACH, door, String(parent), ...(onTerminal ? ['terminal'] : [])] };
}

/**
 * The command that asks for the end of a world at its door: `refused` if something runs there, `ended` as
 * the world hangs up. Its descriptors are those of `attachCommand`, without words.
 */
export function endCommand(door: string, parent: number): AttachCommand {
  return { command: PERL, args: [ATTACH, door, String(parent), 'end'] };
}

/** The fate of a program that was brought to a door. */
export type Attached =
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly told: string }
  | { readonly kind: 'ended'; readonly told: string; readonly status: number }
  /** The world ended, or whoever brought the program. */
  | { readonly kind: 'broken_off'; readonly told: string };

/** Reads what was written on descriptor 4. */
export function readAttached(text: string): Attached {
  const lines = new Map(
    text.split('\n').map((line): [string, string] => {
      const space = line.indexOf(' ');
      return space === -1 ? [line, ''] : [line.slice(0, space), line.slice(space + 1)];
    }),
  );
  const told = lines.get('begun') ?? '';
  const ended = lines.get('ended');
  if (lines.has('absent')) return { kind: 'absent' };
  const refused = lines.get('refused');
  if (refused !== undefined) return { kind: 'refused', told: refused };
  return ended === undefined ? { kind: 'broken_off', told } : { kind: 'ended', told, status: Number(ended) };
}
