import type { JsonObject } from '@subluminal/core-types';
import type { CodeName, EntryType, LedgerRow } from '@subluminal/ledger';
import {
  allowCommand,
  connectionCounts,
  connectionRows,
  connectionJson,
  connectionOf,
  countsText,
  recordJson,
  seenPlaces,
} from '@subluminal/records';
import { describe, expect, it } from 'vitest';
import { carriedText } from './carried-text.js';
import { painter } from '../output/style.js';
import { Violations } from '../run/strict/violations.js';
import { violationLines } from '../run/strict/report.js';
import { recordLine } from './lines.js';

function row(
  seq: number,
  type: EntryType,
  code: CodeName,
  data: JsonObject,
  more: Partial<LedgerRow> = {},
): LedgerRow {
  const common = {
    leaf: 'a'.repeat(64),
    ts: seq * 1000,
    runId: 'R',
    runIndex: seq,
    requestId: null,
    blobs: {},
  };
  return { ...common, tool: 'net.connect', seq, type, code, data, ref: null, ...more };
}

const facts = (host: string, port: number, listed: boolean, more: JsonObject = {}) => ({
  destination: `tcp://${host.includes(':') ? `[${host}]` : host}:${port}`,
  facts: { host, port, via: 'connect', listed, ...more },
});
const opened = (seq: number, host: string, port: number, listed: boolean, more?: JsonObject): LedgerRow =>
  row(seq, 'action_pending', 'pending', facts(host, port, listed, more));
const ended = (seq: number, ref: number, data: JsonObject): LedgerRow => {
  const outcome = { outcome: 'closed', bytes_up: 1200, bytes_down: 45_000, latency_ms: 820, ...data };
  return row(seq, 'action_result', data['error'] === undefined ? 'success' : 'error', outcome, { ref });
};
const refused = (seq: number, host: string, port: number, code: string, more?: JsonObject): LedgerRow =>
  row(seq, 'action_rejected', 'rejected', {
    ...facts(host, port, false, more),
    stage: 'allowlist',
    error: { code, message: `\`${host}:${port}\` is not on the allowlist` },
  });

/** A reader that has these entries, in the order of their numbers. */
const reader = (...rows: readonly LedgerRow[]) => ({
  size: rows.length,
  byAction: () => ({ rows: rows.toSorted((a, b) => b.seq - a.seq), next: null }),
  holds: () => true,
  entry: (seq: number) => rows.find((one) => one.seq === seq),
});

describe('a connection', () => {
  const record = {
    first: opened(1, 'api.example.com', 443, true, { server_name: 'issues' }),
    object: null,
    decision: null,
    last: ended(2, 1, { sni: 'api.example.com', address: '93.184.216.34' }),
  };
  it('that secrets could be put in on says so, and how often they were', () => {
    const inspected = { inspected: true, injects: [{ inject_as: 'API_TOKEN', secret_ref: 'token' }] };
    const first = opened(1, 'api.example.com', 443, true, { server_name: 'issues', ...inspected });
    const open = connectionOf({ first, last: null });
    const injected = [{ inject_as: 'API_TOKEN', requests: 2 }];
    const done = connectionOf({ first, last: ended(2, 1, { requests: 3, injected }) });
    if (open === undefined || done === undefined) throw new Error('no connection was read');
    expect(carriedText(open)).toBe('may get API_TOKEN');
    expect(carriedText(done)).toContain('API_TOKEN put in 2x');
    const shown = {
      inspected: true,
      injects: [{ inject_as: 'API_TOKEN', secret_ref: 'token', requests: 2 }],
    };
    expect(connectionJson(done)).toMatchObject({ ...shown, requests: 3 });
    expect(connectionJson(open)).toMatchObject({ requests: null, injects: [{ requests: null }] });
  });

  const plain = { paint: painter(false), width: Number.POSITIVE_INFINITY };

  it('is one line: where to, how long, and what it carried', () => {
    expect(recordLine(record, plain)).toMatch(
      /R {7}ok {9}net\.connect api\.example\.com:443 {2}820ms {2}1\.2 KB up, 43\.9 KB down$/,
    );
  });

  it('that was refused says why, and one to an unlisted place says so', () => {
    const first = refused(1, 'evil.example', 443, 'not_allowed');
    expect(recordLine({ first, object: null, decision: null, last: null }, plain)).toMatch(
      /refused +net\.connect evil\.example:443 +unlisted {2}not_allowed: `evil\.example:443` is not on the allowlist$/,
    );
    const inside = opened(1, '10.1.2.3', 22, false, { by: 'address', verdict: 'private', private: true });
    expect(recordLine({ first: inside, object: null, decision: null, last: null }, plain)).toMatch(
      /running +net\.connect 10\.1\.2\.3:22 +unlisted, private address$/,
    );
    expect(recordJson({ first: inside, object: null, decision: null, last: null })).toMatchObject({
      connection: { listed: false, by: 'address', verdict: 'private', private: true },
    });
    const open = opened(1, '2606:4700::1', 22, false);
    expect(recordLine({ first: open, object: null, decision: null, last: null }, plain)).toMatch(
      /running +net\.connect \[2606:4700::1\]:22 +unlisted$/,
    );
  });

  it('has its facts for programs', () => {
    expect(recordJson(record)).toMatchObject({
      kind: 'action',
      action: 'net.connect',
      status: 'success',
      latency_ms: 820,
      connection: {
        host: 'api.example.com',
        port: 443,
        via: 'connect',
        server_name: 'issues',
        listed: true,
        address: '93.184.216.34',
        sni: 'api.example.com',
        bytes_up: 1200,
        bytes_down: 45_000,
      },
    });
    expect(JSON.stringify(recordJson(record))).not.toContain('"ech"');
    const last = ended(2, 1, { sni: 'decoy.example.com', ech: true });
    expect(recordJson({ ...record, last })).toMatchObject({
      connection: { sni: 'decoy.example.com', ech: true },
    });
  });
});

