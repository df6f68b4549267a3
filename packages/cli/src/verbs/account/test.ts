import { errorOf, valueAt, listAt, textAt } from '@subluminal/core-types';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { type Advice, advised, askOperator, withGateway } from '../../gateway/door.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import type { Call } from '../../program/call.js';
import { subVerb, type Does } from '../../program/verb.js';
import { ACCOUNT_ADVICE } from './advice.js';
import { accountName } from './name.js';

const TIMEOUT_MS = 120_000;

const ADVICE: Advice = {
  ...ACCOUNT_ADVICE,
  adapter_unavailable: 'it signs in with each request: try one, `sub call service.api_call --url …`',
};

/** `sub account test NAME`. */
export function defineTest(group: Command, does: Does): void {
  does(
    subVerb(group, 'test', 'sign in with an account, and do nothing with it').argument(
      '<name>',
      'the name that `sub account list` shows',
    ),
    {},
    async (call) => {
      await assertOutsideRun(call);
      const name = accountName(call, 0);
      for (const part of await partsOf(call, name)) {
        const asked = part === undefined ? { name } : { name, part };
        const data = await tried(call, asked);
        if (call.output.json) call.output.value(data);
        else call.output.line(`\`${name}\`${part === undefined ? '' : ` (${part})`} works`);
      }
      return EXIT.done;
    },
  );
}

async function tried(call: Call, asked: Readonly<Record<string, unknown>>) {
  return withGateway(call.home, 'operator', call.session.now, async (client) => {
    const answer = await client.request('account.test', asked, { timeoutMs: TIMEOUT_MS });
    if (answer.status !== 'success') throw advised(errorOf(answer), ADVICE);
    return answer.data ?? null;
  });
}

/** A mail account has two servers; each is tried by itself. */
async function partsOf(call: Call, name: string): Promise<readonly ('imap' | 'smtp' | undefined)[]> {
  const data = await askOperator(call.home, call.session.now, 'account.list');
  const account = listAt(data, 'accounts').find((one) => textAt(one, 'name') === name);
  if (account === undefined || textAt(account, 'kind') !== 'email') return [undefined];
  return (['imap', 'smtp'] as const).filter((part) => valueAt(account, 'settings', part) !== null);
}
