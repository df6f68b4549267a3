import {
  type AccountKind,
  type AccountSettings,
  type HiddenValue,
  type JsonObject,
  type ServiceAction,
  SublError,
} from '@subluminal/core-types';
import type * as z from 'zod';
import {
  type Account,
  type AccountStore,
  type AnyAccount,
  failureOf,
  repeatedOf,
  type ServiceAdapter,
  type ServiceCall,
  type ServiceOutcome,
} from '@subluminal/gateway';
import { type Destination, type Dialer, type Endpoint, parseEndpoint } from '@subluminal/egress';
import { Conversation } from './conversation.js';
import { hiddenOutcome } from './hidden-outcome.js';

/** What adapters that use an account are made of. */
export interface AccountParts {
  readonly dialer: Pick<Dialer, 'connect'>;
  readonly accounts: Pick<AccountStore, 'find' | 'secretOf'>;
}

/** One action under way: what was asked, of which account, and the way to its service. */
export interface AccountUse<K extends AccountKind, P> {
  readonly payload: P;
  readonly account: Account<K>;
  readonly secret: string;
  /** Where the account's own address leads. */
  readonly endpoint: Endpoint;
  readonly talk: Conversation;
  readonly call: ServiceCall;
}

/** What is different from one action on an account to another. */
export interface AccountAction<K extends AccountKind, S extends z.ZodType> {
  readonly action: ServiceAction;
  readonly kind: K;
  readonly payload: S;
  /** The absolute https address in the settings. */
  readonly addressOf: (settings: AccountSettings<K>) => string;
  /** The headers that make a request the account's. */
  readonly credentials: (account: Account<K>, secret: string) => Readonly<Record<string, string>>;
  /** What cannot be done whatever the service says. Throws `invalid_request`. */
  readonly check?: (payload: z.infer<S>) => void;
  readonly run: (use: AccountUse<K, z.infer<S>>) => Promise<JsonObject>;
}

/** Of a calendar CalDAV is spoken, so that an entry for that is enough. */
export function spokenOf(kind: AccountKind, destination: Destination): Destination {
  return kind === 'calendar' ? { ...destination, inside: 'caldav' } : destination;
}

/**
 * An adapter that acts for the operator's account: its address is what the allowlist decides on, its secret is read when it is
 * used, and taken out of whatever comes back. An account that leads to another
 * place since the decision is not used.
 */
export function accountAdapter<K extends AccountKind, S extends z.ZodType<{ account?: string | undefined }>>(
  parts: AccountParts,
  spec: AccountAction<K, S>,
): ServiceAdapter {
  const prepare = (given: JsonObject) => {
    const parsed = spec.payload.safeParse(given);
    if (!parsed.success)
      throw new SublError('invalid_request', `the payload does not fit \`${spec.action}\``);
    spec.check?.(parsed.data);
    const account = parts.accounts.find(spec.kind, parsed.data.account);
    const endpoint = parseEndpoint(spec.addressOf(account.settings));
    if (endpoint.destination.protocol !== 'https')
      throw new SublError('invalid_request', `the account \`${account.name}\` has no https address`);
    return { payload: parsed.data, account, endpoint };
  };
  const execute = async (call: ServiceCall): Promise<ServiceOutcome> => {
    let values: readonly HiddenValue[] = [];
    try {
      const { payload, account, endpoint } = prepare(call.payload);
      if (call.destination?.origin !== endpoint.destination.origin)
        throw new SublError('not_allowed', `\`${endpoint.destination.origin}\` is not what was decided on`);
      if (call.accountName !== account.name)
        throw new SublError('not_allowed', `the account \`${account.name}\` is not what was decided on`);
      const secret = parts.accounts.secretOf(account as AnyAccount, call.runId);
      values = repeatedOf(account as AnyAccount, secret);
      const headers = spec.credentials(account, secret);
      const talk = new Conversation(parts.dialer, call.destination, call, headers, values);
      const data = await spec.run({ payload, account, secret, endpoint, talk, call });
      return hiddenOutcome({ kind: 'success', data }, values);
    } catch (error) {
      if (!(error instanceof SublError)) throw error;
      return hiddenOutcome(failureOf(error), values);
    }
  };
  return {
    action: spec.action,
    destination: (payload) => spokenOf(spec.kind, prepare(payload).endpoint.destination),
    accountName: (payload) => prepare(payload).account.name,
    execute,
  };
}
