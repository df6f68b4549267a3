import { AccountTestPayload, SublError, type AccountKind, type JsonObject } from '@subluminal/core-types';
import type { Destination } from '@subluminal/egress';
import {
  type Account,
  type AccountStore,
  failureOf,
  type ServiceAdapter,
  type ServiceCall,
  type ServiceOutcome,
} from '@subluminal/gateway';

/** Which server of an account is tried, where it has several. */
export type AccountPart = AccountTestPayload['part'];

/** How an account of one kind is tried: by signing in, and nothing more. */
export interface AccountTester<K extends AccountKind = AccountKind> {
  readonly kind: K;
  /** What is dialled. Throws `invalid_request` for a part that the account does not have. */
  destination(account: Account<K>, part: AccountPart): Destination;
  execute(account: Account<K>, part: AccountPart, call: ServiceCall): Promise<ServiceOutcome>;
}

/** One tester, of whatever kind it is. */
export type AnyAccountTester = { readonly [K in AccountKind]: AccountTester<K> }[AccountKind];

/** `account.test`: the adapter of the kinds that have a tester; of the others it answers `adapter_unavailable`. */
export function createAccountTestAdapter(
  accounts: Pick<AccountStore, 'named'>,
  testers: readonly AnyAccountTester[],
): ServiceAdapter {
  const byKind = new Map<AccountKind, AccountTester>(
    // An account reaches the tester of its own kind alone.
    testers.map((tester) => [tester.kind, tester as unknown as AccountTester]),
  );
  const read = (payload: JsonObject) => {
    const parsed = AccountTestPayload.safeParse(payload);
    if (!parsed.success) throw new SublError('invalid_request', 'the payload does not fit `account.test`');
    const account: Account = accounts.named(parsed.data.name);
    return { account, part: parsed.data.part, tester: byKind.get(account.kind) };
  };
  return {
    action: 'account.test',
    destination: (payload) => {
      const { account, part, tester } = read(payload);
      return tester?.destination(account, part);
    },
    accountName: (payload) => read(payload).account.name,
    async execute(call) {
      try {
        const { account, part, tester } = read(call.payload);
        if (tester === undefined) {
          const message = `no adapter tries accounts of the kind \`${account.kind}\` yet, so nothing was done`;
          return { kind: 'error', code: 'adapter_unavailable', message };
        }
        const wanted = tester.destination(account, part);
        if (call.destination?.origin !== wanted.origin)
          throw new SublError('not_allowed', `\`${wanted.origin}\` is not what was decided on`);
        return await tester.execute(account, part, call);
      } catch (error) {
        if (!(error instanceof SublError)) throw error;
        return failureOf(error);
      }
    },
  };
}
