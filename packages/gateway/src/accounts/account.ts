import {
  parseJson,
  type AccountKind,
  type AccountSettings,
  type JsonValue,
  type ServiceAction,
} from '@subluminal/core-types';

/** An account with a service outside, without what is secret of it. */
export interface Account<K extends AccountKind = AccountKind> {
  readonly name: string;
  readonly kind: K;
  readonly settings: AccountSettings<K>;
  readonly createdMs: number;
  readonly changedMs: number;
  /** When its secret was last used; null: never. */
  readonly usedMs: number | null;
  readonly uses: number;
}

/** An account of any kind, told apart by `kind`. */
export type AnyAccount = { readonly [K in AccountKind]: Account<K> }[AccountKind];

/** What is done with accounts of a kind. */
export const ACTIONS_OF = {
  email: ['email.fetch', 'email.send', 'email.draft'],
  calendar: ['calendar.fetch', 'calendar.create', 'calendar.update'],
  finance: ['finance.fetch_transactions'],
  health: ['health.fetch'],
  api: ['service.api_call'],
} as const satisfies Record<AccountKind, readonly ServiceAction[]>;

/** Settings as plain JSON: members that are absent are left out, as canonical JSON wants it. */
export function settingsData(settings: AccountSettings): JsonValue {
  return parseJson(JSON.stringify(settings));
}
