import type { LedgerRow } from '@subluminal/ledger';
import { isSameWaiver, type Waiver } from '@subluminal/policy';
import { type JsonObject, valueAt, textAt, textsAt } from '@subluminal/core-types';

/** The rule that a `hint_promoted` entry lifts for its run. Undefined where it names none. */
export function waiverOf({ data, tool }: Pick<LedgerRow, 'data' | 'tool'>): Waiver | undefined {
  const [server, name] = Array.isArray(tool) ? tool : [];
  const rule_id = textAt(data, 'rule_id');
  if (rule_id === '') return undefined;
  const hash = valueAt(data, 'args_hash');
  return {
    rule_id,
    server_name: server ?? textAt(data, 'server_name'),
    tool_name: name ?? textAt(data, 'tool_name'),
    args_hash: typeof hash === 'string' ? hash : null,
  };
}

/** The waivers of a run after one more `hint_promoted` entry. The same hint once more changes nothing. */
export function withWaiver(known: readonly Waiver[], waiver: Waiver): readonly Waiver[] {
  return known.some((one) => isSameWaiver(one, waiver)) ? known : [...known, waiver];
}

/** The rules that did not hold for one call, as its decision says: by a hint, or by the yes of a person. */
export function agreedTo(
  { server_name, tool_name, args_hash }: Omit<Waiver, 'rule_id'>,
  decision: JsonObject,
): readonly Waiver[] {
  const lifted = textsAt(decision, 'facts', 'waived');
  return lifted.map((rule_id) => ({ rule_id, server_name, tool_name, args_hash }));
}
