/**
 * Writes docs/errors.md from the table of codes. Run it after a change of
 * packages/core-types/src/errors/codes.ts.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);
const source = readFileSync(new URL('packages/core-types/src/errors/codes.ts', root), 'utf8').replace(
  /:\n +'/g,
  ": '",
);

let page = `# Error codes

Every code that stands in \`error.code\` of an answer, in \`--json\` output and in our own errors. A code keeps its
meaning for ever; a retired one is not used again. Written by \`node scripts/docs/errors.mjs\` from
\`packages/core-types/src/errors/codes.ts\`; a test holds the two together in both directions.
`;

for (const line of source.split('\n')) {
  const group = /^ {2}\/\/ (.*)/.exec(line)?.[1];
  const entry = /^ {2}([a-z0-9_]+): '(.*)',$/.exec(line);
  if (group !== undefined)
    page += `\n## ${group[0]?.toUpperCase()}${group.slice(1)}\n\n| code | meaning |\n|---|---|\n`;
  else if (entry !== null) page += `| \`${entry[1]}\` | ${entry[2]} |\n`;
}

writeFileSync(new URL('docs/errors.md', root), page);
