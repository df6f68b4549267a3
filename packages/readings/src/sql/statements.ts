import { isAlwaysTrue } from './condition.js';
import type { Token } from './tokens.js';
import { tokensOf } from './tokens.js';

/** One statement of a query. */
export interface Statement {
  /**
   * The words that say what it does: `SELECT`, `SELECT INTO`, `DELETE`, `DROP TABLE`, `ALTER DROP`,
   * `COPY PROGRAM`, `MERGE DELETE`, `XP_CMDSHELL`. A statement inside another one is a statement of its own.
   */
  readonly verb: string;
  /** A DELETE or an UPDATE of every row: no WHERE, or one that is always true. */
  readonly without_where: boolean;
}

/** The reading of a query. */
export interface SqlReading {
  readonly statements: readonly Statement[];
  /** Something in it was not read: it counts as any statement. */
  readonly unparsed: boolean;
}

const MAX_LENGTH = 65_536;
const MAX_DEPTH = 3;
const MAX_STATEMENTS = 256;
/** Words behind which a statement may begin inside of another one. */
const BEFORE: ReadonlySet<string> = new Set([
  'BEGIN',
  'THEN',
  'ELSE',
  'AS',
  'ANALYZE',
  'VERBOSE',
  'EXPLAIN',
  'DO',
]);
const VERBS: ReadonlySet<string> = new Set(
  'SELECT INSERT UPDATE DELETE MERGE REPLACE UPSERT DROP TRUNCATE ALTER CREATE GRANT REVOKE COPY LOAD CALL EXEC EXECUTE DO SET RESET USE SHOW DESCRIBE DESC EXPLAIN BEGIN START COMMIT ROLLBACK SAVEPOINT RELEASE WITH VALUES TABLE ATTACH DETACH PRAGMA VACUUM ANALYZE REINDEX REFRESH RENAME COMMENT LOCK UNLOCK KILL SHUTDOWN BACKUP RESTORE IMPORT EXPORT UNLOAD OPTIMIZE REPAIR FLUSH PURGE HANDLER PREPARE DEALLOCATE DECLARE FETCH CLOSE LISTEN NOTIFY UNLISTEN CLUSTER DISCARD CHECKPOINT INSTALL UNINSTALL END IF PRINT GO'.split(
    ' ',
  ),
);
/** Verbs that take the kind of their object with them. */
const WITH_OBJECT: ReadonlySet<string> = new Set(['DROP', 'CREATE', 'ALTER']);
/** Words between such a verb and its object. */
const FILLERS: ReadonlySet<string> = new Set([
  'OR',
  'REPLACE',
  'TEMP',
  'TEMPORARY',
  'UNLOGGED',
  'UNIQUE',
  'MATERIALIZED',
  'RECURSIVE',
  'GLOBAL',
  'LOCAL',
  'FOREIGN',
  'EXTERNAL',
]);

/** Reads a query, whatever the dialect, in linear time. */
export function readSql(query: string): SqlReading {
  const statements: Statement[] = [];
  const whole = collect(query, 0, statements);
  return { statements, unparsed: !whole };
}

function collect(query: string, depth: number, found: Statement[]): boolean {
  if (query.length > MAX_LENGTH || depth > MAX_DEPTH) return false;
  const tokens = tokensOf(query);
  if (tokens === undefined) return false;
  let isWhole = true;
  for (const statement of split(tokens)) {
    for (let at = 0; at < statement.length; at += 1) {
      const token = statement[at];
      if (token?.is === 'body' || isExecuted(statement, at))
        isWhole = collect(token?.text ?? '', depth + 1, found) && isWhole;
      if (token === undefined || !begins(statement, at)) continue;
      if (found.length === MAX_STATEMENTS) return false;
      // A statement whose first word is none that is known may be anything.
      if (!VERBS.has(token.text)) isWhole = false;
      else found.push({ verb: verbAt(statement, at), without_where: isWithoutWhere(statement, at) });
    }
  }
  return isWhole;
}

const RUNS_TEXT: ReadonlySet<string> = new Set(['EXECUTE', 'IMMEDIATE', 'EXEC', 'DO', 'PLPGSQL']);
const HOLDS_TEXT: ReadonlySet<string> = new Set(
  'EXEC EXECUTE DO PREPARE DECLARE SET BEGIN SP_EXECUTESQL'.split(' '),
);
const STATEMENT = /^\s*(?:drop|truncate|delete|alter|update|begin|declare|insert|create|grant|merge|exec)/i;

/** `EXECUTE 'DROP TABLE t'`: a text that is run. */
function isExecuted(tokens: readonly Token[], at: number): boolean {
  if (tokens[at]?.is !== 'text') return false;
  const before = tokens[at - 1];
  if (before?.is === 'word' && RUNS_TEXT.has(before.text)) return true;
  // `EXEC('…')`, `EXEC sp_executesql N'…'`, `PREPARE s FROM '…'`, `SET @a = '…'`.
  const first = tokens[0];
  return first?.is === 'word' && HOLDS_TEXT.has(first.text) && STATEMENT.test(tokens[at]?.text ?? '');
}

