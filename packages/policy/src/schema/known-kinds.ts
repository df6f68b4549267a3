import { isTreeList, isTreeMap, type Tree, type TreeMap } from '../source/tree.js';
import { ruleKinds } from './allowed.js';

/** A bundle in which every rule has a kind, and the indexes of the rules that had none. */
export interface KnownKinds {
  readonly probe: Tree;
  readonly stands: ReadonlySet<number>;
}

/** An effect that fits the kind below. Only the true kind says how the author's rule would have to look. */
const ALLOW_EFFECT: TreeMap = { action: 'ALLOW', reason_code: 'X', message: '' };

/** Gives rules without a known kind that of an allow, so that what all kinds share can be checked. */
export function withKnownKinds(tree: Tree): KnownKinds {
  const rules = isTreeMap(tree) ? tree['rules'] : undefined;
  if (!isTreeMap(tree) || !isTreeList(rules)) return { probe: tree, stands: new Set() };
  const kinds = ruleKinds();
  const stands = new Set<number>();
  const probed = rules.map((rule, at): Tree => {
    if (!isTreeMap(rule) || kinds.some((kind) => kind === rule['kind'])) return rule;
    stands.add(at);
    const effect = Object.hasOwn(rule, 'effect') ? { effect: ALLOW_EFFECT } : {};
    return copy(rule, { kind: 'allow', ...effect });
  });
  return { probe: copy(tree, { rules: probed }), stands };
}

/** Mappings of a bundle have no prototype: `__proto__` is a key like any other. */
function copy(map: TreeMap, changes: TreeMap): TreeMap {
  return Object.assign(Object.create(null), map, changes);
}
