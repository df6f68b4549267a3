import { SublError } from '@subluminal/core-types';
import { HOLE, type Readings } from '@subluminal/readings/facts';
import { Prepared } from '../match/prepared.js';
import { compileGlob } from '../pattern/glob.js';

/**
 * Why a command is to have a layer of its own, in words; undefined: it is not. A pattern fits where it fits
 * one of the simple commands, as the `argv` of a deny does. A text that cannot be read, and one that only run
 * time completes, is taken for one that fits if it may. Throws `policy_invalid` on a bad pattern.
 */
export function isolationOf(patterns: readonly string[], readings: Readings): string | undefined {
  if (patterns.length === 0) return undefined;
  const { commands, unread } = readings;
  const apart = new Prepared().of(readings);
  for (const source of patterns) {
    const glob = compileGlob(source);
    if (!glob.ok) throw new SublError('policy_invalid', glob.why);
    const isFit = ({ argv }: (typeof commands)[number]): boolean =>
      glob.test(argv) || glob.test(apart.apart(argv)) || mayFit(argv, source);
    if (commands.some(isFit)) return `\`${source}\``;
  }
  if (unread.command !== null) return `it cannot be read: ${unread.command}`;
  return commands.some((one) => one.runs_unknown) ? 'it runs text that only run time knows' : undefined;
}

/** A command with a part that only run time knows: its known beginning decides. */
function mayFit(argv: string, source: string): boolean {
  const at = argv.indexOf(HOLE);
  if (at === -1) return false;
  const [known, wanted] = [argv.slice(0, at), /^[^*?[{\\]*/.exec(source)?.[0] ?? ''];
  return known.startsWith(wanted) || wanted.startsWith(known);
}
