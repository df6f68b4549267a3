import {
  EmailFetchPayload,
  EmailSendPayload,
  SublError,
  type JsonObject,
  type JsonValue,
} from '@subluminal/core-types';
import {
  type Account,
  type AccountStore,
  type Clock,
  repeatedOf,
  type ServiceAdapter,
  type ServiceCall,
  type ServiceOutcome,
} from '@subluminal/gateway';
import type { AccountTester } from '../account/test-adapter.js';
import { composeMessage } from './compose.js';
import { ImapClient } from './imap.js';
import { folderOf } from './mailbox-name.js';
import { messageData } from './read-message.js';
import {
  partDestination,
  recipientsOf,
  serverOf,
  withMailServer,
  type MailDialer,
  type MailSession,
} from './session.js';
import { hiddenOutcome } from '../account/hidden-outcome.js';
import { SmtpClient, type SignIn } from './smtp.js';

/** What mail needs: who opens connections, whose accounts they are, and what time it is. */
export interface EmailParts {
  readonly dialer: MailDialer;
  readonly accounts: Pick<AccountStore, 'find' | 'secretOf'>;
  readonly clock: Clock;
}

/** Bytes of a message that are read, at most and at least, and messages that are asked for at once. */
const MESSAGE_BYTES = 262_144;
const LEAST_BYTES = 4096;
const AT_ONCE = 10;
/** Characters of an answer: it has to fit into a frame. */
const MAX_ANSWER = 4_194_304;

type Part = 'imap' | 'smtp';

/** `email.fetch`, `email.send` and `email.draft`. */
export function emailAdapters(parts: EmailParts): readonly ServiceAdapter[] {
  return [
    adapter(parts, 'email.fetch', 'imap', readFetch, fetchMail),
    adapter(parts, 'email.send', 'smtp', readSend, sendMail),
    adapter(parts, 'email.draft', 'imap', readSend, draftMail),
  ];
}

/** `account.test` of a mail account: signs in to one of its servers. */
export function emailTester(parts: EmailParts): AccountTester<'email'> {
  const partOf = (account: Account<'email'>, part: Part | undefined): Part =>
    part ?? (account.settings.imap === undefined ? 'smtp' : 'imap');
  return {
    kind: 'email',
    destination: (account, part) => partDestination(account, partOf(account, part)),
    execute: (account, part, call) =>
      onServer(parts, account, partOf(account, part), call, async (session, signIn) => {
        const client = partOf(account, part) === 'imap' ? ImapClient : SmtpClient;
        (await client.signIn(session, signIn)).leave();
        return { account: account.name, part: partOf(account, part), signed_in: true };
      }),
  };
}

type Work<P> = (parts: EmailParts, job: Job<P>, session: MailSession, signIn: SignIn) => Promise<JsonObject>;

interface Job<P> {
  readonly account: Account<'email'>;
  readonly payload: P;
  readonly call: ServiceCall;
}

function adapter<P extends { readonly account?: string | undefined }>(
  parts: EmailParts,
  action: ServiceAdapter['action'],
  part: Part,
  read: (payload: JsonObject) => P,
  work: Work<P>,
): ServiceAdapter {
  return {
    action,
    destination: (given) => partDestination(parts.accounts.find('email', read(given).account), part),
    accountName: (given) => parts.accounts.find('email', read(given).account).name,
    async execute(call) {
      try {
        const payload = read(call.payload);
        const account = parts.accounts.find('email', payload.account);
        if (call.accountName !== account.name)
          throw new SublError('not_allowed', `the account \`${account.name}\` is not what was decided on`);
        const job = { account, payload, call };
        return await onServer(parts, account, part, call, (session, signIn) =>
          work(parts, job, session, signIn),
        );
      } catch (error) {
        if (!(error instanceof SublError)) throw error;
        return { kind: 'error', code: error.code, message: error.message };
      }
    },
  };
}

