import { AccountName, SublError } from '@subluminal/core-types';
import type { Call } from '../../program/call.js';

/** The name of an account that was given. Throws `usage`. */
export function accountName(call: Call, index: number): string {
  const checked = AccountName.safeParse(call.operand(index, 'name'));
  if (checked.success) return checked.data;
  // It may be the secret itself, in the wrong place: it is not repeated.
  throw new SublError('usage', 'this is not the name of an account', {
    help: 'a name has letters, digits, `_`, `.` and `-`, 64 at most; the secret is asked for, and never on the command line',
  });
}
