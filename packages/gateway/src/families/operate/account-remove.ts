import { reachesData, wantedBy } from '../../accounts/account-data.js';
import { recordChange } from '../../accounts/change.js';
import type { ActionOf } from '../../pipeline/steps.js';
import type { AccountParts } from './account-add.js';
import { operateRecorded } from './operate.js';

/** `account.remove`. The change is an entry of its own (`account_changed`) before it is done. */
export function accountRemove({ accounts, allowlist, recorder }: AccountParts): ActionOf<'account.remove'> {
  return operateRecorded(async (payload, call) => {
    const account = accounts.named(payload.name);
    const { name, kind } = account;
    const wanted = wantedBy(account);
    await recordChange(recorder, call.now, call.requestFields, { change: 'removed', name, kind, wanted });
    accounts.remove(name);
    return { name, kind, reaches: reachesData(allowlist, wanted) };
  });
}
