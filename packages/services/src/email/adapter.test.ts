import { SublError } from '@subluminal/core-types';
import { checkAddresses } from '@subluminal/egress';
import type { Account } from '../accounts/account.js';
import { emailFetch } from './adapter.js';
import { expect, it } from 'vitest';

const SECRET = 'word-4711-of-the-mail';

it('an error of a mail action keeps its help, and holds no secret', async () => {
  const imap = { host: 'mail.test', port: 993, security: 'tls' };
  const settings = { address: 'ada@mail.test', user: 'ada', imap };
  const account = { name: 'work', kind: 'email', settings } as unknown as Account<never>;
  const said = new SublError('adapter_failed', `it said ${SECRET}`, { help: `look for ${SECRET}` });
  const adapter = emailFetch({
    dialer: { connect: () => Promise.reject(said), secure: () => Promise.reject(said) },
    accounts: { find: () => account, secretOf: () => SECRET },
    clock: () => 0,
  });
  const attempt = adapter.prepare({ folder: 'INBOX', limit: 1 }, []);
  if (attempt.destination === undefined) throw new Error('it leads nowhere');
  const destination = checkAddresses(attempt.destination, ['127.0.0.1'], true);
  const limits = { timeoutMs: 1000, maxResponseBytes: 1000 };
  const call = { runId: null, requestId: 'one', destination, limits, signal: new AbortController().signal };
  expect(attempt.accountName).toBe('work');
  expect(await attempt.execute(call)).toEqual({
    kind: 'error',
    code: 'adapter_failed',
    message: 'it said [REDACTED:account work]',
    help: 'look for [REDACTED:account work]',
  });
});
