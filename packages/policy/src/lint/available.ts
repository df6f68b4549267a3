import type { Finding } from '../problem/problem.js';
import type { Tree } from '../source/tree.js';
import { mapAt, type Part, partAt, rulesOf } from './parts.js';

/** Everything that the schema knows and this version does not enforce: what is ignored would be no limit. */
export function findUnavailable(tree: Tree): readonly Finding[] {
  const findings: Finding[] = [];
  for (const rule of rulesOf(tree)) {
    const key = partAt(mapAt(mapAt(rule, 'effect'), 'dedupe'), 'key');
    if (key?.value === 'custom')
      findings.push(unavailable(key, 'the dedupe key `custom`', 'use `args_hash`'));
  }
  return findings;
}

function unavailable(part: Part, what: string, help: string): Finding {
  return { code: 'not_available', message: `${what} is not enforced by this version`, path: part.path, help };
}
