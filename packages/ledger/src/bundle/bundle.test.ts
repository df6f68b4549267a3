import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyOf, exportTo, Forged } from '../../testing/bundles.js';
import {
  beginCall,
  endCall,
  fillRun,
  fillRuns,
  keyFromSeed,
  runEnd,
  runStart,
  Scratch,
} from '../../testing/scratch.js';
import { createLedger, openLedgerReader, verifyBundle, type BundleReport } from '../index.js';
import { signCheckpoint } from '../head/note.js';
import { readTlogProof } from '../proof/read-tlog-proof.js';
import { renderTlogProof } from '../proof/tlog-proof.js';
import { sha256Hex } from '@subluminal/core-types';

let scratch: Scratch;
let bundle: string;
let other: string;
let pin: string;
let count = 0;

beforeAll(async () => {
  scratch = await new Scratch().fill();
  bundle = join(scratch.folder, 'bundle');
  other = join(scratch.folder, 'other');
  await exportTo(scratch.path, 'run-a', bundle);
  await exportTo(scratch.path, 'run-b', other);
  const reader = openLedgerReader(scratch.path);
  pin = reader.genesis.fingerprint;
  reader.close();
});
afterAll(() => scratch.remove());

const forged = (): Forged => copyOf(bundle, String((count += 1)));
const verdictOf = ({ verdict, finding }: BundleReport) => [verdict, finding?.class ?? null];
const verify = (folder: string) => verifyBundle(folder, { pin });

describe('the bundle of a run', () => {
  it('is proved by the pin alone', () => {
    expect(verify(bundle)).toMatchObject({
      verdict: 'ok',
      finding: null,
      runId: 'run-a',
      ended: true,
      entries: 11,
      events: 11,
      previews: { kept: 3, expired: 0, dropped: 0 },
    });
  });

  it('is consistent and no more without a pin', () => {
    expect(verifyBundle(bundle)).toMatchObject({ verdict: 'unproven', finding: null });
  });

  it('has the fingerprint as the hash of its genesis record', () => {
    expect(sha256Hex(new Forged(bundle).read('genesis.json'))).toBe(pin);
  });

  it('is never proved while the run goes on', async () => {
    const folder = join(scratch.folder, 'open');
    await exportTo(scratch.path, 'run-c', folder);
    expect(verify(folder)).toMatchObject({ verdict: 'unproven', finding: null, ended: false });
    expect(verify(folder).reasons.join()).toContain('had not ended');
  });

  it('has the files that the format names', () => {
    expect(new Forged(bundle).names).toEqual([
      'checkpoint',
      'entries.jsonl',
      'events.jsonl',
      'genesis.json',
      'manifest.json',
      'policy.json',
      'previews.jsonl',
      'proof.tlog-proof',
    ]);
  });

  it('is complete or not there', async () => {
    const folder = join(scratch.folder, 'none');
    await expect(exportTo(scratch.path, 'run-x', folder)).rejects.toMatchObject({ code: 'not_found' });
    expect(verifyBundle(folder)).toMatchObject({ verdict: 'tampered', finding: { class: 'file' } });
  });

  it('agrees with receipts that were given for its entries, and contradicts others', () => {
    const first = readTlogProof(new Forged(bundle).read('proof.tlog-proof'));
    const seq = first?.entry.seq ?? 0;
    const reader = openLedgerReader(scratch.path);
    const leaf = reader.entry(seq)?.leaf ?? '';
    reader.close();
    expect(verifyBundle(bundle, { pin, receipts: [{ seq, leaf }] }).verdict).toBe('ok');
    const lie = verifyBundle(bundle, { pin, receipts: [{ seq, leaf: '0'.repeat(64) }] });
    expect(verdictOf(lie)).toEqual(['tampered', 'receipt']);
  });

  it('contradicts another checkpoint of its size that was signed: a fork', () => {
    const note = new Forged(bundle).read('checkpoint');
    expect(verifyBundle(bundle, { pin, checkpoints: [note] }).verdict).toBe('ok');
    const size = Number(note.split('\n')[1]);
    const fork = signCheckpoint('test-ledger', { size, root: 'ab'.repeat(32) }, { log: keyFromSeed(7) });
    expect(verdictOf(verifyBundle(bundle, { pin, checkpoints: [fork] }))).toEqual(['tampered', 'checkpoint']);
  });
});

