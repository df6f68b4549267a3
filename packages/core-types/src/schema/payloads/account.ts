import * as z from 'zod';
import { MAX_SETUP_TOKEN } from '../setup-token.js';
import {
  AccountKind,
  AccountName,
  ApiSettings,
  CalendarSettings,
  EmailSettings,
  FinanceSettings,
  HealthSettings,
} from '../account.js';

/**
 * The ledger has the hash of every payload: next to random text it tells nothing of a value that could be
 * guessed.
 */
const Salt = z.string().regex(/^[A-Za-z0-9_-]{22,64}$/);

const common = {
  name: AccountName,
  secret: z.string().min(1).max(32_768),
  salt: Salt,
  /** In place of the account of that name, settings and secret both. */
  replace: z.boolean().default(false),
};

/** `account.add`. It opens nothing: the answer says which entries of the allowlist the account needs. */
export const AccountAddPayload = z.discriminatedUnion('kind', [
  z.strictObject({ ...common, kind: z.literal('email'), settings: EmailSettings }),
  z.strictObject({ ...common, kind: z.literal('calendar'), settings: CalendarSettings }),
  z.strictObject({ ...common, kind: z.literal('finance'), settings: FinanceSettings }),
  z.strictObject({ ...common, kind: z.literal('health'), settings: HealthSettings }),
  z.strictObject({ ...common, kind: z.literal('api'), settings: ApiSettings }),
]);
export type AccountAddPayload = z.infer<typeof AccountAddPayload>;

/**
 * `account.claim`: makes an access URL of a setup token, which works once, and an account of that. A token is
 * long and drawn at random: its hash tells nothing of it.
 */
export const AccountClaimPayload = z.strictObject({
  name: AccountName,
  token: z.string().min(16).max(MAX_SETUP_TOKEN),
  replace: z.boolean().default(false),
});
export type AccountClaimPayload = z.infer<typeof AccountClaimPayload>;

/** `account.remove`. */
export const AccountNamePayload = z.strictObject({ name: AccountName });

/** `account.list`. */
export const AccountListPayload = z.strictObject({ kind: AccountKind.optional() });

/**
 * `account.test`: signs in with the account, and does nothing with it. `part`: which server of a mail
 * account.
 */
export const AccountTestPayload = z.strictObject({
  name: AccountName,
  part: z.enum(['imap', 'smtp']).optional(),
});
export type AccountTestPayload = z.infer<typeof AccountTestPayload>;
