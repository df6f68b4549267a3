import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSql } from './statements.js';

const verbsOf = (query: string): readonly string[] => readSql(query).statements.map(({ verb }) => verb);

describe('a query is read as its statements', () => {
  it.each<readonly [string, readonly string[]]>([
    ['select 1', ['SELECT']],
    ['SELECT 1; DROP TABLE t', ['SELECT', 'DROP TABLE']],
    ["SELECT 'DROP TABLE t'", ['SELECT']],
    ['SELECT "drop table t" -- DROP TABLE', ['SELECT']],
    ['/* DROP TABLE t */ SELECT 1', ['SELECT']],
    ['/*!50000 DROP TABLE t */', ['DROP TABLE']],
    ['WITH a AS (DELETE FROM t RETURNING *) SELECT * FROM a', ['WITH', 'DELETE', 'SELECT']],
    ['DO $$ BEGIN DROP TABLE t; END $$', ['DO', 'BEGIN', 'DROP TABLE', 'END']],
    ["EXECUTE 'DROP TABLE t'", ['EXECUTE', 'DROP TABLE']],
    ['EXPLAIN ANALYZE DELETE FROM t', ['EXPLAIN', 'DELETE']],
    ['EXPLAIN (ANALYZE, BUFFERS) DELETE FROM t', ['EXPLAIN', 'DELETE']],
    ['ALTER TABLE t DROP COLUMN c', ['ALTER DROP']],
    ['ALTER TABLE t ALTER COLUMN c DROP DEFAULT', ['ALTER TABLE']],
    ['CREATE OR REPLACE TEMP TABLE t (a int)', ['CREATE TABLE']],
    ["COPY t TO PROGRAM 'x'", ['COPY PROGRAM']],
    ['MERGE INTO t USING s ON a = b WHEN MATCHED THEN DELETE', ['MERGE DELETE', 'DELETE']],
    ["EXEC xp_cmdshell 'dir'", ['XP_CMDSHELL']],
    ['SELECT * INTO t2 FROM t', ['SELECT INTO']],
    ["SELECT 1 INTO OUTFILE '/tmp/x'", ['SELECT INTO']],
    ['INSERT INTO t (SELECT 1)', ['INSERT', 'SELECT']],
    ["SELECT replace('a', 'b', 'c')", ['SELECT']],
  ])('%s', (query, verbs) => {
    expect(verbsOf(query)).toEqual(verbs);
    expect(readSql(query).unparsed).toBe(false);
  });

  it.each([
    "SELECT 'a",
    'SELECT /* a',
    'SELECT $$a',
    'FROBNICATE t',
    'SELECT 1 #; DROP TABLE t',
    "SELECT '\\'; DROP TABLE t; --'",
  ])('%s is told to be unread', (query) => {
    expect(readSql(query).unparsed).toBe(true);
  });

  it('no text makes the reader throw', () => {
    const piece = fc.constantFrom(
      "'",
      '"',
      '`',
      '$',
      '$$',
      '--',
      '#',
      '/*',
      '*/',
      '(',
      ')',
      ';',
      '[',
      ']',
      '\\',
      '\n',
      'SELECT',
      ' DROP ',
      'x',
      'OR',
      'WHERE',
      'DELETE FROM t',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 200 }), (pieces) => {
        expect(readSql(pieces.join(' ')).statements.length).toBeLessThanOrEqual(256);
      }),
    );
  });
});

describe('a condition', () => {
  const isEvery = (condition: string): boolean =>
    readSql(`DELETE FROM t WHERE ${condition}`).statements[0]?.without_where === true;

  it.each([
    '1',
    '1=1',
    'true',
    "'a' = 'a'",
    '2 > 1',
    '1 <> 2',
    'NOT false',
    '1 IS NOT NULL',
    '((1=1))',
    'id = id',
    't.id >= t.id',
    'id > 3 OR 1=1',
    '(id > 3 OR (true))',
    '1=1 AND 2=2',
    '1 IN (1, 2)',
    "'x' LIKE '%'",
    '1 BETWEEN 0 AND 2',
    'EXISTS (SELECT 1)',
    'coalesce(1, 2) = 1',
    'a IS NULL OR a IS NOT NULL',
    '1=1 LIMIT 10',
    'true RETURNING *',
    'true ORDER BY id',
  ])('WHERE %s holds for every row', (condition) => {
    expect(isEvery(condition)).toBe(true);
  });

  it.each([
    'id = 1',
    'id = 1 AND true',
    '1=1 AND id = 3',
    'a = b',
    'a <> a',
    'id IN (1, 2)',
    'id IS NOT NULL',
    'id IS NULL OR other IS NOT NULL',
    'id = $1',
    'id = ?',
    '? = 1',
    '"a" = 1',
    'EXISTS (SELECT 1 FROM s)',
    'created < now()',
    'id BETWEEN 1 AND 2',
    '(id = 1) OR (id = 2)',
  ])('WHERE %s does not', (condition) => {
    expect(isEvery(condition)).toBe(false);
  });

  it('is looked for in the statement itself', () => {
    expect(readSql('DELETE FROM t').statements).toEqual([{ verb: 'DELETE', without_where: true }]);
    expect(readSql('UPDATE t SET a = 1').statements).toEqual([{ verb: 'UPDATE', without_where: true }]);
    expect(readSql('SELECT a FROM t FOR UPDATE').statements).toEqual([
      { verb: 'SELECT', without_where: false },
    ]);
  });
});
