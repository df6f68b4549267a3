import { shellWord } from '@subluminal/core-types/portable';
import type { World } from '../../../src/protocol/index.js';
import type { Choice } from './choice.js';

/** Paths that a command line names. */
const MOST_PATHS = 20;

/** The same by hand, bound to what is shown; null where it would have to name too many files. */
export function commandOf(
  does: 'commit' | 'discard',
  { layer, shown, overwrite }: Pick<World, 'layer' | 'overwrite' | 'shown'>,
  { paths, risky, overwritten }: Choice,
): string | null {
  if (paths !== null && paths.length > MOST_PATHS) return null;
  const yes = risky.length === 0 ? '' : ' --yes';
  const named = paths === null ? '' : ` --as-shown -- ${paths.map(shellWord).join(' ')}`;
  const bound = overwritten.length === 0 ? `--expect ${shown}` : `--expect ${overwrite} --overwrite`;
  return `sub world ${does} --layer ${layer} ${bound}${yes}${named}`;
}