describe('a bundle over several files of the ledger', () => {
  it('holds the whole run, and goes without what expired where an entry proves that', async () => {
    const three = new Scratch();
    three.create();
    const open = async (work: (ledger: Awaited<ReturnType<Scratch['open']>>) => Promise<void>) => {
      const ledger = await three.open({ segmentBytes: 1 });
      await work(ledger);
      await ledger.close();
    };
    await open(async (ledger) => {
      await ledger.append({ entries: [runStart('run-b')] });
      await ledger.append(beginCall('run-b', 'call-b'));
    });
    await open((ledger) => fillRun(ledger, 'run-c', 2));
    await open(async (ledger) => {
      const [pending] = ledger.danglingPendings();
      await ledger.append({ entries: [endCall('run-b', 'call-b', pending?.seq ?? 0), runEnd('run-b')] });
    });
    const folder = join(three.folder, 'bundle');
    await exportTo(three.path, 'run-b', folder);
    expect(verifyBundle(folder)).toMatchObject({
      finding: null,
      ended: true,
      entries: 5,
      previews: { kept: 1 },
    });

    three.nowMs += 60_000;
    const ledger = await three.open();
    await ledger.expirePreviews(three.nowMs + 1);
    await ledger.close();
    const later = join(three.folder, 'later');
    await exportTo(three.path, 'run-b', later);
    const report = verifyBundle(later);
    expect(report).toMatchObject({
      finding: null,
      entries: 5,
      previews: { kept: 0, expired: 1, dropped: 0 },
    });

    const without = copyOf(later, 'without');
    rmSync(join(without.folder, 'expired.tlog-proof'));
    without.settle();
    expect(verdictOf(verifyBundle(without.folder))).toEqual(['tampered', 'preview']);
    three.remove();
  });
});

