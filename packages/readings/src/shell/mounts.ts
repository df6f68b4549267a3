import type { SimpleCommand } from './command.js';

/** The path as this machine has it; undefined where it is another one's. */
export function seenHere(
  { isRemote, mounts }: Pick<SimpleCommand, 'isRemote' | 'mounts'>,
  path: string,
): string | undefined {
  if (!isRemote) return path;
  for (const [from, to] of mounts) {
    if (to.startsWith('/') && (path === to || path.startsWith(to === '/' ? to : `${to}/`)))
      return `${from === '/' ? '' : from}${path.slice(to === '/' ? 0 : to.length)}` || '/';
  }
  return undefined;
}
