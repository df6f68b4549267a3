import * as z from 'zod';

/** The name of an account, as the operator gave it. */
export const AccountName = z.string().regex(/^[a-z0-9][a-z0-9_.-]{0,63}$/);

/** What an account is for. */
export const AccountKind = z.enum(['email', 'calendar', 'finance', 'health', 'api']);
export type AccountKind = z.infer<typeof AccountKind>;

const Text = z.string().min(1).max(320);
/** Plain HTTP is refused for every account: its credentials would be readable on the way. */
const HttpsUrl = z
  .string()
  .max(2048)
  .regex(/^https:\/\/[^\s\\]+$/i);
const MailServer = z.strictObject({
  host: z.string().min(1).max(253),
  port: z.number().int().min(1).max(65_535),
  /** `tls`: from the first byte. `starttls`: before anything else is said, or not at all. */
  security: z.enum(['tls', 'starttls']),
});

/** What is known of an account besides its secret. */
export const ACCOUNT_SETTINGS = {
  email: z.strictObject({
    address: Text,
    user: Text,
    imap: MailServer.optional(),
    smtp: MailServer.optional(),
    name: Text.optional(),
  }),
  calendar: z.strictObject({ url: HttpsUrl, user: Text }),
  finance: z.strictObject({ origin: HttpsUrl }),
  health: z.strictObject({ base: HttpsUrl, patient: Text.optional() }),
  api: z.strictObject({
    origin: HttpsUrl,
    prefix: z
      .string()
      .max(2048)
      .regex(/^\/[^\s\\?#]*$/)
      .default('/'),
    methods: z
      .array(z.enum(['GET', 'POST', 'PUT', 'DELETE', 'PATCH']))
      .min(1)
      .max(5)
      .optional(),
    header: z
      .string()
      .regex(/^[A-Za-z0-9-]{1,64}$/)
      .default('authorization'),
    scheme: z.enum(['bearer', 'basic', 'raw']),
  }),
} as const satisfies Record<AccountKind, z.ZodType>;

/** The account's own password, token or access URL: it goes into the gateway's store, and stands in no entry. */
const Secret = z.string().min(1).max(65_536);
const addOf = <K extends AccountKind>(kind: K) =>
  z.strictObject({
    kind: z.literal(kind),
    name: AccountName,
    settings: ACCOUNT_SETTINGS[kind],
    secret: Secret,
  });

/** `account.add`. One of that name is replaced. */
export const AccountAddPayload = z.discriminatedUnion('kind', [
  addOf('email'),
  addOf('calendar'),
  addOf('finance'),
  addOf('health'),
  addOf('api'),
]);
export type AccountAddPayload = z.infer<typeof AccountAddPayload>;

/** `account.test` and `account.remove`. */
export const AccountNamePayload = z.strictObject({ name: AccountName });
export type AccountNamePayload = z.infer<typeof AccountNamePayload>;
