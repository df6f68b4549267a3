import { SublError, type JsonObject } from '@subluminal/core-types';
import type { ActionHandler } from '../../pipeline/handlers.js';
import { payloadOf } from '../../pipeline/payload.js';
import { success } from '../../pipeline/reply.js';
import type { AllowEntry } from '../../allowlist/allowlist-entry.js';
import type { Allowlist } from '../../allowlist/allowlist.js';
import type { AnomalyDetector } from '../../anomaly/detector.js';

/** The operator's actions on the allowlist. */
export function allowHandlers(
  allowlist: Allowlist,
  detector: AnomalyDetector,
): Readonly<Record<'allow.list' | 'allow.add' | 'allow.remove' | 'allow.deactivate', ActionHandler>> {
  return {
    'allow.list': {
      execute: () => success({ entries: allowlist.listServices().map(entryData) }),
    },
    'allow.add': {
      execute: (call) => {
        const { host, ...rest } = payloadOf(call, 'allow.add');
        const entry = allowlist.addService({ domain: host, ...rest, added_by: 'user' });
        // What was known of it belongs to an earlier permission.
        detector.forget(entry.domain);
        return success({ entry: entryData(entry) });
      },
    },
    'allow.remove': {
      execute: (call) => {
        const entry = find(allowlist, payloadOf(call, 'allow.remove').id);
        allowlist.removeService(entry.id);
        return success({ entry: entryData(entry) });
      },
    },
    'allow.deactivate': {
      execute: (call) => {
        const entry = find(allowlist, payloadOf(call, 'allow.deactivate').id);
        allowlist.deactivateService(entry.id);
        return success({ entry: { ...entryData(entry), is_active: false } });
      },
    },
  };
}

function find(allowlist: Allowlist, id: string): AllowEntry {
  const entry = allowlist.listServices().find((candidate) => candidate.id === id);
  if (entry === undefined) throw new SublError('not_found', `there is no allowlist entry \`${id}\``);
  return entry;
}

function entryData(entry: AllowEntry): JsonObject {
  return { ...entry };
}
