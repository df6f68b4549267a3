import { type BigIntStats, lstatSync, readFileSync } from 'node:fs';
import { type JsonObject, type JsonValue, SublError, textAt, valueAt } from '@subluminal/core-types';
import { hasCode } from '@subluminal/ipc';

/** The folder that a layer lies over, by what a path does not tell: another one may have its name now. */
export interface Over {
  readonly dev: string;
  readonly ino: string;
  /** When it was made, in nanoseconds: a number of before may be another folder's now. Empty: not known. */
  readonly born: string;
  /** The start of the machine: behind another one the same disk may have another number. */
  readonly boot: string;
}

/** The folder at a path; undefined if there is none. */
export function overOf(path: string): Over | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined
    ? undefined
    : { dev: String(stats.dev), ino: String(stats.ino), born: bornOf(stats), boot: boot() };
}

/** Where the file system knows no birth it is 0, or the last change. */
function bornOf({ birthtimeNs, ctimeNs }: Pick<BigIntStats, 'birthtimeNs' | 'ctimeNs'>): string {
  return birthtimeNs === 0n || birthtimeNs === ctimeNs ? '' : String(birthtimeNs);
}

/** As `overJson` gave it; undefined if nothing is said, or by an older version. */
export function overAt(said: JsonValue): Over | undefined {
  const over = valueAt(said, 'over');
  if (over === undefined) return undefined;
  const [dev, ino] = [textAt(over, 'dev'), textAt(over, 'ino')];
  return dev === '' || ino === ''
    ? undefined
    : { dev, ino, born: textAt(over, 'born'), boot: textAt(over, 'boot') };
}

/** For a file of the layer. */
export function overJson({ dev, ino, born, boot: at }: Over): JsonObject {
  return { dev, ino, born, boot: at };
}

/**
 * Throws `failed` if these are not of the folder that the layer lies over: what a world changed there is no
 * change of this one. Of a layer that does not say which it was, nothing is known.
 */
export function assertOver(
  {
    place,
    project,
    over,
  }: { readonly place: { readonly id: string }; readonly project: string; readonly over: Over | undefined },
  stats: Pick<BigIntStats, 'dev' | 'ino' | 'birthtimeNs' | 'ctimeNs'>,
): void {
  if (over === undefined) return;
  const isSameDisk = over.boot !== boot() || over.dev === String(stats.dev);
  const born = bornOf(stats);
  const isSameBirth = over.born === '' || born === '' || over.born === born;
  if (isSameDisk && isSameBirth && over.ino === String(stats.ino)) return;
  throw new SublError(
    'failed',
    `the layer \`${place.id}\` lies over another folder than \`${project}\` is now`,
    {
      help: `move the folder of that time back to that place, or throw the layer away: \`sub world discard --layer ${place.id}\``,
    },
  );
}

/** Empty where the system does not tell. */
function boot(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'EACCES')) return '';
    throw error;
  }
}
