import type { GatewayConfig, JsonObject } from '@subluminal/core-types';

/** One setting that is another now. It tells numbers, switches and words, and never texts of people. */
export interface SettingChange {
  readonly key: string;
  readonly from?: string | number | boolean;
  readonly to?: string | number | boolean;
}

/** The differences between two configurations, by dotted key, in the order of the keys. */
export function changesBetween(before: GatewayConfig, after: GatewayConfig): readonly SettingChange[] {
  const [old, now] = [leavesOf(before), leavesOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((key) => JSON.stringify(old.get(key)) !== JSON.stringify(now.get(key)))
    .toSorted()
    .map((key) => ({ key, ...told('from', old.get(key)), ...told('to', now.get(key)) }));
}

/** Changes as entries hold them. */
export function changeData({ key, from, to }: SettingChange): JsonObject {
  return { key, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}

/** The settings by dotted key. A list is one setting. */
export function leavesOf(value: object, path = ''): Map<string, unknown> {
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
