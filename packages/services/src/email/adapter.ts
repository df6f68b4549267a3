import type { EmailFetchPayload, EmailSendPayload } from '@subluminal/core-types';
import type { ServiceAdapter } from '../action/service-adapter.js';
import type { AccountTester } from '../account/test-adapter.js';
import { composeMessage } from './compose.js';
import { fetchMail } from './fetch.js';
import { ImapClient } from './imap.js';
import { type EmailParts, mailAdapter, mailAttempt } from './mail-account.js';
import { folderOf } from './mailbox-name.js';
import { recipientsOf } from './session.js';
import { SmtpClient } from './smtp.js';

export function emailFetch(parts: EmailParts): ServiceAdapter<EmailFetchPayload> {
  return mailAdapter(parts, 'imap', fetchMail);
}

export function emailSend(parts: EmailParts): ServiceAdapter<EmailSendPayload> {
  return mailAdapter(parts, 'smtp', async (payload, { account, session, signIn, call }) => {
    const { messageId, message } = await composeMessage(payload, { account, ...call, now: parts.clock() });
    const to = recipientsOf(payload);
    const client = await SmtpClient.signIn(session, signIn);
    await client.send({ from: account.settings.address, to, message });
    client.leave();
    return { account: account.name, messageId, recipients: to.length, bytes: message.length };
  });
}

/** `email.draft`: the letter that `email.send` would send, put into the folder of drafts. */
export function emailDraft(parts: EmailParts): ServiceAdapter<EmailSendPayload> {
  return mailAdapter(parts, 'imap', async (payload, { account, session, signIn, call }) => {
    const { messageId, message } = await composeMessage(payload, { account, ...call, now: parts.clock() });
    const client = await ImapClient.signIn(session, signIn);
    const folder = await client.draftsFolder();
    await client.append(folder, message);
    client.leave();
    return { account: account.name, messageId, folder: folderOf(folder), bytes: message.length };
  });
}

/** `account.test` of a mail account: signs in to one of its servers. */
export function emailTester(parts: EmailParts): AccountTester<'email'> {
  return {
    attempt(account, given) {
      const part = given ?? (account.settings.imap === undefined ? 'smtp' : 'imap');
      return mailAttempt(parts, account, part, async ({ session, signIn }) => {
        const client = part === 'imap' ? ImapClient : SmtpClient;
        (await client.signIn(session, signIn)).leave();
        return { account: account.name, part, signed_in: true };
      });
    },
  };
}
