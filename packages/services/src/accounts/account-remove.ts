import { reachesData, wantedBy } from './account-data.js';
import { recordChange } from './change.js';
import { type ActionOf, operateRecorded } from '@subluminal/gateway';
import type { AccountParts } from './account-add.js';

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
