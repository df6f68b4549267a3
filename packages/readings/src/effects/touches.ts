import { climbingPath, normalPath, type Place } from '../paths/normal.js';
import type { SimpleCommand } from '../shell/command.js';
import { HOLE, PIPE } from '../shell/marks.js';
import { seenHere } from '../shell/mounts.js';
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
 * table of programs. Each stands once for every folder in which the command may run. Of a command on another
 * machine or in a container only what it sees of this one.
 */
export function touchedFiles(command: SimpleCommand, place: Place): readonly TouchedFile[] {
  const { program, words, redirections, cwd } = command;
  const effect = command.isWrapper
    ? undefined
    : (EFFECTS.get(program) ?? (program === '' || program === HOLE ? undefined : UNKNOWN));
  const named = effect?.(new Operands(words.slice(1))) ?? [];
  const redirected = redirections.map(({ operator, to }) => ({
    name: to,
    access: operator === '<' ? ('read' as const) : ('write' as const),
    isRecursive: false,
  }));
  return [...named, ...redirected]
    .filter(({ name }) => name !== '-' && !name.includes(PIPE) && name.length <= MOST)
    .flatMap(({ name, access, isRecursive }) =>
      cwd.flatMap((folder) => {
        const path = seenHere(command, normalPath(name, folder, place));
        return path === undefined || STREAMS.test(path)
          ? []
          : [
              {
                path,
                climb: command.isRemote ? undefined : climbingPath(name, folder, place),
                access,
                isRecursive,
              },
            ];
      }),
    );
}