const ROWS = [
  opened(1, 'api.example.com', 443, true),
  opened(2, 'web.example.com', 443, false),
  ended(3, 2, { sni: 'web.example.com' }),
  opened(4, 'web.example.com', 443, false),
  opened(5, 'git.example.com', 22, false),
  ended(6, 5, {}),
  refused(7, 'evil.example', 443, 'not_allowed'),
  refused(8, 'inside.example', 443, 'address_refused'),
  opened(9, 'db.example.com', 5432, true),
  ended(10, 9, { outcome: 'refused', bytes_down: 0, error: { code: 'protocol_refused', message: 'no' } }),
  opened(11, 'intranet.example', 443, false, { verdict: 'private', private: true }),
  ended(12, 11, { sni: 'intranet.example' }),
  opened(13, '10.1.2.3', 3904, false, { by: 'address', verdict: 'private', private: true }),
  ended(14, 13, {}),
  refused(15, 'fd12::1', 443, 'not_allowed', { by: 'address', verdict: 'unique_local', private: true }),
  refused(16, '224.0.0.1', 80, 'not_allowed', { by: 'address', verdict: 'multicast', private: false }),
  refused(17, '127.0.0.1', 9000, 'address_refused', { verdict: 'own_listener', private: false }),
];

it('what an allowlist is made from are the places that are not listed, each with the command that lists it', () => {
  const { places, misled, never, next } = seenPlaces(reader(...ROWS));
  expect(next).toBeNull();
  // Nobody is given the command that lets a name lead inside.
  expect([...misled.keys()]).toEqual(['inside.example:443']);
  expect([...never]).toEqual([
    ['127.0.0.1:9000', 'own_listener'],
    ['224.0.0.1:80', 'multicast'],
  ]);
  expect(places.map((one) => [allowCommand(one), one.passed, one.refused, one.lastMs])).toEqual([
    ["sub allow add '[fd12::1]:443' --private", 0, 1, 15_000],
    ['sub allow add 10.1.2.3:3904 --protocol tcp --private', 1, 0, 13_000],
    ['sub allow add intranet.example:443 --private', 1, 0, 11_000],
    ['sub allow add db.example.com:5432 --protocol tcp', 0, 1, 9000],
    ['sub allow add evil.example:443', 0, 1, 7000],
    ['sub allow add git.example.com:22 --protocol tcp', 1, 0, 5000],
    ['sub allow add web.example.com:443', 2, 0, 4000],
  ]);
});

it('connections are counted by run, and of too many the newest', () => {
  const counts = connectionCounts(connectionRows(reader(...ROWS)), new Set(['R']), 0).get('R');
  expect(counts).toEqual({ total: 12, refused: 6, unlisted: 5, names: 0, isWhole: true });
  expect(counts === undefined ? '' : countsText(counts)).toBe('12 connections (6 refused, 5 unlisted)');
  expect(connectionCounts(connectionRows(reader(...ROWS)), new Set(['S']), 0).size).toBe(0);
  expect(connectionCounts(connectionRows(reader(...ROWS)), new Set(['R']), 8500).get('R')?.total).toBe(6);
});

it('a strict run must not have refused connections, and names the places that were not listed', () => {
  const violations = new Violations();
  for (const one of ROWS) violations.take(one);
  expect(violations.list.map(({ name, what, code }) => [name, what, code])).toEqual([
    ['net.connect evil.example:443', 'REJECTED', 'not_allowed'],
    ['net.connect inside.example:443', 'REJECTED', 'address_refused'],
    ['net.connect db.example.com:5432', 'REJECTED', 'protocol_refused'],
    ['net.connect [fd12::1]:443', 'REJECTED', 'not_allowed'],
    ['net.connect 224.0.0.1:80', 'REJECTED', 'not_allowed'],
    ['net.connect 127.0.0.1:9000', 'REJECTED', 'address_refused'],
  ]);
  const unlisted = ['web.example.com:443', 'git.example.com:22', 'intranet.example:443', '10.1.2.3:3904'];
  expect(violations.unlisted).toEqual(unlisted);
  expect(violationLines(violations).slice(-5)).toEqual([
    'sub: strict: 4 unlisted destinations (observe)',
    ...unlisted.map((place) => `  ${place}`),
  ]);
});
