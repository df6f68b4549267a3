import type { ActionTable } from '@subluminal/gateway';
import { accountAdd, type AccountParts } from './accounts/account-add.js';
import { accountList } from './accounts/account-list.js';
import { accountRemove } from './accounts/account-remove.js';
import { type ServiceActions, serviceActions, type ServiceParts } from './action/service-action.js';

/** The actions of this wing: on accounts, and those that an adapter executes. */
export type ServicesActions = ServiceActions &
  Pick<ActionTable, 'account.add' | 'account.remove' | 'account.list'>;

export function servicesActions(parts: ServiceParts & AccountParts): ServicesActions {
  return {
    ...serviceActions(parts),
    'account.add': accountAdd(parts),
    'account.remove': accountRemove(parts),
    'account.list': accountList(parts.accounts, parts.allowlist),
  };
}
