import { spawnSync } from 'node:child_process';
import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillRun, keyFromSeed, Scratch, SIGNING_KEY } from '../../testing/scratch.js';
import { nodeHash } from '../merkle/hashes.js';
import {
  cosignNote,
  renderVerifierKey,
  signNote,
  verifierKey,
  renderCheckpointText,
} from '@subluminal/core-types';
import { LedgerProver } from './prover.js';

const VERIFIER = fileURLToPath(new URL('../../../../verifier/verify.mjs', import.meta.url));
const WITNESS = keyFromSeed(21);
const WITNESS_KEY = verifierKey('witness.example/w1', 'cosignature', createPublicKey(WITNESS));
const LOG = 'subluminal/test-ledger';

let scratch: Scratch;
let vkey = '';
let older = '';
let proof = '';
let growth = '';
let size = 0;

/**
 * A ledger of some 150 entries, a checkpoint from its middle, and the proofs of entry 40 and of its growth.
 */
beforeAll(async () => {
  scratch = await new Scratch().fill((ledger) => fillRun(ledger, 'run-a', 20));
  const before = new LedgerProver(scratch.path);
  older = logOnly(before.head().note);
  before.close();
  const ledger = await scratch.open();
  await fillRun(ledger, 'run-b', 30);
  await ledger.close();
  const prover = new LedgerProver(scratch.path);
  vkey = prover.logKeyText;
  proof = logOnly(prover.entry(40));
  growth = logOnly(prover.growth(older));
  size = prover.head().size;
  prover.close();
});
afterAll(() => scratch.remove());

/** Without the signatures of other keys than the log's, so that the last line is the one that matters. */
function logOnly(text: string): string {
  return text.slice(0, text.indexOf('\n', text.indexOf('\n— ') + 1) + 1);
}

/** A checkpoint as the log signs it, or as somebody else does. */
function logNote(entries: number, root: string, key: KeyObject): string {
  const text = renderCheckpointText({ origin: LOG, size: entries, root });
  return `${text}\n${signNote(text, LOG, key, createPublicKey(key))}`;
}

interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the verifier as anyone would. Each text becomes a file, byte for byte. */
function verifier(command: string, texts: readonly (string | Uint8Array)[], ...options: string[]): Run {
  const files = texts.map((text, at) => {
    const file = join(scratch.folder, `input-${at}`);
    writeFileSync(file, text);
    return file;
  });
  const key = options.includes('--log') ? [] : ['--log', vkey];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [VERIFIER, command, ...files, ...key, ...options],
    { encoding: 'utf8' },
  );
  return { code: status, stdout, stderr };
}

function cosigned(text: string, key = WITNESS, name = WITNESS_KEY): string {
  const note = text.slice(text.lastIndexOf(LOG, text.lastIndexOf('\n\n')), text.lastIndexOf('\n\n') + 1);
  return `${text}${cosignNote(note, 1_760_000_000, name, key)}`;
}

/** The lines of a proof: its hashes lie between the index and the empty line. */
function edit(text: string, change: (lines: string[], first: number, end: number) => void): string {
  const lines = text.split('\n');
  change(lines, lines.findIndex((line) => /^(index|old) /.test(line)) + 1, lines.indexOf(''));
  return lines.join('\n');
}

