import { type AccountKind, type HiddenValue, isSublError, SublError } from '@subluminal/core-types';
import type { Account, AnyAccount } from '../accounts/account.js';
import type { AccountStore } from '../accounts/store.js';
import { failureOf, type Attempt, type ServiceCall, type ServiceOutcome } from '../action/service-adapter.js';
import { repeatedOf } from '../accounts/hidden.js';
import { hiddenOutcome } from './hidden-outcome.js';
import type { CheckedDestination, Destination } from '@subluminal/egress';

/** An action under way for an account, at the place that was decided on. */
export interface AccountUse {
  readonly secret: string;
  /** Every form of the secret: none of them may come back to the caller. */
  readonly hidden: readonly HiddenValue[];
  readonly destination: CheckedDestination;
  readonly call: ServiceCall;
}

/** An attempt without a secret. An expected failure of `run` is its outcome; bugs are thrown. */
export function attemptAt<P = never>(
  wanted: Destination,
  run: (destination: CheckedDestination, call: ServiceCall) => Promise<ServiceOutcome<P>>,
): Attempt<P> {
  return {
    destination: wanted,
    accountName: undefined,
    async execute(call) {
      try {
        return await run(decidedOn(wanted, call), call);
      } catch (error) {
        return failed(error, []);
      }
    },
  };
}

/**
 * An attempt for an account: its place is decided on, its secret is read when it is used, and taken out of
 * everything that comes back, errors included. The store gives no secret of an account that leads elsewhere
 * by then.
 */
export function attemptFor<K extends AccountKind, P = never>(
  accounts: Pick<AccountStore, 'secretOf'>,
  account: Account<K>,
  wanted: Destination,
  run: (use: AccountUse) => Promise<ServiceOutcome<P>>,
): Attempt<P> {
  // The compiler cannot follow that one of the kinds is `K`.
  const any = account as AnyAccount;
  const attempt = attemptAt(wanted, async (destination, call) => {
    const secret = accounts.secretOf(any, call.runId);
    const hidden = repeatedOf(any, secret);
    try {
      return hiddenOutcome(await run({ secret, hidden, destination, call }), hidden);
    } catch (error) {
      return failed(error, hidden);
    }
  });
  return { ...attempt, accountName: account.name };
}

function decidedOn(wanted: Destination, { destination }: ServiceCall): CheckedDestination {
  if (destination?.origin === wanted.origin) return destination;
  throw new SublError('not_allowed', `\`${wanted.origin}\` is not what was decided on`);
}

function failed(error: unknown, hidden: readonly HiddenValue[]): ServiceOutcome {
  if (!isSublError(error)) throw error;
  return hiddenOutcome(failureOf(error), hidden);
}
