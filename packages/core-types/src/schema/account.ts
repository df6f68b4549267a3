import * as z from 'zod';
import { Label } from './json.js';

/** The kinds of accounts. */
export const ACCOUNT_KINDS = ['email', 'calendar', 'finance', 'health', 'api'] as const;
export const AccountKind = z.enum(ACCOUNT_KINDS);
export type AccountKind = z.infer<typeof AccountKind>;

/** How an account is called, whatever its kind: one of a name. */
export const AccountName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, 'a name has letters, digits, `_`, `.` and `-`, 64 at most');

/**
 * `starttls`: begins in plain text, and is refused where the server does not offer TLS. There is no form
 * without TLS.
 */
export const MailSecurity = z.enum(['tls', 'starttls']);
export type MailSecurity = z.infer<typeof MailSecurity>;

const MailServer = z.strictObject({
  host: z.string().min(1).max(253),
  port: z.number().int().min(1).max(65_535),
  security: MailSecurity,
});
export type MailServer = z.infer<typeof MailServer>;

/** Absolute, of https, without user information: that belongs to the secret. */
const HttpsUrl = z
  .string()
  .max(2048)
  .regex(
    /^https:\/\/[^\s\\@/?#]+(?:[/?][^\s\\#]*)?$/i,
    'write it as `https://HOST/PATH`, without a user name',
  );
const HttpsOrigin = z
  .string()
  .max(512)
  .regex(/^https:\/\/[^\s\\@/?#]+\/?$/i, 'write it as `https://HOST`, without a path or a user name');

/** An account of mail: IMAP to read and keep drafts, SMTP to send. Its secret is the password of both. */
export const EmailSettings = z
  .strictObject({
    address: z.email().max(254),
    user: Label,
    imap: MailServer.optional(),
    smtp: MailServer.optional(),
    /** Stands beside the address in what is sent. */
    name: Label.optional(),
  })
  .refine(({ imap, smtp }) => imap !== undefined || smtp !== undefined, 'give an IMAP or an SMTP server');

/** A CalDAV server: its base, a principal or one collection. Its secret is the password. */
export const CalendarSettings = z.strictObject({ url: HttpsUrl, user: Label });

/** A SimpleFIN server. Its secret is the access URL, with the user name and password that stand in it. */
export const FinanceSettings = z.strictObject({ origin: HttpsOrigin });

/** A FHIR server. Its secret is a bearer token. */
export const HealthSettings = z.strictObject({
  base: HttpsUrl,
  patient: z
    .string()
    .regex(/^[A-Za-z0-9.-]{1,64}$/, 'the id of a patient has letters, digits, `.` and `-`, 64 at most')
    .optional(),
});

/** The header of requests to one origin. Its secret is the value. */
export const ApiSettings = z.strictObject({
  origin: HttpsOrigin,
  /** Only below this path. */
  prefix: z
    .string()
    .max(1024)
    .regex(/^\/[^\s\\?#]*$/, 'a prefix begins with `/`, and has no query')
    .default('/'),
  /** Only these methods; default: every one. */
  methods: z
    .array(z.enum(['GET', 'POST', 'PUT', 'DELETE', 'PATCH']))
    .min(1)
    .max(5)
    .optional(),
  header: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'a header has letters, digits, `-` and `_`')
    .default('authorization'),
  /** `bearer`: `Bearer VALUE`; `basic`: `Basic` and `USER:PASSWORD` in base64; `raw`: the value as it is. */
  scheme: z.enum(['bearer', 'basic', 'raw']).default('bearer'),
});

/** The settings of each kind. None of them is secret. */
export const ACCOUNT_SETTINGS = {
  email: EmailSettings,
  calendar: CalendarSettings,
  finance: FinanceSettings,
  health: HealthSettings,
  api: ApiSettings,
} as const satisfies Record<AccountKind, z.ZodType>;

/** The settings of one kind, or of any. */
export type AccountSettings<K extends AccountKind = AccountKind> = z.infer<(typeof ACCOUNT_SETTINGS)[K]>;