async function onServer(
  { dialer, accounts }: EmailParts,
  account: Account<'email'>,
  part: Part,
  call: ServiceCall,
  work: (session: MailSession, signIn: SignIn) => Promise<JsonObject>,
): Promise<ServiceOutcome> {
  const { destination } = call;
  const wanted = partDestination(account, part);
  if (destination?.origin !== wanted.origin)
    throw new SublError('not_allowed', `\`${wanted.origin}\` is not what was decided on`);
  const { user } = account.settings;
  const { security } = serverOf(account, part);
  const password = accounts.secretOf(account, call.runId);
  const data = await withMailServer(dialer, destination, call, (session) =>
    work(session, { user, password, security }),
  );
  return hiddenOutcome({ kind: 'success', data }, repeatedOf(account, password));
}

const sendMail: Work<EmailSendPayload> = async ({ clock }, { account, payload, call }, session, signIn) => {
  const { messageId, message } = await composeMessage(payload, { account, ...call, now: clock() });
  const to = recipientsOf(payload);
  const client = await SmtpClient.signIn(session, signIn);
  await client.send({ from: account.settings.address, to, message });
  client.leave();
  return { account: account.name, messageId, recipients: to.length, bytes: message.length };
};

const draftMail: Work<EmailSendPayload> = async ({ clock }, { account, payload, call }, session, signIn) => {
  const { messageId, message } = await composeMessage(payload, { account, ...call, now: clock() });
  const client = await ImapClient.signIn(session, signIn);
  const folder = await client.draftsFolder();
  await client.append(folder, message);
  client.leave();
  return { account: account.name, messageId, folder: folderOf(folder), bytes: message.length };
};

const fetchMail: Work<EmailFetchPayload> = async (_parts, { account, payload, call }, session, signIn) => {
  const { folder, limit, since } = payload;
  const client = await ImapClient.signIn(session, signIn);
  const count = await client.examine(folder);
  const from = since === undefined ? undefined : new Date(since);
  const by = from === undefined ? 'place' : 'uid';
  const found =
    from === undefined ? lastPlaces(count, limit) : [...(await client.since(from))].toSorted((a, b) => b - a);
  const messages: JsonValue[] = [];
  let room = Math.min(MAX_ANSWER, call.limits.maxResponseBytes);
  let isWhole = true;
  const share = Math.floor(call.limits.maxResponseBytes / 2 / Math.max(1, Math.min(found.length, limit)));
  const bytes = Math.max(LEAST_BYTES, Math.min(MESSAGE_BYTES, share));
  for (let at = 0; at < found.length && messages.length < limit && isWhole; at += AT_ONCE) {
    const set = found.slice(at, at + AT_ONCE).join(',');
    const some = await client.fetch(by, set, bytes);
    for (const message of [...some].toSorted((a, b) => b.uid - a.uid)) {
      if (from !== undefined && (message.receivedMs ?? 0) < from.getTime()) continue;
      if (messages.length >= limit) break;
      const data = await messageData(message);
      room -= JSON.stringify(data).length;
      isWhole = room >= 0;
      if (!isWhole) break;
      messages.push(data);
    }
  }
  client.leave();
  return { account: account.name, folder, messages, ...(isWhole ? {} : { truncated: true }) };
};

/** The newest places of a folder, newest first. */
function lastPlaces(count: number, limit: number): readonly number[] {
  return Array.from({ length: Math.min(count, limit) }, (_, index) => count - index);
}

function readFetch(payload: JsonObject): EmailFetchPayload {
  const parsed = EmailFetchPayload.safeParse(payload);
  if (parsed.success) return parsed.data;
  throw new SublError('invalid_request', 'the payload does not fit `email.fetch`');
}

function readSend(payload: JsonObject): EmailSendPayload {
  const parsed = EmailSendPayload.safeParse(payload);
  if (parsed.success) return parsed.data;
  throw new SublError('invalid_request', 'the payload does not fit `email.send`');
}
