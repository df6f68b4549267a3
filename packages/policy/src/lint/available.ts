import { type Finding, listed } from '../problem/problem.js';
import { ruleKinds } from '../schema/allowed.js';
import type { Tree } from '../source/tree.js';
import { mapAt, type Part, partAt, rulesOf } from './parts.js';

/** The kinds that `decide` enforces. A kind that is not here does not load: a limit that is ignored is no limit. */
const ENFORCED_KINDS: readonly string[] = ['allow', 'deny', 'tag'];

/** Everything that the schema knows and this version does not enforce. */
export function findUnavailable(tree: Tree): readonly Finding[] {
  const bundle: Part = { value: tree, path: [] };
  const unenforced = ruleKinds().filter((kind) => !ENFORCED_KINDS.includes(kind));
  const findings: Finding[] = [];
  const mode = partAt(bundle, 'mode');
  if (mode?.value === 'control') {
    findings.push(unavailable(mode, 'mode `control`', `use ${listed(['observe', 'guardrails'])}`));
  }
  const failOpen = partAt(mapAt(bundle, 'defaults'), 'fail_open_read_tools');
  if (failOpen?.value === true) {
    findings.push(
      unavailable(failOpen, '`fail_open_read_tools: true`', 'set it to `false`, or leave it out'),
    );
  }
  for (const rule of rulesOf(tree)) {
    const kind = partAt(rule, 'kind');
    if (typeof kind?.value === 'string' && unenforced.includes(kind.value)) {
      const help = `remove the rule; the kinds that are enforced are ${listed(ENFORCED_KINDS)}`;
      findings.push(unavailable(kind, `the rule kind \`${kind.value}\``, help));
    }
    const time = partAt(mapAt(rule, 'match'), 'time');
    if (time !== undefined) {
      findings.push({ ...unavailable(time, '`match.time`', 'remove it from the match'), at: 'key' });
    }
  }
  return findings;
}

function unavailable(part: Part, what: string, help: string): Finding {
  return { code: 'not_available', message: `${what} is not enforced by this version`, path: part.path, help };
}