function split(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const statements: Token[][] = [[]];
  for (const token of tokens) {
    if (token.is === 'mark' && token.text === ';') statements.push([]);
    else statements.at(-1)?.push(token);
  }
  return statements;
}

/**
 * Whether a statement begins there: at the start, in a bracket, or behind a word that a statement follows.
 */
function begins(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  if (token?.is !== 'word') return false;
  const before = tokens[at - 1];
  if (before === undefined) return true;
  // An option of EXPLAIN, also in brackets.
  if (token.text === 'ANALYZE' && [before, tokens[at - 2]].some(isWord('EXPLAIN'))) return false;
  const opens = before.is === 'mark' ? before.text === '(' : before.is === 'word' && BEFORE.has(before.text);
  // T-SQL needs no `;` between statements.
  if (before.is !== 'mark' && startsAnywhere(tokens, at)) return true;
  if (opens || token.text === 'XP_CMDSHELL') return VERBS.has(token.text) && !isFunction(tokens, at);
  // `WITH a AS (…) DELETE FROM b`, `EXPLAIN (ANALYZE) DELETE FROM b`.
  return before.is === 'mark' && before.text === ')' && isMain(tokens, token.text);
}

function startsAnywhere(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1]?.text ?? '';
  const verb = tokens[at]?.text ?? '';
  return (
    (verb === 'DROP' && /^(?:TABLE|DATABASE|SCHEMA|VIEW|USER|ROLE|PROCEDURE|FUNCTION)$/.test(next)) ||
    (verb === 'TRUNCATE' && next === 'TABLE') ||
    (verb === 'DELETE' && next === 'FROM')
  );
}

function isMain(tokens: readonly Token[], text: string): boolean {
  const [first] = tokens;
  return (
    ['WITH', 'EXPLAIN'].includes(first?.text ?? '') &&
    ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'MERGE'].includes(text)
  );
}

/** `REPLACE(…)`, `IF(…)`: a call, and no statement. */
function isFunction(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1];
  return (
    next?.is === 'mark' && next.text === '(' && !['SELECT', 'VALUES', 'WITH'].includes(tokens[at]?.text ?? '')
  );
}

function verbAt(tokens: readonly Token[], at: number): string {
  const verb = tokens[at]?.text ?? '';
  const rest = tokens.slice(at + 1);
  if (verb === 'COPY' && rest.some(isWord('PROGRAM'))) return 'COPY PROGRAM';
  if (
    verb === 'MERGE' &&
    rest.some((token, index) => isWord('DELETE')(token) && isWord('THEN')(rest[index - 1]))
  )
    return 'MERGE DELETE';
  if ((verb === 'EXEC' || verb === 'EXECUTE') && rest.some(({ text }) => /^xp_cmdshell$/i.test(text)))
    return 'XP_CMDSHELL';
  // `SELECT … INTO t`, `SELECT … INTO OUTFILE 'x'`.
  if (verb === 'SELECT' && ownTokens(tokens, at).some(isWord('INTO'))) return 'SELECT INTO';
  if (!WITH_OBJECT.has(verb)) return verb;
  if (verb === 'ALTER' && dropsPart(rest)) return 'ALTER DROP';
  const object = rest.find((token) => token.is !== 'word' || !FILLERS.has(token.text));
  return object?.is === 'word' ? `${verb} ${object.text}` : verb;
}

/** `ALTER TABLE t DROP COLUMN c`, and not `ALTER COLUMN c DROP DEFAULT`. */
function dropsPart(rest: readonly Token[]): boolean {
  return rest.some((token, at) => {
    const next = rest[at + 1];
    return (
      isWord('DROP')(token) &&
      next !== undefined &&
      !['DEFAULT', 'NOT', 'IDENTITY', 'EXPRESSION'].includes(next.text)
    );
  });
}

function isWithoutWhere(tokens: readonly Token[], at: number): boolean {
  const verb = tokens[at]?.text;
  const own = ownTokens(tokens, at);
  if (verb === 'UPDATE' && !own.some(isWord('SET'))) return false;
  if (verb !== 'DELETE' && verb !== 'UPDATE') return false;
  const where = own.findIndex(isWord('WHERE'));
  return where === -1 || isAlwaysTrue(own.slice(where + 1));
}

/** The tokens of a statement up to the bracket that closes around it. */
function ownTokens(tokens: readonly Token[], at: number): readonly Token[] {
  let depth = 0;
  for (let end = at; end < tokens.length; end += 1) {
    const token = tokens[end];
    if (token?.is !== 'mark') continue;
    if (token.text === '(') depth += 1;
    else if (token.text === ')') depth -= 1;
    if (depth < 0) return tokens.slice(at, end);
  }
  return tokens.slice(at);
}

function isWord(text: string): (token: Token | undefined) => boolean {
  return (token) => token?.is === 'word' && token.text === text;
}
