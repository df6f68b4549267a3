import { accountData, reachesData, wantedBy } from '../../accounts/account-data.js';
import type { AccountStore } from '../../accounts/store.js';
import type { Allowed } from '../../destination/allowed.js';
import type { ActionOf } from '../../pipeline/steps.js';
import { read } from './read.js';

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
