import { padded } from '../../output/columns.js';
import { wrapped } from '../../output/table.js';
import type { VerbEntry } from '../verb.js';

/** The verbs of the first week, in the order in which they are needed. */
const FIRST = {
  Begin: ['init'],
  'See what agents do': ['tail', 'watch', 'why', 'report'],
  'Say what they may': ['policy', 'allow'],
  'Stop, check, and take back': ['panic', 'doctor', 'restore'],
} as const;

type Named = Pick<VerbEntry, 'heading' | 'name' | 'summary'>;

const HEAD = `Usage: sub VERB [options]

The gateway for the tools and connections of AI agents.
`;

/** The help of `sub` itself: the verbs that a person needs first. */
export function mainHelp(verbs: readonly Named[]): string {
  const groups = Object.entries(FIRST).map(
    ([heading, names]) =>
      [heading, names.flatMap((name) => verbs.filter((verb) => verb.name === name))] as const,
  );
  const shown = groups.reduce((sum, [, members]) => sum + members.length, 0);
  return `${HEAD}${listed(groups)}
\`sub help VERB\` has the flags of one, \`sub help all\` the other ${verbs.length - shown} verbs.
`;
}

/** All verbs, by what they are about. */
export function allHelp(verbs: readonly Named[]): string {
  const headings = [...new Set(verbs.map(({ heading }) => heading))];
  const groups = headings.map(
    (heading) => [heading, verbs.filter((verb) => verb.heading === heading)] as const,
  );
  return `${HEAD}${listed(groups)}
\`sub help VERB\` has the flags of one.
`;
}

const WIDTH = 80;

function listed(groups: readonly (readonly [string, readonly Named[]])[]): string {
  const name = Math.max(...groups.flatMap(([, members]) => members.map((verb) => verb.name.length)));
  return groups
    .map(([heading, members]) => {
      const lines = members.flatMap((verb) =>
        wrapped(verb.summary, WIDTH - name - 4).map(
          (text, at) => `  ${padded(at === 0 ? verb.name : '', name)}  ${text}\n`,
        ),
      );
      return `\n${heading}:\n${lines.join('')}`;
    })
    .join('');
}