describe('whoever changes a file of a bundle is found out, with a manifest that fits', () => {
  const cases: readonly (readonly [string, string, (copy: Forged) => unknown])[] = [
    ['an entry removed', 'chain', (copy) => copy.lines('entries.jsonl', (lines) => lines.toSpliced(4, 1))],
    ['the last entry removed', 'chain', (copy) => copy.lines('entries.jsonl', (lines) => lines.slice(0, -1))],
    ['the first entry removed', 'chain', (copy) => copy.lines('entries.jsonl', (lines) => lines.slice(1))],
    [
      'two entries swapped',
      'chain',
      (copy) => copy.lines('entries.jsonl', (l) => l.toSpliced(4, 2, l[5] ?? '', l[4] ?? '')),
    ],
    ['an entry twice', 'chain', (copy) => copy.lines('entries.jsonl', (l) => l.toSpliced(4, 0, l[4] ?? ''))],
    [
      'an entry of another run in place of one',
      'chain',
      (copy) =>
        copy.lines('entries.jsonl', (l) =>
          l.toSpliced(4, 1, new Forged(other).read('entries.jsonl').split('\n')[4] ?? ''),
        ),
    ],
    [
      'a word of an entry',
      'chain',
      (copy) => copy.lines('entries.jsonl', (l) => l.map((x) => x.replace('call-run-a-2', 'call-run-a-9'))),
    ],
    [
      'the place of an entry',
      'chain',
      (copy) => copy.lines('entries.jsonl', (l) => l.map((x) => x.replace('{"seq":5,', '{"seq":6,'))),
    ],
    [
      'what came before an entry',
      'chain',
      (copy) =>
        copy.lines('entries.jsonl', (l) =>
          l.toSpliced(
            2,
            1,
            (l[2] ?? '').replace(/"prev":"(.)/, (_text, c) => `"prev":"${c === '0' ? '1' : '0'}`),
          ),
        ),
    ],
    [
      'an entry with another member',
      'chain',
      (copy) => copy.lines('entries.jsonl', (l) => l.map((x) => x.replace('{"seq"', '{"more":1,"seq"'))),
    ],
    ['a line that is no JSON', 'chain', (copy) => copy.lines('entries.jsonl', (l) => [...l, '{'])],
    [
      'a line of deep JSON',
      'chain',
      (copy) =>
        copy.lines('entries.jsonl', () => [
          JSON.stringify({ seq: 1, prev: '0'.repeat(64), body: '['.repeat(100_000) }),
        ]),
    ],
    [
      'a last line that is cut',
      'file',
      (copy) => copy.write('entries.jsonl', copy.read('entries.jsonl').slice(0, -1)),
    ],
    ['bytes that are no text', 'file', (copy) => copy.write('entries.jsonl', Buffer.from([0xff, 0x0a]))],
    ['no entries', 'chain', (copy) => copy.write('entries.jsonl', '')],
    [
      'the entries of another run',
      'chain',
      (copy) => copy.write('entries.jsonl', new Forged(other).read('entries.jsonl')),
    ],
    [
      'a word of an event',
      'events',
      (copy) => copy.lines('events.jsonl', (l) => l.map((x) => x.replace('"files"', '"mails"'))),
    ],
    ['an event removed', 'events', (copy) => copy.lines('events.jsonl', (l) => l.toSpliced(4, 1))],
    ['an event added', 'events', (copy) => copy.lines('events.jsonl', (l) => [...l, l.at(-1) ?? ''])],
    [
      'a word of a preview',
      'preview',
      (copy) => copy.lines('previews.jsonl', (l) => l.map((x) => x.replace('/tmp/', '/etc/'))),
    ],
    ['a preview removed', 'preview', (copy) => copy.lines('previews.jsonl', (l) => l.toSpliced(1, 1))],
    ['a preview added', 'preview', (copy) => copy.lines('previews.jsonl', (l) => [...l, l.at(-1) ?? ''])],
    [
      'a preview with the salt of another',
      'preview',
      (copy) =>
        copy.lines('previews.jsonl', (l) =>
          l.map((x) => x.replace(/"salt":"[^"]+"/, `"salt":"${'A'.repeat(22)}=="`)),
        ),
    ],
    ['another policy', 'policy', (copy) => copy.write('policy.json', `{"${'a'.repeat(64)}":null}\n`)],
    ['policies that are deep', 'policy', (copy) => copy.write('policy.json', `${'['.repeat(10_000)}\n`)],
    ['policies that are none', 'policy', (copy) => copy.write('policy.json', '[]\n')],
    [
      'the genesis record of another ledger',
      'genesis',
      (copy) => copy.write('genesis.json', copy.read('genesis.json').replace('test-ledger', 'best-ledger')),
    ],
    ['a genesis record that is none', 'genesis', (copy) => copy.write('genesis.json', '{}')],
    ['no proof', 'proof', (copy) => copy.write('proof.tlog-proof', 'c2sp.org/tlog-proof@v1\n\n')],
    [
      'the proof of another run',
      'checkpoint',
      (copy) =>
        copy.write('proof.tlog-proof', new Forged(other).read('proof.tlog-proof')).write('checkpoint', 'x'),
    ],
    [
      'the proof and checkpoint of another run',
      'chain',
      (copy) =>
        copy
          .write('proof.tlog-proof', new Forged(other).read('proof.tlog-proof'))
          .write('checkpoint', new Forged(other).read('checkpoint')),
    ],
    [
      'another checkpoint than the proof’s',
      'checkpoint',
      (copy) => copy.write('checkpoint', `${copy.read('checkpoint')}\n`),
    ],
    [
      'a checkpoint that somebody else signed',
      'checkpoint',
      (copy) => {
        const note = signCheckpoint(
          'test-ledger',
          { size: 11, root: 'ab'.repeat(32) },
          { log: keyFromSeed(9) },
        );
        const { entry, proof } = readTlogProof(copy.read('proof.tlog-proof')) ?? {};
        if (entry === undefined || proof === undefined) throw new TypeError('no proof');
        return copy.write('checkpoint', note).write('proof.tlog-proof', renderTlogProof(entry, proof, note));
      },
    ],
    [
      'a checkpoint of a fork, which the ledger’s own key signed',
      'proof',
      (copy) => {
        const { entry, proof, note } = readTlogProof(copy.read('proof.tlog-proof')) ?? {};
        if (entry === undefined || proof === undefined) throw new TypeError('no proof');
        const size = Number(note?.split('\n')[1]);
        const fork = signCheckpoint('test-ledger', { size, root: 'ab'.repeat(32) }, { log: keyFromSeed(7) });
        return copy.write('checkpoint', fork).write('proof.tlog-proof', renderTlogProof(entry, proof, fork));
      },
    ],
  ];

  it.each(cases)('%s (%s)', (_, found, change) => {
    const copy = forged();
    change(copy);
    expect(verify(copy.folder).verdict).toBe('tampered');
    copy.settle();
    expect(verdictOf(verify(copy.folder))).toEqual(['tampered', found]);
    expect(verdictOf(verifyBundle(copy.folder))[0]).toBe('tampered');
  });
});

describe('a manifest', () => {
  it.each([
    ['of another run', (copy: Forged) => copy.settle({ run_id: 'run-b' }), 'chain'],
    ['with another count', (copy: Forged) => copy.settle({ entries: 12 }), 'manifest'],
    ['of a run that goes on', (copy: Forged) => copy.settle({ ended: false }), 'manifest'],
    ['of another ledger', (copy: Forged) => copy.settle({ ledger_id: 'best-ledger' }), 'manifest'],
    ['of another format', (copy: Forged) => copy.settle({ format: 'subluminal/bundle/v2' }), 'manifest'],
    ['with more to say', (copy: Forged) => copy.settle({ more: 1 }), 'manifest'],
    ['that is no JSON', (copy: Forged) => copy.write('manifest.json', '{'), 'manifest'],
    ['that is deep', (copy: Forged) => copy.write('manifest.json', '['.repeat(100_000)), 'manifest'],
    ['that is empty', (copy: Forged) => copy.write('manifest.json', ''), 'manifest'],
    ['that is huge', (copy: Forged) => copy.write('manifest.json', ' '.repeat(2_000_000)), 'file'],
    ...['../genesis.json', '/etc/passwd', 'entries.jsonl/..', 'ledger.db', '__proto__'].map(
      (name) =>
        [
          `that lists \`${name}\``,
          (copy: Forged) =>
            copy.write(
              'manifest.json',
              copy.read('manifest.json').replace('"checkpoint":{', `${JSON.stringify(name)}:{`),
            ),
          'manifest',
        ] as const,
    ),
  ] as const)('%s is found out', (_, change, found) => {
    const copy = forged();
    change(copy);
    expect(verdictOf(verify(copy.folder))).toEqual(['tampered', found]);
  });
});

describe('a file of a bundle', () => {
  it.each([
    'genesis.json',
    'entries.jsonl',
    'events.jsonl',
    'previews.jsonl',
    'policy.json',
    'checkpoint',
    'proof.tlog-proof',
    'manifest.json',
  ])('%s is not followed where it is a link, and missed where it is not there, cut or not a file', (name) => {
    const link = forged();
    const kept = join(link.folder, 'kept');
    renameSync(join(link.folder, name), kept);
    expect(verdictOf(verify(link.folder))).toEqual(['tampered', 'file']);
    symlinkSync(kept, join(link.folder, name));
    expect(verdictOf(verify(link.folder))).toEqual(['tampered', 'file']);
    rmSync(join(link.folder, name));
    mkdirSync(join(link.folder, name));
    expect(verdictOf(verify(link.folder))).toEqual(['tampered', 'file']);
    const cut = forged();
    truncateSync(join(cut.folder, name), 1);
    expect(verify(cut.folder).verdict).toBe('tampered');
  });

  it('that grew since is not read to an end that it does not have', () => {
    const copy = forged();
    truncateSync(join(copy.folder, 'entries.jsonl'), 8 * 1024 ** 3);
    expect(verdictOf(verify(copy.folder))).toEqual(['tampered', 'file']);
  });
});

describe('a bundle of another ledger', () => {
  it('is refused by the pin, also where it has the same name', async () => {
    const strange = new Scratch();
    createLedger({
      path: strange.path,
      ledgerId: 'test-ledger',
      createdMs: 2,
      version: '0.1.0',
      signingKey: keyFromSeed(7),
      sealKeyPath: strange.sealKey,
    });
    const ledger = await strange.open();
    await fillRuns(ledger);
    await ledger.close();
    const folder = join(strange.folder, 'bundle');
    await exportTo(strange.path, 'run-a', folder);
    expect(verdictOf(verifyBundle(folder))).toEqual(['unproven', null]);
    expect(verdictOf(verify(folder))).toEqual(['tampered', 'genesis']);
    const mixed = forged();
    cpSync(join(folder, 'entries.jsonl'), join(mixed.folder, 'entries.jsonl'));
    cpSync(join(folder, 'events.jsonl'), join(mixed.folder, 'events.jsonl'));
    cpSync(join(folder, 'previews.jsonl'), join(mixed.folder, 'previews.jsonl'));
    mixed.settle();
    expect(verify(mixed.folder).verdict).toBe('tampered');
    strange.remove();
  });
});

it('a folder that is no bundle is no more than that', () => {
  const folder = join(scratch.folder, 'empty');
  mkdirSync(folder);
  writeFileSync(join(folder, 'x'), '');
  expect(verdictOf(verify(folder))).toEqual(['tampered', 'file']);
});

describe('the offline verifier, which shares no code with this', () => {
  const VERIFIER = fileURLToPath(new URL('../../../../verifier/verify.mjs', import.meta.url));
  const offline = (folder: string, fingerprint = pin) => {
    const argv = [VERIFIER, 'bundle', folder, '--pin', fingerprint, '--json'];
    const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
    return { status, stdout, stderr };
  };

  it('verifies a bundle by the pin', () => {
    const { status, stdout } = offline(bundle);
    expect([status, JSON.parse(stdout)]).toEqual([
      0,
      expect.objectContaining({ verified: 'bundle', run_id: 'run-a', ended: true, entries: 11, previews: 3 }),
    ]);
  });

  it.each([
    ['another pin', (): ReturnType<typeof offline> => offline(bundle, 'a'.repeat(64)), 4],
    ['no pin', () => offline(bundle, ''), 2],
    ['no bundle', () => offline(scratch.folder), 1],
    ...(
      [
        [
          'an entry that was removed',
          (copy) => copy.lines('entries.jsonl', (lines) => lines.toSpliced(4, 1)),
        ],
        [
          'a last entry that was removed',
          (copy) => copy.lines('entries.jsonl', (lines) => lines.slice(0, -1)),
        ],
        ['a first entry that was removed', (copy) => copy.lines('entries.jsonl', (lines) => lines.slice(1))],
        [
          'the entries of another run',
          (copy) => copy.write('entries.jsonl', new Forged(other).read('entries.jsonl')),
        ],
        [
          'a preview with other words',
          (copy) => copy.write('previews.jsonl', copy.read('previews.jsonl').replace('/tmp/', '/etc/')),
        ],
        ['another checkpoint', (copy) => copy.write('checkpoint', 'x')],
      ] as readonly (readonly [string, (copy: Forged) => Forged])[]
    ).map(([name, change]) => [name, () => offline(change(forged()).settle().folder), 4] as const),
  ] as const)('does not verify %s', (_, run, status) => {
    expect(run()).toMatchObject({ status, stdout: '', stderr: expect.stringMatching(/./) });
  });
});
