import { accountData, reachesData, wantedBy } from './account-data.js';
import type { AccountStore } from './store.js';
import { type ActionOf, type Allowed, read } from '@subluminal/gateway';

/** `account.list` */
export function accountList(
  accounts: AccountStore,
  allowlist: Pick<Allowed, 'find'>,
): ActionOf<'account.list'> {
  return read(({ kind }) => ({
    accounts: accounts
      .all(kind)
      .map((account) => ({ ...accountData(account), reaches: reachesData(allowlist, wantedBy(account)) })),
  }));
}
