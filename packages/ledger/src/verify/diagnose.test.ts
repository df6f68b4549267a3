import { afterAll, beforeAll, expect, it } from 'vitest';
import { Altered, sql, type Change } from '../../testing/altered.js';
import { rehash } from '../../testing/attacks/rewrite.js';
import { fillRuns } from '../../testing/scratch.js';

let ledger: Altered;
beforeAll(async () => {
  ledger = await Altered.write(fillRuns);
});
afterAll(() => ledger.remove());

/** Entry 5 is the end of a call. */
const AT = 5;

const column = (text: string): Change => sql(`UPDATE entry SET ${text} WHERE seq = ${AT}`);

/** Changes its body, and gives it and all behind it the hashes that fit. */
const body =
  (from: RegExp, to: string): Change =>
  (db) => {
    const text = db.prepare<[number], string>('SELECT body FROM entry WHERE seq = ?').pluck().get(AT) ?? '';
    expect(text).toMatch(from);
    db.prepare('UPDATE entry SET body = ? WHERE seq = ?').run(text.replace(from, to), AT);
    rehash(db, AT);
  };

const says = (name: string): string =>
  `column at ${AT}: the column \`${name}\` does not say what the body says`;
const NAMES = `dict at ${AT}: the names of its run or tool are not those of its body`;
const NO_END = `column at ${AT}: its body does not end as a body ends`;
const NOT_CANONICAL = `column at ${AT}: its body is not in canonical form`;
const notNext = (index: string): string =>
  `run_chain at ${AT}: it is not the next entry of its run (index ${index}, expected 3)`;

it.each<readonly [string, Change, string]>([
  ['the column code', column('code = 11'), says('code')],
  ['the column ref', column('ref = 2'), says('ref')],
  ['no ref', column('ref = NULL'), says('ref')],
  ['the column kind', column('kind = 21, code = 10'), says('kind')],
  ['the column ts', column('ts = ts + 1'), says('ts')],
  ['the column run', column('run = 3'), NAMES],
  ['the column tool', column('tool = NULL'), NAMES],
  ['another code in the body', body(/"code":"OK"/, '"code":"ERROR"'), says('code')],
  ['a space at the beginning of the body', body(/^/, ' '), says('code')],
  ['another ref in the body', body(/"ref":4,/, '"ref":3,'), says('ref')],
  ['another type in the body', body(/"tool_call_end"/, '"tool_call_start"'), says('kind')],
  ['another version in the body', body(/"v":1\}$/, '"v":2}'), says('kind')],
  ['a space at the end of the body', body(/$/, ' '), says('kind')],
  ['another time in the body', body(/"ts":[0-9]+,"type"/, '"ts":1,"type"'), says('ts')],
  ['another run in the body', body(/"run_id":"run-a"/, '"run_id":"run-b"'), NAMES],
  ['another tool in the body', body(/"read"\],"ts"/, '"write"],"ts"'), NAMES],
  ['no ref in the body', body(/,"ref":4/, ''), NO_END],
  ['no chain in the body', body(/,"rp":/, ',"rq":'), NO_END],
  ['another index in the body', body(/"ri":3,/, '"ri":4,'), notNext('4')],
  ['another predecessor in the body', body(/"rp":"[0-9a-f]{64}"/, `"rp":"${'0'.repeat(64)}"`), notNext('3')],
  ['an index that is written otherwise', body(/"ri":3,/, '"ri":3.0,'), NOT_CANONICAL],
  ['no data in the body', body(/"data":\{.*\},"ref"/, '"data":,"ref"'), NOT_CANONICAL],
  ['data of one character', body(/"data":\{.*\},"ref"/, '"data":5,"ref"'), NOT_CANONICAL],
])('an entry and its columns disagree: %s', async (_, change, finding) => {
  expect(await ledger.alone(change)).toBe(finding);
});
