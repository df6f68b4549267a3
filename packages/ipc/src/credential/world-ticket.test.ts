import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readWorldTicket } from './world-ticket.js';

const TICKET = {
  v: 1,
  run_id: 'r',
  agent_id: 'a',
  client: 'claude',
  env: 'dev',
  attested: true,
  credential: { v: 1, kind: 'run', id: 'r', epoch: 1, ledger_id: 'l', key: 'k'.repeat(43) },
};

let root: string;
let place: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'world-ticket-'));
  place = join(root, 'ticket');
});
afterEach(() => rmSync(root, { recursive: true }));

const put = (value: object, mode = 0o400): void => {
  writeFileSync(place, JSON.stringify(value));
  chmodSync(place, mode);
};

describe('the ticket of a world', () => {
  it('is not there outside of one', () => {
    expect(readWorldTicket(place)).toBeUndefined();
    expect(readWorldTicket()).toBeUndefined();
  });

  it('is that of the run, and never what others could have written or what holds another key', () => {
    put(TICKET);
    expect(readWorldTicket(place)).toEqual(TICKET);
    chmodSync(place, 0o644);
    expect(() => readWorldTicket(place)).toThrow(/are too wide|permissions/);
    rmSync(place);
    put({ ...TICKET, credential: { ...TICKET.credential, kind: 'operator', id: 'operator' } });
    expect(() => readWorldTicket(place)).toThrow(/does not hold a ticket/);
  });
});
