import {
  ACCOUNT_SETTINGS,
  AccountKind,
  canonicalize,
  parseJson,
  SublError,
  type AccountSettings,
} from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import type { Clock, RunSecrets, SecretStore } from '@subluminal/gateway';
import { type Account, type AnyAccount, settingsData } from './account.js';
import { hiddenOf } from './hidden.js';

/** Accounts of one home. */
const MAX_ACCOUNTS = 256;
/** Names in one error. */
const MAX_NAMED = 8;

interface Row {
  readonly name: string;
  readonly kind: string;
  readonly settings: string;
  readonly created_ms: number;
  readonly changed_ms: number;
  readonly used_ms: number | null;
  readonly uses: number;
}

const COLUMNS = 'name, kind, settings, created_ms, changed_ms, used_ms, uses';

export interface AccountStoreParts {
  readonly db: Database;
  readonly secrets: SecretStore;
  readonly runSecrets: Pick<RunSecrets, 'add'>;
  readonly clock: Clock;
  /** Called with each account kind that changed. */
  readonly changed: (kind: AccountKind) => void;
}

/** The accounts of a home: settings in the clear, and secrets sealed as those of servers are. */
export class AccountStore {
  readonly #parts: AccountStoreParts;

  constructor(parts: AccountStoreParts) {
    this.#parts = parts;
  }

  /** All accounts, or those of one kind, ordered by name. */
  all(kind?: AccountKind): readonly AnyAccount[] {
    return this.#parts.db
      .prepare<[], Row>(`SELECT ${COLUMNS} FROM account ORDER BY name`)
      .all()
      .map(accountOf)
      .filter((account) => kind === undefined || account.kind === kind);
  }

  /** The account of that name, of whatever kind. Throws `account_unknown`. */
  named(name: string): AnyAccount {
    const row = this.#parts.db
      .prepare<[string], Row>(`SELECT ${COLUMNS} FROM account WHERE name = ?`)
      .get(name);
    if (row === undefined) throw new SublError('account_unknown', `there is no account \`${name}\``);
    return accountOf(row);
  }

  /**
   * The account that an action means: the one of that kind and name, or without a name the only one of that
   * kind.
   *
   * @throws SublError `account_unknown`.
   */
  find<K extends AccountKind>(kind: K, name?: string): Account<K> {
    const found = this.all(kind).filter((account) => name === undefined || account.name === name);
    const [account] = found;
    if (account === undefined) {
      const which = name === undefined ? '' : ` \`${name}\``;
      throw new SublError('account_unknown', `there is no account${which} of the kind \`${kind}\``);
    }
    if (found.length > 1) {
      const names = found.slice(0, MAX_NAMED).map((one) => `\`${one.name}\``);
      throw new SublError(
        'account_unknown',
        `there are ${found.length} accounts of the kind \`${kind}\`, and none was named`,
        { help: `name one as \`account\`: ${names.join(', ')}${found.length > MAX_NAMED ? ', …' : ''}` },
      );
    }
    return account as Account<K>;
  }

  /**
   * The secret of an account that is about to be used, which is counted. Nothing that is recorded of the run
   * from now on holds it, in any of the forms in which it goes over a wire. `runId` is null for the operator.
   * The secret of an account that leads elsewhere since it was found is not given: it was not decided on.
   *
   * @throws SublError `account_unknown`, `not_allowed`, `secret_missing`, `overloaded`.
   */
  secretOf(account: AnyAccount, runId: string | null): string {
    const { db, secrets, runSecrets, clock } = this.#parts;
    if (!isSame(this.named(account.name), account))
      throw new SublError(
        'not_allowed',
        `the account \`${account.name}\` was changed since it was decided on`,
      );
    const value = secrets.read(placeOf(account.name));
    if (runId !== null && !runSecrets.add(runId, hiddenOf(account, value)))
      throw new SublError('overloaded', 'this run uses too many secrets');
    db.prepare('UPDATE account SET used_ms = ?, uses = uses + 1 WHERE name = ?').run(clock(), account.name);
    return value;
  }

  has(name: string): boolean {
    return this.#count('SELECT count(*) FROM account WHERE name = ?', name) > 0;
  }

  /**
   * @throws SublError `usage` for a name that is taken, unless the account is to be replaced; `overloaded`.
   */
  assertRoom(name: string, replace: boolean): void {
    if (this.has(name)) {
      if (replace) return;
      throw new SublError('usage', `there is an account \`${name}\` already`, {
        help: 'add `--replace` for this one in its place',
      });
    }
    if (this.#count('SELECT count(*) FROM account') >= MAX_ACCOUNTS)
      throw new SublError('overloaded', `there are ${MAX_ACCOUNTS} accounts already`);
    this.#parts.secrets.assertRoom(placeOf(name), true);
  }

  /** Stores an account, settings and secret, in place of one of the same name. */
  put<K extends AccountKind>(name: string, kind: K, settings: AccountSettings<K>, secret: string): void {
    const { db, secrets, clock, changed } = this.#parts;
    const now = clock();
    const before = this.has(name) ? this.named(name).kind : kind;
    db.transaction(() => {
      db.prepare(
        `INSERT INTO account(${COLUMNS}) VALUES(?, ?, ?, ?, ?, NULL, 0)
ON CONFLICT(name) DO UPDATE SET kind = excluded.kind, settings = excluded.settings, changed_ms = excluded.changed_ms`,
      ).run(name, kind, canonicalize(settingsData(settings)), now, now);
      secrets.put(placeOf(name), secret);
    })();
    for (const one of new Set([before, kind])) changed(one);
  }

  /** Removes an account and its secret. Returns false where there was none. */
  remove(name: string): boolean {
    const { db, secrets, changed } = this.#parts;
    if (!this.has(name)) return false;
    const { kind } = this.named(name);
    db.transaction(() => {
      secrets.remove(placeOf(name));
      db.prepare('DELETE FROM account WHERE name = ?').run(name);
    })();
    changed(kind);
    return true;
  }

  #count(sql: string, ...values: readonly string[]): number {
    return (
      this.#parts.db
        .prepare<string[], number>(sql)
        .pluck()
        .get(...values) ?? 0
    );
  }
}

/** No secret of a person can have this name: it has a colon. */
function placeOf(name: string): string {
  return `account:${name}`;
}

function isSame(one: AnyAccount, other: AnyAccount): boolean {
  const text = (account: AnyAccount): string => canonicalize(settingsData(account.settings));
  return one.kind === other.kind && text(one) === text(other);
}

function accountOf(row: Row): AnyAccount {
  const kind = AccountKind.parse(row.kind);
  return {
    name: row.name,
    kind,
    settings: ACCOUNT_SETTINGS[kind].parse(parseJson(row.settings)),
    createdMs: row.created_ms,
    changedMs: row.changed_ms,
    usedMs: row.used_ms,
    uses: row.uses,
    // `settings` was read with the schema of `kind`, which the compiler cannot follow.
  } as AnyAccount;
}