describe('the offline verifier', () => {
  it('is one file without a dependency, in fewer than 500 lines', () => {
    const source = readFileSync(VERIFIER, 'utf8');
    expect(source.split('\n').length).toBeLessThan(500);
    expect([...source.matchAll(/^import .* from '(.*)';$/gm)].map(([, from]) => from)).toEqual([
      'node:crypto',
      'node:fs',
    ]);
    const help = spawnSync(process.execPath, [VERIFIER, '--help'], { encoding: 'utf8' });
    expect(help.status).toBe(0);
    expect(help.stdout).toContain('usage: node verify.mjs');
  });

  it('says what is wrong in one line, and where its usage stands', () => {
    const ended = (...args: string[]): unknown => {
      const { status, stderr } = spawnSync(process.execPath, [VERIFIER, ...args], { encoding: 'utf8' });
      return [status, stderr];
    };
    const see = '\nhelp: see `node verify.mjs --help`\n';
    expect(ended('prove')).toEqual([2, `which command?${see}`]);
    expect(ended('proof', 'a', '--loud')).toEqual([2, `\`--loud\` is not an option${see}`]);
    expect(ended('proof', '/absent', '--log', vkey)).toEqual([
      1,
      '`/absent` cannot be read: no such file or directory\n',
    ]);
  });

  it('verifies the proof of an entry, and says what the entry is', () => {
    const { code, stdout } = verifier('proof', [proof], '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ verified: 'proof', seq: 40, size, cosigned: [] });
    expect(stdout).toContain('tool_call_');
  });

  it('verifies a checkpoint, and one with a cosignature of a named witness', () => {
    const note = growth.slice(growth.indexOf('\n\n') + 2);
    expect(verifier('checkpoint', [note]).code).toBe(0);
    const { code, stdout } = verifier(
      'checkpoint',
      [cosigned(note)],
      '--witness',
      renderVerifierKey(WITNESS_KEY),
      '--json',
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      size,
      cosigned: [{ name: 'witness.example/w1', time: 1_760_000_000 }],
    });
  });

  it('verifies that a ledger continues an older checkpoint of it', () => {
    expect(verifier('consistency', [older, growth])).toMatchObject({ code: 0 });
  });

  it('verifies exported entries, of which the last one is proved', () => {
    const entries = exported(38, 40);
    const { code, stdout } = verifier('entries', [entries, proof], '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ first: 38, last: 40 });
  });

  it('says 2 for a wrong command line and 1 for a file that is not there', () => {
    expect(verifier('proof', []).code).toBe(2);
    expect(verifier('other', [proof]).code).toBe(2);
    expect(verifier('proof', [proof], '--log', `${vkey.slice(0, -4)}AAA=`).code).toBe(2);
    expect(verifier('proof', [proof], '--log', renderVerifierKey(WITNESS_KEY)).code).toBe(2);
    expect(verifier('proof', [proof], '--witness', vkey).code).toBe(2);
    expect(verifier('proof', [proof], '--quorum', '1').code).toBe(2);
    const gone = spawnSync(process.execPath, [VERIFIER, 'proof', '/nonexistent/file', '--log', vkey]);
    expect(gone.status).toBe(1);
  });
});

describe('a forged proof', () => {
  const forged: readonly (readonly [string, () => string | Uint8Array])[] = [
    ['another index', () => proof.replace('index 39', 'index 38')],
    ['an index beyond the tree', () => proof.replace('index 39', `index ${size}`)],
    ['an index with a leading zero', () => proof.replace('index 39', 'index 039')],
    ['an index beyond every safe integer', () => proof.replace('index 39', 'index 9007199254740993')],
    ['an index of a hundred digits', () => proof.replace('index 39', `index ${'9'.repeat(100)}`)],
    ['a negative index', () => proof.replace('index 39', 'index -1')],
    ['no index', () => proof.replace('index 39\n', '')],
    ['another size', () => proof.replace(`\n${size}\n`, `\n${size - 1}\n`)],
    ['a huge size', () => proof.replace(`\n${size}\n`, '\n99999999999999999999\n')],
    [
      'an extra hash at the end',
      () => edit(proof, (lines, first, end) => lines.splice(end, 0, lines[first] ?? '')),
    ],
    [
      'an extra hash at the start',
      () => edit(proof, (lines, first) => lines.splice(first, 0, lines[first] ?? '')),
    ],
    ['a missing hash', () => edit(proof, (lines, first) => lines.splice(first, 1))],
    ['the last hash missing', () => edit(proof, (lines, _first, end) => lines.splice(end - 1, 1))],
    ['no hashes', () => edit(proof, (lines, first, end) => lines.splice(first, end - first))],
    [
      'hashes in another order',
      () => edit(proof, (lines, first) => lines.splice(first, 2, lines[first + 1] ?? '', lines[first] ?? '')),
    ],
    [
      '64 hashes',
      () =>
        edit(proof, (lines, first) => lines.splice(first, 0, ...Array<string>(64).fill(lines[first] ?? ''))),
    ],
    [
      'one bit of a hash flipped',
      () => edit(proof, (lines, first) => lines.splice(first, 1, flipped(lines[first] ?? ''))),
    ],
    [
      'base64 that is not canonical',
      () => edit(proof, (lines, first) => lines.splice(first, 1, (lines[first] ?? '').replace(/.=$/, 'B='))),
    ],
    [
      'base64 without its padding',
      () => edit(proof, (lines, first) => lines.splice(first, 1, (lines[first] ?? '').slice(0, -1))),
    ],
    [
      'base64url',
      () => edit(proof, (lines, _first, end) => lines.splice(end - 1, 1, `${'-_'.repeat(21)}A=`)),
    ],
    ['line endings of another system', () => proof.replaceAll('\n', '\r\n')],
    [
      'line endings changed in the checkpoint only',
      () => proof.slice(0, -200) + proof.slice(-200).replaceAll('\n', '\r\n'),
    ],
    ['text behind it', () => `${proof}trailing`],
    ['an empty line behind it', () => `${proof}\n`],
    ['a line that is no signature behind it', () => `${proof}trailing\n`],
    ['its last newline missing', () => proof.slice(0, -1)],
    ['a byte order mark', () => `\ufeff${proof}`],
    [
      'bytes that are not UTF-8',
      () => Buffer.concat([Buffer.from(proof.slice(0, -2)), Buffer.from([0xff, 0x0a])]),
    ],
    ['another version', () => proof.replace('@v1', '@v2')],
    ['another origin', () => proof.replaceAll('subluminal/test-ledger', 'subluminal/test-ledges')],
    ['another key name on the signature', () => proof.replace('— subluminal/', '— subluminax/')],
    ['one bit of the signature flipped', () => flippedSignature(proof)],
    ['no signature', () => proof.slice(0, proof.lastIndexOf('— '))],
    [
      'a good and a bad signature of the log',
      () => proof + flippedSignature(proof).slice(proof.lastIndexOf('— ')),
    ],
    ['no entry in it', () => edit(proof, (lines) => lines.splice(1, 1))],
    ['another body in it', () => withRecord((record) => record.replace('"v":1', '"v":2'))],
    ['another seq in it', () => withRecord((record) => record.replace('\n40\n', '\n41\n'))],
    ['another ledger in it', () => withRecord((record) => record.replace('test-ledger', 'best-ledger'))],
    [
      'another leaf before it',
      () => withRecord((record) => record.replace(/\n[0-9a-f]{64}\n/, `\n${'0'.repeat(64)}\n`)),
    ],
    ['an empty file', () => ''],
    ['two of them', () => proof + proof],
  ];

  it.each(forged)('with %s is refused', (_name, make) => {
    const input = make();
    expect(input).not.toBe(proof);
    expect(verifier('proof', [input])).toMatchObject({ code: 4, stdout: '' });
  });

  it('that passes an interior node off as an entry is refused', () => {
    // 65 bytes, 0x01 and two hashes: hashed as a leaf it is another value, and as a record it is none.
    const hashes = proof.split('\n').slice(3, proof.split('\n').indexOf(''));
    const [left = '', right = ''] = hashes.map((hash) => Buffer.from(hash, 'base64').toString('hex'));
    const node = Buffer.from(`01${left}${right}`, 'hex');
    expect(node).toHaveLength(65);
    expect(nodeHash(left, right)).toHaveLength(64);
    const record = edit(proof, (lines) => lines.splice(1, 1, `extra ${node.toString('base64')}`));
    expect(verifier('proof', [record])).toMatchObject({ code: 4 });
  });

  it('that another key signed is refused, even under the log’s name and key id', () => {
    const root = Buffer.from(proof.split('\n').at(-4) ?? '', 'base64').toString('hex');
    const other = logNote(size, root, keyFromSeed(9));
    const own = logNote(size, root, SIGNING_KEY);
    const gap = proof.indexOf('\n\n') + 2;
    expect(verifier('proof', [proof.slice(0, gap) + own])).toMatchObject({ code: 0 });
    expect(verifier('proof', [proof.slice(0, gap) + other])).toMatchObject({ code: 4 });
    const [ownId, otherBlob] = [own, other].map((note) => note.split(' ').at(-1) ?? '');
    const blob = Buffer.from(otherBlob ?? '', 'base64');
    Buffer.from(ownId ?? '', 'base64').copy(blob, 0, 0, 4);
    const disguised = other.replace(otherBlob ?? '', `${blob.toString('base64')}\n`);
    expect(verifier('proof', [proof.slice(0, gap) + disguised])).toMatchObject({ code: 4 });
  });

  it('with a cosignature of an unknown witness is as good as one without', () => {
    const stranger = keyFromSeed(22);
    const name = verifierKey('witness.example/w2', 'cosignature', createPublicKey(stranger));
    const text = cosigned(proof, stranger, name);
    expect(verifier('proof', [text])).toMatchObject({ code: 0 });
    const named = ['--witness', renderVerifierKey(WITNESS_KEY)];
    expect(verifier('proof', [text], ...named)).toMatchObject({ code: 4 });
    expect(verifier('proof', [text], ...named, '--quorum', '0')).toMatchObject({ code: 0 });
    expect(verifier('proof', [cosigned(text)], ...named)).toMatchObject({ code: 0 });
    expect(verifier('proof', [cosigned(proof)], ...named, '--quorum', '1')).toMatchObject({ code: 0 });
    // The same key under another name is another witness.
    const renamed = { ...WITNESS_KEY, name: 'witness.example/w3' };
    expect(verifier('proof', [cosigned(proof, WITNESS, renamed)], ...named)).toMatchObject({ code: 4 });
  });

  it('with a cosignature whose time was changed is refused', () => {
    const text = cosigned(proof);
    const line = text.slice(text.lastIndexOf('— '));
    const blob = Buffer.from(line.split(' ')[2] ?? '', 'base64');
    blob[11] = (blob[11] ?? 0) ^ 1;
    const changed = `${proof}— witness.example/w1 ${blob.toString('base64')}\n`;
    expect(verifier('proof', [changed], '--witness', renderVerifierKey(WITNESS_KEY))).toMatchObject({
      code: 4,
    });
  });
});

describe('a forged consistency proof', () => {
  it.each([
    ['another older size', () => growth.replace(/^old \d+/, 'old 1')],
    ['no older size', () => growth.replace(/^old \d+\n/, '')],
    ['a missing hash', () => edit(growth, (lines, first) => lines.splice(first, 1))],
    ['an extra hash', () => edit(growth, (lines, first) => lines.splice(first, 0, lines[first] ?? ''))],
    ['no hashes', () => edit(growth, (lines, first, end) => lines.splice(first, end - first))],
    [
      'one bit flipped',
      () => edit(growth, (lines, first) => lines.splice(first, 1, flipped(lines[first] ?? ''))),
    ],
    [
      'the older checkpoint as the newer one',
      () => `old ${older.split('\n')[1]}\n\n${older.replace(LOG, 'other')}`,
    ],
  ])('with %s is refused', (_name, make) => {
    expect(verifier('consistency', [older, make()])).toMatchObject({ code: 4 });
  });

  it('of a fork is refused: two roots that the log signed for one size', () => {
    const from = Number(older.split('\n')[1]);
    const fork = logNote(from, 'ab'.repeat(32), SIGNING_KEY);
    expect(verifier('consistency', [fork, growth])).toMatchObject({ code: 4 });
    expect(verifier('consistency', [older, `old ${from}\n\n${fork}`])).toMatchObject({ code: 4 });
    expect(verifier('consistency', [older, `old ${from}\n\n${older}`])).toMatchObject({ code: 0 });
  });
});

describe('exported entries', () => {
  it.each([
    ['one left out', () => exported(38, 40).split('\n').toSpliced(1, 1).join('\n')],
    ['the last one left out', () => exported(38, 39)],
    ['one twice', () => exported(38, 38) + exported(38, 40)],
    ['two exchanged', () => exported(39, 39) + exported(38, 38) + exported(40, 40)],
    ['a body changed', () => exported(38, 40).replace('tool_call_', 'pool_call_')],
    ['a line that is no JSON', () => `${exported(38, 40)}x\n`],
    ['a line cut off', () => exported(38, 40).slice(0, -1)],
    ['none', () => ''],
    ['a null', () => 'null\n'],
    ['an entry of another ledger', () => exported(38, 40).replace('test-ledger', 'best-ledger')],
  ])('with %s are refused', (_name, make) => {
    expect(verifier('entries', [make(), proof])).toMatchObject({ code: 4 });
  });
});

describe('hostile input', () => {
  const CONTROL = /(?!\n)[\p{C}\p{Zl}\p{Zp}]/u;
  const line = (members: Record<string, unknown>): string =>
    `${JSON.stringify({ ...JSON.parse(exported(40, 40)), ...members })}\n`;
  it.each([
    [
      'an entry',
      'proof',
      () => [withRecord((record) => record.replace('test-ledger', '\u001b]0;a\u0007\u202e'))],
    ],
    ['an origin', 'checkpoint', () => [older.replace(LOG, `${LOG}\u009b2J`)]],
    ['an export', 'entries', () => [line({ ledger_id: '\u001b[2J' }), proof]],
    ['an export with an object for an id', 'entries', () => [line({ ledger_id: { toString: 1 } }), proof]],
    ['an export with a list for an id', 'entries', () => [line({ ledger_id: ['test-ledger'] }), proof]],
    [
      'an export with a list for a leaf',
      'entries',
      () => [line({ prev: [JSON.parse(exported(40, 40)).prev] }), proof],
    ],
    ['an export that says a thing twice', 'entries', () => [line({}).replace('{', '{"body":"{}",'), proof]],
  ] as const)('in %s is refused, and nothing in it acts on a terminal', (_name, command, make) => {
    const { code, stdout, stderr } = verifier(command, make());
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toMatch(/^does not verify: [^\n]+\n$/);
    expect(stderr).not.toMatch(CONTROL);
  });

  it('in the name of a file acts on no terminal either, nor does what is printed as JSON', () => {
    const { stderr } = spawnSync(process.execPath, [VERIFIER, 'proof', 'no\u001b[2J', '--log', vkey], {
      encoding: 'utf8',
    });
    expect(stderr).not.toMatch(CONTROL);
    const key = verifierKey('w\u202e', 'cosignature', createPublicKey(WITNESS));
    const run = verifier(
      'proof',
      [cosigned(proof, WITNESS, key)],
      '--json',
      '--witness',
      renderVerifierKey(key),
    );
    expect(run.code).toBe(0);
    expect(run.stdout).not.toMatch(CONTROL);
    expect(JSON.parse(run.stdout).cosigned[0].name).toBe('w\u202e');
  });
});

/** Entries as they are exported: a line each. */
function exported(first: number, last: number): string {
  const prover = new LedgerProver(scratch.path);
  const lines = Array.from({ length: last - first + 1 }, (_, at) => {
    const line = prover.entry(first + at).split('\n')[1] ?? '';
    const [, ledgerId, seq, prev, ...body] = Buffer.from(line.slice(6), 'base64').toString().split('\n');
    return `${JSON.stringify({ ledger_id: ledgerId, seq: Number(seq), prev, body: body.join('\n') })}\n`;
  });
  prover.close();
  return lines.join('');
}

function withRecord(change: (record: string) => string): string {
  return edit(proof, (lines) => {
    const record = Buffer.from((lines[1] ?? '').slice(6), 'base64').toString();
    lines[1] = `extra ${Buffer.from(change(record)).toString('base64')}`;
  });
}

function flipped(base64: string): string {
  const bytes = Buffer.from(base64, 'base64');
  bytes[5] = (bytes[5] ?? 0) ^ 4;
  return bytes.toString('base64');
}

function flippedSignature(text: string): string {
  const start = text.lastIndexOf(' ') + 1;
  return `${text.slice(0, start)}${flipped(text.slice(start, -1))}\n`;
}
