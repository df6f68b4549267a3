import type { GatewayConfig, JsonObject } from '@subluminal/core-types';

/** One setting that is another now. It tells numbers, switches and words, and never texts of people. */
export interface SettingChange {
  readonly key: string;
  readonly from?: string | number | boolean;
  readonly to?: string | number | boolean;
}

/** From the strictest to the loosest. */
const REACTIONS = ['approve', 'flag', 'off'];
const ORDERS: Readonly<Record<string, readonly unknown[]>> = {
  durability: ['fsync', 'process'],
  'egress.mode': ['enforce', 'observe', 'off'],
  'policy.accept': ['signed', 'operator', 'file'],
  'runs.require_ticket': [true, false],
  'tools.pin': ['hold', 'flag', 'off'],
};

/** The differences between two configurations, by dotted key, in the order of the keys. */
export function changesBetween(before: GatewayConfig, after: GatewayConfig): readonly SettingChange[] {
  const [old, now] = [leavesOf(before), leavesOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((key) => JSON.stringify(old.get(key)) !== JSON.stringify(now.get(key)))
    .toSorted()
    .map((key) => ({ key, ...told('from', old.get(key)), ...told('to', now.get(key)) }));
}

/** Whether one of them lets something pass that was held back before. */
export function loosens(changes: readonly SettingChange[]): boolean {
  return changes.some(({ key, from, to }) => {
    if (typeof from === 'number' && typeof to === 'number')
      return /^(?:rate_limits\.|runs\.enrolments|egress\.(?:max|connections)_)/.test(key) && to > from;
    const order = ORDERS[key] ?? (key.startsWith('anomaly.') ? REACTIONS : []);
    return order.includes(from) && order.indexOf(to) > order.indexOf(from);
  });
}

/** Changes as entries hold them. */
export function changeData({ key, from, to }: SettingChange): JsonObject {
  return { key, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}

function leavesOf(value: object, path = ''): Map<string, unknown> {
  const leaves = new Map<string, unknown>();
  for (const [name, inner] of Object.entries(value) as [string, unknown][]) {
    const key = path === '' ? name : `${path}.${name}`;
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) leaves.set(key, inner);
    else for (const [below, leaf] of leavesOf(inner, key)) leaves.set(below, leaf);
  }
  return leaves;
}

function told(name: 'from' | 'to', value: unknown): Partial<SettingChange> {
  const isWord = typeof value === 'string' && /^[a-z]{1,16}$/.test(value);
  return isWord || typeof value === 'number' || typeof value === 'boolean' ? { [name]: value } : {};
}
