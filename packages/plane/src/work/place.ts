import type { Action } from '../event.js';
import { isShell } from './kind.js';

/** Folders that hold modules, and are none. */
const HOLDERS: ReadonlySet<string> = new Set([
  'apps',
  'cmd',
  'crates',
  'internal',
  'lib',
  'libs',
  'modules',
  'packages',
  'pkg',
  'plugins',
  'services',
  'src',
]);

/** Where an action works. */
export interface Place {
  readonly repository: string;
  /** The folder of the module below it; empty for files of the repository itself. */
  readonly module: string;
}

/** The place of an action on a file; undefined for commands, addresses and patterns. */
export function placeOf({ repository, target, tool }: Action): Place | undefined {
  if (target === undefined || isShell(tool) || target.includes('://') || !/[./]/.test(target))
    return undefined;
  const base = repository ?? '';
  const path = base !== '' && target.startsWith(`${base}/`) ? target.slice(base.length + 1) : target;
  // Notes, transcripts and temporary files beside the repository are no module of it.
  if (path.startsWith('/')) return undefined;
  const [first = '', second = '', ...rest] = path.replace(/^\.\//, '').split('/', 8);
  // A name without a folder is a file of the repository itself.
  if (second === '') return { repository: base, module: '' };
  return { repository: base, module: HOLDERS.has(first) && rest.length > 0 ? `${first}/${second}` : first };
}
