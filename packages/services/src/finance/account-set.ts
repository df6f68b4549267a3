import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  startOf,
  SublError,
  own,
} from '@subluminal/core-types';
import { objectAt, textAt } from '../account/answer.js';

/** The wanted part of an account set. */
export interface Wanted {
  readonly accountId: string | undefined;
  readonly limit: number;
}

const MAX_ACCOUNTS = 256;
const MAX_ERRORS = 100;
const AMOUNT = /^[+-]?[0-9]{1,32}(?:\.[0-9]{1,32})?$/;

/**
 * An account set of SimpleFIN (versions 1 and 2 of the protocol) as flat lists: accounts, the newest `limit`
 * transactions of all of them, and the errors as the server wrote them. Times are ISO 8601, or `null` where
 * the server gave none.
 *
 * @throws SublError `adapter_failed` where there is no list of accounts, or an amount is not a decimal text.
 */
export function accountSet(origin: string, set: JsonObject, wanted: Wanted): JsonObject {
  if (!Array.isArray(own(set, 'accounts'))) throw unlike(origin, 'has no list of accounts');
  const given = listAt(set, 'accounts').filter(
    (account) => wanted.accountId === undefined || textAt(account, 'id') === wanted.accountId,
  );
  const accounts = given.slice(0, MAX_ACCOUNTS);
  const transactions = accounts
    .flatMap((account) => {
      const accountId = idOf(origin, account);
      return listAt(account, 'transactions').map((one) => transaction(origin, one, accountId));
    })
    .toSorted((one, other) => other.at - one.at);
  return {
    accounts: accounts.map((account) => accountFacts(origin, account)),
    transactions: transactions.slice(0, wanted.limit).map(({ facts }) => facts),
    errors: errorsOf(set),
    truncated: transactions.length > wanted.limit || given.length > MAX_ACCOUNTS,
  };
}

function accountFacts(origin: string, account: JsonObject): JsonObject {
  const available = own(account, 'available-balance');
  const org = objectAt(account, 'org');
  const institution =
    textAt(account, 'conn_name') ??
    (org === undefined ? undefined : (textAt(org, 'name') ?? textAt(org, 'domain')));
  return {
    id: idOf(origin, account),
    name: textAt(account, 'name') ?? '',
    currency: textAt(account, 'currency') ?? '',
    balance: amount(origin, own(account, 'balance')),
    ...(available === undefined || available === null ? {} : { availableBalance: amount(origin, available) }),
    balanceDate: time(own(account, 'balance-date')),
    ...(institution === undefined ? {} : { institution }),
  };
}

function transaction(origin: string, one: JsonObject, accountId: string): { facts: JsonObject; at: number } {
  const [posted, transacted] = [own(one, 'posted'), own(one, 'transacted_at')];
  const more = ['payee', 'memo'].flatMap((key): [string, JsonValue][] => {
    const text = textAt(one, key);
    return text === undefined ? [] : [[key, text]];
  });
  const pending = own(one, 'pending') === true;
  return {
    facts: {
      id: idOf(origin, one),
      accountId,
      posted: time(posted),
      ...(transacted === undefined ? {} : { transactedAt: time(transacted) }),
      amount: amount(origin, own(one, 'amount')),
      description: textAt(one, 'description') ?? '',
      pending,
      ...Object.fromEntries(more),
    },
    // A transaction that has not been posted yet is the newest.
    at: seconds(posted) ?? seconds(transacted) ?? Number.MAX_SAFE_INTEGER,
  };
}

function idOf(origin: string, object: JsonObject): string {
  const id = textAt(object, 'id', 512);
  if (id === undefined || id === '') throw unlike(origin, 'has an entry without an id');
  return id;
}

function amount(origin: string, value: JsonValue | undefined): string {
  if (typeof value !== 'string' || !AMOUNT.test(value))
    throw unlike(origin, 'has an amount that is not a decimal text');
  return value;
}

function seconds(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && value > 0 && value < 8.64e12 ? value : undefined;
}

function time(value: JsonValue | undefined): string | null {
  const known = seconds(value);
  return known === undefined ? null : new Date(known * 1000).toISOString();
}

/** Version 1 has texts, version 2 objects: each is passed on with the members that the protocol names. */
function errorsOf(set: JsonObject): JsonValue[] {
  const lists = [own(set, 'errlist'), own(set, 'errors')].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  return lists.slice(0, MAX_ERRORS).flatMap((error: JsonValue): JsonValue[] => {
    if (typeof error === 'string') return [startOf(error, 1024)];
    if (!isJsonObject(error)) return [];
    const kept = ['code', 'msg', 'message', 'conn_id', 'account_id'].flatMap((key): [string, JsonValue][] => {
      const text = textAt(error, key, 1024);
      return text === undefined ? [] : [[key, text]];
    });
    return [Object.fromEntries(kept)];
  });
}

function unlike(origin: string, what: string): SublError {
  return new SublError('adapter_failed', `the answer of \`${origin}\` is no account set: it ${what}`);
}
