import { secretProblem, SublError, type JsonObject, type JsonValue } from '@subluminal/core-types';
import type { Destination } from '@subluminal/egress';
import type { ActionHandler } from '../../pipeline/handlers.js';
import { payloadOf } from '../../pipeline/payload.js';
import { success } from '../../pipeline/reply.js';
import { requestFields } from '../../pipeline/entries.js';
import type { Recorder } from '../../recording/recorder.js';
import type { Allowlist } from '../../allowlist/allowlist.js';
import { settingsData, type AnyAccount } from '../../accounts/account.js';
import { assertSecretFits, destinationsOf } from '../../accounts/destinations.js';
import { reachData, recordChange } from '../../accounts/change.js';
import type { AccountStore } from '../../accounts/store.js';

/** What the operator's actions on accounts need. */
export interface AccountHandlerParts {
  readonly accounts: AccountStore;
  readonly allowlist: Pick<Allowlist, 'find'>;
  readonly recorder: Recorder;
}

/**
 * The operator's actions on accounts. Each change is an entry of its own (`account_changed`) before it is done: name, kind and
 * where it leads, and nothing of its secret. None of them changes the allowlist; the answers say what stands on it.
 */
export function accountHandlers({
  accounts,
  allowlist,
  recorder,
}: AccountHandlerParts): Readonly<Record<'account.list' | 'account.add' | 'account.remove', ActionHandler>> {
  const reaches = (wanted: readonly Destination[]): JsonValue =>
    wanted.map((destination) => reachData(destination, allowlist.find(destination) !== undefined));
  return {
    'account.list': {
      execute: (call) => {
        const { kind } = payloadOf(call, 'account.list');
        const found = accounts.all(kind);
        return success({
          accounts: found.map((account) => ({
            ...accountData(account),
            reaches: reaches(wantedBy(account)),
          })),
        });
      },
    },
    'account.add': {
      entries: () => 'own',
      execute: async (call) => {
        const { name, kind, settings, secret, replace } = payloadOf(call, 'account.add');
        const problem = secretProblem(secret, { redact: false });
        if (problem !== undefined) throw new SublError('usage', `this cannot be a secret: ${problem}`);
        const wanted = destinationsOf(kind, settings);
        assertSecretFits(kind, settings, secret);
        accounts.assertRoom(name, replace);
        const change = accounts.has(name) ? 'replaced' : 'added';
        await recordChange(recorder, call.now, requestFields(call), { change, name, kind, wanted });
        // What came meanwhile is not overwritten without having been asked for.
        accounts.assertRoom(name, replace);
        accounts.put(name, kind, settings, secret);
        return success({ name, kind, change, reaches: reaches(wanted) });
      },
    },
    'account.remove': {
      entries: () => 'own',
      execute: async (call) => {
        const account = accounts.named(payloadOf(call, 'account.remove').name);
        const { name, kind } = account;
        const wanted = wantedBy(account);
        await recordChange(recorder, call.now, requestFields(call), {
          change: 'removed',
          name,
          kind,
          wanted,
        });
        accounts.remove(name);
        return success({ name, kind, reaches: reaches(wanted) });
      },
    },
  };
}

function wantedBy(account: AnyAccount): readonly Destination[] {
  return destinationsOf(account.kind, account.settings);
}

function accountData({ name, kind, settings, createdMs, changedMs, usedMs, uses }: AnyAccount): JsonObject {
  return {
    name,
    kind,
    settings: settingsData(settings),
    created_at: new Date(createdMs).toISOString(),
    changed_at: new Date(changedMs).toISOString(),
    used_at: usedMs === null ? null : new Date(usedMs).toISOString(),
    uses,
  };
}
