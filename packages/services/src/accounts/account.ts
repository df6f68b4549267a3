import {
  parseJson,
  type AccountKind,
  type AccountSettings,
  type JsonValue,
  type ServiceAction,
} from '@subluminal/core-types';

/** An account with a service outside, without its secret. */
export interface Account<K extends AccountKind = AccountKind> {
  readonly name: string;
  readonly kind: K;
  readonly settings: AccountSettings<K>;
  readonly createdMs: number;
  readonly changedMs: number;
  /** The last use of its secret; null where there was none. */
  readonly usedMs: number | null;
  readonly uses: number;
}

/** An account of any kind, told apart by `kind`. */
export type AnyAccount = { readonly [K in AccountKind]: Account<K> }[AccountKind];

/** The actions of each kind of account. */
export const ACTIONS_OF = {
  email: ['email.fetch', 'email.send', 'email.draft'],
  calendar: ['calendar.fetch', 'calendar.create', 'calendar.update'],
  finance: ['finance.fetch_transactions'],
  health: ['health.fetch'],
  api: ['service.api_call'],
} as const satisfies Record<AccountKind, readonly ServiceAction[]>;

/** Settings as plain JSON, without members that are undefined. */
export function settingsData(settings: AccountSettings): JsonValue {
  return parseJson(JSON.stringify(settings));
}
