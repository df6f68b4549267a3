import { climbingPath, normalPath, type Place } from '../paths/normal.js';
import type { SimpleCommand } from '../shell/command.js';
import { HOLE, PIPE } from '../shell/marks.js';
import { seenHere } from '../shell/mounts.js';
import { dotenv, envFiles } from './env-files.js';
import { namedTouches, type NamedEffects } from './named.js';
import { EFFECTS } from './programs.js';
import { type Access, Operands } from './touch.js';
import { UNKNOWN } from './unknown.js';

/** A file of this machine that a command touches. */
export interface TouchedFile {
  /** Absolute and normal, with marks for what only run time knows. */
  readonly path: string;
  /** As it was written, where `..` stands in it. */
  readonly climb: string | undefined;
  readonly access: Access;
  readonly isRecursive: boolean;
}

/** Files of one command. */
const MOST = 4096;
const STREAMS = /^\/dev\/(?:null|stdout|stderr|stdin|tty|fd\/\d+)$/;

/**
 * The files that a command touches, as far as its words tell: those of its redirections and those of the
 * table of programs, with those of a policy's `own`. Each stands once for every folder in which the command
 * may run. Of a command on another machine or in a container only what it sees of this one.
 */
export function touchedFiles(
  command: SimpleCommand,
  place: Place,
  own: readonly NamedEffects[] = [],
): readonly TouchedFile[] {
  const { program, words, redirections, cwd } = command;
  const effect = command.isWrapper
    ? program.startsWith('dotenv')
      ? dotenv
      : envFiles
    : (EFFECTS.get(program) ?? (program === '' || program === HOLE ? undefined : UNKNOWN));
  const operands = new Operands(words.slice(1));
  const named = [...(effect?.(operands) ?? []), ...own.flatMap((one) => namedTouches(one, operands))];
  const found: TouchedFile[] = [];
  const add = (name: string, access: Access, isRecursive: boolean): void => {
    if (name === '-' || name.includes(PIPE) || name.length > MOST) return;
    for (const folder of cwd) {
      const path = seenHere(command, normalPath(name, folder, place));
      if (path === undefined || STREAMS.test(path)) continue;
      const climb = command.isRemote ? undefined : climbingPath(name, folder, place);
      found.push({ path, climb, access, isRecursive });
    }
  };
  for (const { name, access, isRecursive } of named) add(name, access, isRecursive);
  for (const { operator, to } of redirections) add(to, operator === '<' ? 'read' : 'write', false);
  return found;
}
