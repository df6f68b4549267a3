import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import type { JsonObject } from '@subluminal/core-types';
import { expect, it } from 'vitest';
import { worldPlaces } from './world-places.js';

let seq = 0;
const row = (type: LedgerRow['type'], tool: string | null, data: JsonObject): LedgerRow => ({
  seq: (seq += 1),
  leaf: '',
  ts: 0,
  type,
  code: null,
  runId: 'r',
  tool,
  ref: null,
  runIndex: 0,
  data,
  requestId: null,
  blobs: {},
});

const connect = (type: LedgerRow['type'], host: string, facts: JsonObject = {}): LedgerRow =>
  row(type, 'net.connect', { facts: { host, port: 443, via: 'world', server_name: 'files', ...facts } });

const rows = [
  row('world_begin', null, { server_name: 'files' }),
  row('world_begin', null, { server_name: 'other' }),
  row('world_begin', null, {}),
  connect('action_pending', 'a.example'),
  connect('action_pending', 'a.example'),
  connect('action_result', 'a.example'),
  connect('action_pending', '[fd12::1]', { by: 'address' }),
  connect('action_rejected', 'b.example'),
  connect('action_rejected', 'a.example'),
  connect('action_pending', 'other.example', { server_name: 'other' }),
  connect('action_pending', 'proxy.example', { via: 'connect' }),
  row('action_rejected', 'net.name', { facts: { host: 'c.example', server_name: 'files' } }),
  row('action_rejected', 'net.name', { facts: { host: 'd.example', server_name: 'other' } }),
];

const page = (of: readonly LedgerRow[]): ReturnType<LedgerReader['byAction']> => ({ rows: of, next: null });
const reader = {
  byAction: (action: string) => page(rows.filter(({ tool }) => tool === action)),
  byType: (type: string) => page(rows.filter((one) => one.type === type)),
};

it('the hosts of worlds of a server are those that its worlds reached or were refused', () => {
  const { worlds, reached, refused, isWhole } = worldPlaces(reader, 'files');
  expect(worlds).toBe(1);
  expect([...reached]).toEqual([
    ['a.example', 2],
    ['fd12::1', 1],
  ]);
  expect([...refused]).toEqual(['b.example', 'c.example']);
  expect(isWhole).toBe(true);
});

it('a server without a world has none', () => {
  expect(worldPlaces(reader, 'nobody')).toMatchObject({ worlds: 0, reached: new Map(), refused: new Set() });
});

it('a record that is too long is not read to its end, and that is said', () => {
  const endless = {
    byAction: () => ({ rows: [], next: 1 }),
    byType: () => page([]),
  };
  expect(worldPlaces(endless, 'files').isWhole).toBe(false);
});
