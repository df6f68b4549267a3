import type { Advice } from '../../gateway/door.js';

/** The next step where the gateway has no such account, or a service does not take it. */
export const ACCOUNT_ADVICE: Advice = {
  account_unknown: '`sub account list` shows which there are',
  credential_refused:
    'add the account once more with `--replace`, and with the password or token that is right',
};
