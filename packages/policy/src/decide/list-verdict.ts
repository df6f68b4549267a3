import type { PolicyIdentity } from '../match/call.js';
import { selects } from '../match/selectors.js';
import type { PolicySnapshot } from '../snapshot/snapshot.js';

/**
 * Whether a tool stands in the list that an agent sees. Hidden is what a deny with `hide` surely refuses: no
 * allow above it can match the tool, and none overrides it. In observe mode nothing is hidden.
 */
export function listVerdict(
  snapshot: PolicySnapshot,
  identity: PolicyIdentity,
  serverName: string,
  toolName: string,
): 'show' | 'hide' {
  if (snapshot.mode === 'observe' || !selects(snapshot.selectors, identity)) return 'show';
  const lifted = new Set<number>();
  for (const rule of snapshot.rules) {
    if (!rule.enabled || rule.server?.(serverName) === false || rule.tool?.(toolName) === false) continue;
    if (rule.kind === 'allow') {
      if (rule.overrides.length === 0) return 'show';
      for (const place of rule.overrides) lifted.add(place);
    }
    if (rule.kind === 'deny' && rule.hide && !lifted.has(rule.at)) return 'hide';
  }
  return 'show';
}
