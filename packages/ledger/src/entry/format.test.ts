import { sha256Hex, preimage } from '@subluminal/core-types';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import { keyFromSeed, openHere, Scratch, SIGNING_KEY, writeKeyFile } from '../../testing/scratch.js';
import { createLedger } from '../index.js';
import { bodyPrefix, bodySuffix, NO_LEAF } from './format.js';

describe('the format of an entry', () => {
  const scratches: Scratch[] = [];
  afterEach(() => {
    for (const scratch of scratches.splice(0)) scratch.remove();
  });

  it('hashes NUL, the format name, ledger id, seq, previous leaf and body, each on its line', () => {
    expect(preimage('L1', 7, 'f'.repeat(64), '{"v":1}')).toBe(
      `\0subl/entry/v1\nL1\n7\n${'f'.repeat(64)}\n{"v":1}`,
    );
  });

  it('renders everything but the data into a prefix and a suffix', () => {
    expect(bodyPrefix(null)).toBe('{"code":null,"data":');
    expect(bodyPrefix('ALLOW')).toBe('{"code":"ALLOW","data":');
    const tail = {
      ref: 4,
      ri: 2,
      rp: NO_LEAF,
      run: '"r"',
      tool: '["s","t"]',
      ts: 5,
      type: 'tool_call_end',
    } as const;
    expect(bodySuffix(tail)).toBe(
      `,"ref":4,"ri":2,"rp":"${'0'.repeat(64)}","run_id":"r","tool":["s","t"],"ts":5,"type":"tool_call_end","v":1}`,
    );
  });

  it('stores exactly these rows for these appends', async () => {
    const scratch = new Scratch();
    scratches.push(scratch);
    const { path } = scratch;
    writeKeyFile(scratch.sealKey, keyFromSeed(5));
    const genesis = createLedger({
      path,
      ledgerId: 'L1',
      createdMs: 5,
      version: '0.1.0',
      signingKey: SIGNING_KEY,
      sealKeyPath: scratch.sealKey,
    });
    const ledger = await openHere({
      path,
      signingKey: { privateKey: SIGNING_KEY },
      sealKeyPath: scratch.sealKey,
      durability: 'process',
      clock: () => 9,
    });
    await ledger.append({
      entries: [
        { type: 'run_start', ts: 10, runId: 'rün', data: { agent_id: 'a' } },
        {
          type: 'tool_call_start',
          ts: 11,
          runId: 'rün',
          tool: ['s"', 't'],
          data: { b: 1.5, a: ['€', null] },
        },
        { type: 'tool_call_decision', ts: 12, runId: 'rün', tool: ['s"', 't'], code: 'ALLOW', data: {} },
        { type: 'gateway_stop', ts: 13, runId: null, data: {} },
      ],
      seen: { runId: 'rün', id: 'request-1' },
    });
    await ledger.close();

    const db = new SqliteDatabase(path, { readonly: true });
    const bodies = db
      .prepare<[], string>('SELECT body FROM entry WHERE kind < 50 ORDER BY seq')
      .pluck()
      .all();
    const leaves = db.prepare<[], string>('SELECT lower(hex(hash)) FROM entry ORDER BY seq').pluck().all();
    const columns = db
      .prepare('SELECT seq, ts, run, ref, kind, code, tool FROM entry WHERE kind < 50 ORDER BY seq')
      .raw()
      .all();
    const names = db.prepare('SELECT id, kind, name FROM dict ORDER BY id').raw().all();
    const seen = db.prepare('SELECT run, id, seq FROM seen').raw().all();
    db.close();

    const [first = '', second = ''] = leaves;
    expect(bodies).toEqual([
      `{"code":null,"data":{"agent_id":"a"},"ref":null,"ri":0,"rp":"${'0'.repeat(64)}","run_id":"rün","tool":null,"ts":10,"type":"run_start","v":1}`,
      `{"code":null,"data":{"a":["€",null],"b":1.5},"ref":null,"ri":1,"rp":"${first}","run_id":"rün","tool":["s\\"","t"],"ts":11,"type":"tool_call_start","v":1}`,
      `{"code":"ALLOW","data":{"#seen":"request-1"},"ref":2,"ri":2,"rp":"${second}","run_id":"rün","tool":["s\\"","t"],"ts":12,"type":"tool_call_decision","v":1}`,
      `{"code":null,"data":{},"ref":null,"ri":0,"rp":"${'0'.repeat(64)}","run_id":null,"tool":null,"ts":13,"type":"gateway_stop","v":1}`,
    ]);
    expect(first).toBe(sha256Hex(`\0subl/entry/v1\nL1\n1\n${genesis.fingerprint}\n${bodies[0]}`));
    expect(second).toBe(sha256Hex(`\0subl/entry/v1\nL1\n2\n${first}\n${bodies[1]}`));
    expect(columns).toEqual([
      [1, 10, 1, null, 1, 0, null],
      [2, 11, 1, null, 2, 0, 2],
      [3, 12, 1, 2, 3, 1, 2],
      [4, 13, null, null, 41, 0, null],
    ]);
    expect(names).toEqual([
      [1, 1, '"rün"'],
      [2, 2, '["s\\"","t"]'],
    ]);
    expect(seen).toEqual([[1, 'request-1', 3]]);
    expect(genesis.fingerprint).toBe('4f05778d1728a0af9e94e737fcf3af197229cdad0d88468ad9a05006879df249');
    expect(leaves[3]).toBe('a1060e71a3c73e831b414d009501585189718b27d72ba4a9a4588b98166d83a4');
  });
});
