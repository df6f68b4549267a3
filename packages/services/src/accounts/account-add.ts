import { secretProblem, SublError } from '@subluminal/core-types';
import { reachesData } from './account-data.js';
import { recordChange } from './change.js';
import { assertSecretFits, destinationsOf } from './destinations.js';
import type { AccountStore } from './store.js';
import { type ActionOf, type Allowed, type Recorder, operateRecorded } from '@subluminal/gateway';

export interface AccountParts {
  readonly accounts: AccountStore;
  readonly allowlist: Pick<Allowed, 'find'>;
  readonly recorder: Recorder;
}

/**
 * `account.add`. The change is an entry of its own (`account_changed`) before it is done: name, kind and
 * where the account leads, and nothing of its secret.
 */
export function accountAdd({ accounts, allowlist, recorder }: AccountParts): ActionOf<'account.add'> {
  return operateRecorded(async ({ name, kind, settings, secret, replace }, call) => {
    const problem = secretProblem(secret, { redact: false });
    if (problem !== undefined) throw new SublError('usage', `this cannot be a secret: ${problem}`);
    const wanted = destinationsOf(kind, settings);
    assertSecretFits(kind, settings, secret);
    accounts.assertRoom(name, replace);
    const change = accounts.has(name) ? 'replaced' : 'added';
    await recordChange(recorder, call.now, call.requestFields, { change, name, kind, wanted });
    // An account that came meanwhile is overwritten only where that was asked for.
    accounts.assertRoom(name, replace);
    accounts.put(name, kind, settings, secret);
    return { name, kind, change, reaches: reachesData(allowlist, wanted) };
  });
}
