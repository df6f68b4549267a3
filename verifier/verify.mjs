#!/usr/bin/env node
// Verifies what `sub audit` hands out, offline and alone: this one file, Node's own crypto, no package. It
// shares no code with Subluminal, so that a mistake in one of them is not a mistake in both.
//
// Formats: C2SP signed-note, tlog-checkpoint, tlog-cosignature (Ed25519), tlog-proof, tlog-witness
// (add-checkpoint body). Proofs: RFC 9162, sections 2.1.3.2 and 2.1.4.2. The leaf of entry n of a ledger is
//
//   SHA-256( 0x00 ‖ "subl/entry/v1\n" ‖ ledger id ‖ "\n" ‖ n ‖ "\n" ‖ hex(leaf of n-1) ‖ "\n" ‖ body )

import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';

const USAGE = `usage: node verify.mjs COMMAND … --log VKEY|--pin FINGERPRINT [--witness VKEY]… [--quorum N] [--json]

  proof FILE             an entry stands in the ledger (what \`sub audit prove ENTRY\` writes)
  checkpoint FILE        the ledger signed this size and root (\`sub audit checkpoint\`)
  consistency OLD NEW    NEW (\`sub audit prove --since OLD\`) continues the checkpoint OLD
  entries FILE PROOF     exported entries, one JSON object {ledger_id, seq, prev, body} a line, in their order: each is
                         followed by the next, and the last one is the entry of PROOF

  bundle FOLDER          what \`sub export run\` wrote: its entries are all of one run, in order, and stand in the ledger with the
                         fingerprint of --pin. Takes --pin in place of --log; previews are checked, events and policies are not

  --pin FINGERPRINT      the SHA-256 of the ledger's genesis record, kept from when you began to trust it
  --log VKEY             the ledger's verifier key, kept from when you began to trust it (\`sub audit checkpoint --json\`)
  --witness VKEY         a witness that must have cosigned; repeat it for more
  --quorum N             how many of the named witnesses must have cosigned (all of them, unless given)
  --json                 one JSON object on stdout

exit: 0 verified · 4 it does not verify · 1 could not check (no such file) · 2 usage`;

const EXIT = { verified: 0, failed: 1, usage: 2, refused: 4 };
const MAX_BYTES = 64 << 20;
const LOG_KEY = 1;
const COSIGNATURE_KEY = 4;
const RECORD = 'subl/entry/v1';
const ORIGIN = 'subluminal/';
const HASH_HEX = /^[0-9a-f]{64}$/;
const EMPTY_ROOT = createHash('sha256').digest('hex');

/** Why nothing was verified, and the exit code that says so. */
class Stop extends Error {
  constructor(exit, message) {
    super(message);
    this.exit = exit;
  }
}

function refuse(why) {
  throw new Stop(EXIT.refused, `does not verify: ${why}`);
}

function must(condition, why) {
  if (!condition) refuse(why);
}

// Bytes and numbers: one spelling each.

function fromBase64(text, what, length) {
  const bytes = Buffer.from(text, 'base64');
  must(bytes.toString('base64') === text, `${what} is not canonical base64`);
  must(length === undefined || bytes.length === length, `${what} does not have ${length} bytes`);
  return bytes;
}

function toNumber(text, what) {
  const number = /^(0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : Number.NaN;
  must(Number.isSafeInteger(number), `${what} is not a number as it must be written`);
  return number;
}

function toText(bytes, what) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return refuse(`${what} is not UTF-8`);
  }
}

// ---- the tree: RFC 9162 ----

function nodeHash(left, right) {
  return createHash('sha256').update(`01${left}${right}`, 'hex').digest('hex');
}

const isOdd = (value) => value % 2 === 1;
const half = (value) => Math.floor(value / 2);

/** 2.1.3.2: the root that an inclusion proof leads to must be `root`. */
function checkInclusion(index, size, leaf, root, proof) {
  must(index < size, `index ${index} lies outside of a tree of ${size}`);
  let [fn, sn, r] = [index, size - 1, leaf];
  for (const p of proof) {
    must(sn !== 0, 'the inclusion proof has a hash too many');
    if (isOdd(fn) || fn === sn) {
      r = nodeHash(p, r);
      while (!isOdd(fn) && fn !== 0) [fn, sn] = [half(fn), half(sn)];
    } else {
      r = nodeHash(r, p);
    }
    [fn, sn] = [half(fn), half(sn)];
  }
  must(sn === 0, 'the inclusion proof has too few hashes');
  must(r === root, 'the inclusion proof does not lead to the root of the checkpoint');
}

/** 2.1.4.2: the proof must lead to both roots. */
function checkConsistency(older, newer, proof) {
  must(older.size <= newer.size, 'the newer checkpoint is smaller');
  if (older.size === newer.size) {
    must(proof.length === 0, 'the consistency proof has a hash too many');
    return must(older.root === newer.root, 'two roots for one size: a fork');
  }
  if (older.size === 0) {
    must(proof.length === 0, 'the consistency proof has a hash too many');
    return must(older.root === EMPTY_ROOT, 'the older checkpoint names a root that no empty tree has');
  }
  must(proof.length > 0, 'the consistency proof is empty');
  const path = Number.isInteger(Math.log2(older.size)) ? [older.root, ...proof] : proof;
  let [fn, sn] = [older.size - 1, newer.size - 1];
  while (isOdd(fn)) [fn, sn] = [half(fn), half(sn)];
  let [fr, sr] = [path[0], path[0]];
  for (const c of path.slice(1)) {
    must(sn !== 0, 'the consistency proof has a hash too many');
    if (isOdd(fn) || fn === sn) {
      [fr, sr] = [nodeHash(c, fr), nodeHash(c, sr)];
      while (!isOdd(fn) && fn !== 0) [fn, sn] = [half(fn), half(sn)];
    } else {
      sr = nodeHash(sr, c);
    }
    [fn, sn] = [half(fn), half(sn)];
  }
  must(sn === 0, 'the consistency proof has too few hashes');
  must(fr === older.root, 'the consistency proof does not lead to the older root');
  must(sr === newer.root, 'the consistency proof does not lead to the newer root');
}

// ---- keys, notes, checkpoints: C2SP ----

/** `name+hash+key`: signed-note, "Verifier keys". */
function readVkey(text, type, option) {
  const bad = (why) => new Stop(EXIT.usage, `${option} \`${text}\`: ${why}`);
  const [name = '', id = '', ...rest] = text.split('+');
  const material = Buffer.from(rest.join('+'), 'base64');
  if (name === '' || /\s/u.test(name) || material.toString('base64') !== rest.join('+'))
    throw bad('it is not a verifier key');
  if (material.length !== 33 || material[0] !== type) throw bad(`it is not an Ed25519 key of type ${type}`);
  if (keyId(name, material) !== id) throw bad('its key id is not that of its key');
  const x = material.subarray(1).toString('base64url');
  return { name, id, type, key: createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }) };
}

function keyId(name, material) {
  return createHash('sha256').update(`${name}\n`).update(material).digest('hex').slice(0, 8);
}

/** Splits a note into its text and its signature lines. */
function readNote(note) {
  for (let at = 0; at < note.length; at += 1) {
    const code = note.charCodeAt(at);
    must(code >= 0x20 || code === 0x0a, 'the note has a control character (were its line endings changed?)');
  }
  const gap = note.lastIndexOf('\n\n');
  must(gap > 0 && note.endsWith('\n'), 'the note has no signatures, or text behind them');
  const lines = note.slice(gap + 2, -1).split('\n');
  must(lines.length <= 64, 'the note has more than 64 signatures');
  const signatures = lines.map((line) => {
    const parts = /^\u2014 ([^\s+]+) ([A-Za-z0-9+/=]+)$/u.exec(line);
    must(parts !== null, 'the note has a line that is no signature');
    const bytes = fromBase64(parts[2], 'a signature');
    must(bytes.length > 4, 'a signature is empty');
    return { name: parts[1], id: bytes.toString('hex', 0, 4), bytes: bytes.subarray(4) };
  });
  return { text: note.slice(0, gap + 1), signatures };
}

/** Verifies the signatures of a key on a note. A wrong one ends it all; undefined where it has not signed. */
function signatureOf({ text, signatures }, key) {
  let found;
  for (const { name, id, bytes } of signatures) {
    if (name !== key.name || id !== key.id) continue;
    const isCosignature = key.type === COSIGNATURE_KEY;
    must(bytes.length === (isCosignature ? 72 : 64), `the signature of \`${name}\` has another length`);
    const time = isCosignature ? bytes.readBigUInt64BE() : undefined;
    const signed = isCosignature ? `cosignature/v1\ntime ${time}\n${text}` : text;
    const good = verify(null, Buffer.from(signed), key.key, bytes.subarray(isCosignature ? 8 : 0));
    must(good, `the signature of \`${name}\` does not verify`);
    found = { name, ...(isCosignature ? { time: Number(time) } : {}) };
  }
  return found;
}

/** Reads a checkpoint: signed by the log, and cosigned by as many of the named witnesses as it takes. */
function openCheckpoint(note, trust, what, witnesses = trust.witnesses, quorum = trust.quorum) {
  const read = readNote(note);
  const [origin, size, root, ...rest] = read.text.slice(0, -1).split('\n');
  const whole = root !== undefined && origin !== '' && !rest.includes('');
  must(whole, `${what} is not a checkpoint`);
  must(origin === trust.log.name, `${what} is one of \`${origin}\`, not of \`${trust.log.name}\``);
  must(signatureOf(read, trust.log) !== undefined, `${what} is not signed by the log`);
  const cosigned = witnesses.flatMap((witness) => signatureOf(read, witness) ?? []);
  const count = cosigned.length;
  must(count >= quorum, `${what} is cosigned by ${count} of the named witnesses, not by ${quorum}`);
  return {
    size: toNumber(size, 'the tree size'),
    root: fromBase64(root, 'the root', 32).toString('hex'),
    cosigned,
  };
}

function readHashes(lines) {
  must(lines.length <= 63, 'the proof has more than 63 hashes');
  return lines.map((line) => fromBase64(line, 'a hash of the proof', 32).toString('hex'));
}

/** Splits a file at its first empty line: its own lines, and the note behind them. */
function splitFile(text, what) {
  const gap = text.indexOf('\n\n');
  must(gap > 0, `${what} has no checkpoint in it`);
  return { lines: text.slice(0, gap).split('\n'), note: text.slice(gap + 2) };
}

// ---- entries ----

function leafOf({ ledgerId, seq, prev, body }) {
  return createHash('sha256').update(`\0${RECORD}\n${ledgerId}\n${seq}\n${prev}\n${body}`).digest('hex');
}

/** The entry that a proof carries as its extra data: the preimage of its leaf without the leading NUL. */
function readRecord(bytes, log) {
  const text = toText(bytes, 'the entry');
  const [kind, ledgerId, seq, prev] = text.split('\n', 4);
  must(kind === RECORD && prev !== undefined, 'the extra data is not an entry');
  const body = text.slice([kind, ledgerId, seq, prev, ''].join('\n').length);
  return checkEntry({ ledgerId, seq: toNumber(seq, 'the number of the entry'), prev, body }, log);
}

function checkEntry(entry, log) {
  must(typeof entry.ledgerId === 'string', 'the entry does not name its ledger');
  must(`${ORIGIN}${entry.ledgerId}` === log.name, `the entry is one of ledger \`${entry.ledgerId}\``);
  must(Number.isSafeInteger(entry.seq) && entry.seq > 0, 'the entry has no number');
  must(typeof entry.prev === 'string' && HASH_HEX.test(entry.prev), 'the entry names no leaf before it');
  must(typeof entry.body === 'string' && /^\{\P{Surrogate}*$/u.test(entry.body), 'the entry has no body');
  return entry;
}

function readEntries(text, log) {
  must(text.endsWith('\n'), 'the last line of the entries is not complete');
  return text
    .slice(0, -1)
    .split('\n')
    .map((line, at) => {
      let parsed;
      try {
        parsed = JSON.parse(line);
      } catch {
        return refuse(`line ${at + 1} of the entries is not JSON`);
      }
      const members = line.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"/g, '').split(':').length - 1;
      must(members === Object.keys(Object(parsed)).length, `line ${at + 1} says a thing twice`);
      const { ledger_id: ledgerId, seq, prev, body } = Object(parsed);
      return checkEntry({ ledgerId, seq, prev, body }, log);
    });
}

// ---- commands ----

function verifyProof(text, trust) {
  const { lines, note } = splitFile(text, 'the proof');
  const [first, ...rest] = lines;
  must(first === 'c2sp.org/tlog-proof@v1', 'it is not a tlog-proof of version 1');
  const extra = rest[0]?.startsWith('extra ') ? rest.shift().slice(6) : undefined;
  must(extra !== undefined, 'the proof does not carry the entry that it is about');
  const index = rest.shift();
  must(index?.startsWith('index '), 'the proof names no index');
  const at = toNumber(index.slice(6), 'the index');
  const entry = readRecord(fromBase64(extra, 'the extra data'), trust.log);
  must(entry.seq === at + 1, `the proof is for entry ${at + 1}, and carries entry ${entry.seq}`);
  const checkpoint = openCheckpoint(note, trust, 'the checkpoint');
  const leaf = leafOf(entry);
  checkInclusion(at, checkpoint.size, leaf, checkpoint.root, readHashes(rest));
  return { entry, leaf, checkpoint };
}

// ---- bundles: subluminal/bundle/v1 ----

const NO_LEAF = '0'.repeat(64);

/** The genesis record names the log's key, and the pin names the record. */
function trustOf(record, pin) {
  const print = createHash('sha256').update(record).digest('hex');
  must(print === pin, 'it is a bundle of another ledger than the one of the pin');
  const { ledger_id: ledgerId, public_key: key } = JSON.parse(record);
  const material = Buffer.concat([Buffer.of(LOG_KEY), fromBase64(key, 'the key of the ledger', 32)]);
  const name = `${ORIGIN}${ledgerId}`;
  return readVkey(`${name}+${keyId(name, material)}+${material.toString('base64')}`, LOG_KEY, 'genesis.json');
}

/** The entries of one run name each other; the last of them is proved. Gives what they commit to. */
function walkRun(text, log, runId) {
  const ledgerId = log.name.slice(ORIGIN.length);
  const blobs = new Map();
  let [leaf, count, last, ended] = [NO_LEAF, 0, 0, false];
  must(text.endsWith('\n'), 'the last line of the entries is not complete');
  for (const line of text.slice(0, -1).split('\n')) {
    const { seq, prev, body } = parseLine(line, 'entries');
    const entry = checkEntry({ ledgerId, seq, prev, body }, log);
    const { ri, rp, run_id: run, type, data } = parseLine(body, 'bodies');
    must(!ended && seq > last, `entry ${seq} is out of its order`);
    must(run === runId, `entry ${seq} belongs to another run`);
    must(
      ri === count && rp === leaf && (count === 0) === (type === 'run_start'),
      `entry ${seq} does not follow`,
    );
    for (const [slot, { hash, len, state }] of Object.entries(data['#blobs'] ?? {}))
      blobs.set(`${seq} ${slot}`, { hash, len, kept: state === 'present' });
    [leaf, count, last, ended] = [leafOf(entry), count + 1, seq, type === 'run_end'];
  }
  return { leaf, count, last, ended, blobs };
}

/**
 * Previews are what the entries commit to. One that is missing may have expired: this is counted, and
 * proves nothing.
 */
function checkPreviews(text, blobs) {
  let kept = 0;
  for (const line of text === '' ? [] : text.slice(0, -1).split('\n')) {
    const { seq, slot, salt, text: preview } = parseLine(line, 'previews');
    const blob = blobs.get(`${seq} ${slot}`);
    const bytes = Buffer.concat([fromBase64(salt, 'a salt', 16), Buffer.from(preview)]);
    const hash = createHash('sha256').update(bytes).digest('hex');
    must(hash === blob?.hash && bytes.length === blob.len + 16, `a preview is not one of entry ${seq}`);
    blobs.delete(`${seq} ${slot}`);
    kept += 1;
  }
  return { kept, missing: [...blobs.values()].filter((blob) => blob.kept).length };
}

function parseLine(line, what) {
  try {
    return Object(JSON.parse(line));
  } catch {
    return refuse(`a line of the ${what} is not JSON`);
  }
}

const BUNDLE = 'manifest.json genesis.json entries.jsonl previews.jsonl checkpoint proof.tlog-proof'.split(
  ' ',
);

const COMMANDS = {
  bundle: {
    files: 1,
    pinned: true,
    texts: ([folder]) => BUNDLE.map((name) => `${folder}/${name}`),
    run([manifest, record, entries, previews, checkpoint, proofFile], trust) {
      const log = trustOf(record, trust.pin);
      const { leaf, entry, checkpoint: head } = verifyProof(proofFile, { ...trust, log });
      must(proofFile.endsWith(`\n\n${checkpoint}`), 'the checkpoint is not the one of the proof');
      const { run_id: runId, ended } = parseLine(manifest, 'manifest');
      const walked = walkRun(entries, log, runId);
      const isProved = walked.leaf === leaf && walked.last === entry.seq && walked.ended === ended;
      must(isProved, 'the last entry is not the one of the proof');
      const { kept, missing } = checkPreviews(previews, walked.blobs);
      const counts = { entries: walked.count, previews: kept, previews_missing: missing };
      return { verified: 'bundle', run_id: runId, ended, ...counts, leaf, ...head };
    },
  },
  proof: {
    files: 1,
    run([file], trust) {
      const { entry, leaf, checkpoint } = verifyProof(file, trust);
      return { verified: 'proof', seq: entry.seq, leaf, body: entry.body, ...checkpoint };
    },
  },
  checkpoint: {
    files: 1,
    run: ([file], trust) => ({ verified: 'checkpoint', ...openCheckpoint(file, trust, 'the checkpoint') }),
  },
  consistency: {
    files: 2,
    run([oldFile, newFile], trust) {
      // The witnesses vouch for the newer checkpoint; the older one is the reader's own memory.
      const older = openCheckpoint(oldFile, trust, 'the older checkpoint', [], 0);
      const { lines, note } = splitFile(newFile, 'the consistency proof');
      const [first, ...rest] = lines;
      must(first.startsWith('old '), 'the consistency proof names no older size');
      const from = toNumber(first.slice(4), 'the older size');
      must(from === older.size, 'the consistency proof begins at another size');
      const newer = openCheckpoint(note, trust, 'the newer checkpoint');
      checkConsistency(older, newer, readHashes(rest));
      return { verified: 'consistency', from: older.size, ...newer };
    },
  },
  entries: {
    files: 2,
    run([entriesFile, proofFile], trust) {
      const { leaf, checkpoint } = verifyProof(proofFile, trust);
      const entries = readEntries(entriesFile, trust.log);
      let before;
      for (const entry of entries) {
        const next = before === undefined || (entry.seq === before.seq + 1 && entry.prev === leafOf(before));
        must(next, `entry ${entry.seq} does not follow the one before it`);
        before = entry;
      }
      must(leafOf(before) === leaf, 'the last entry is not the one of the proof');
      return { verified: 'entries', first: entries[0].seq, last: before.seq, leaf, ...checkpoint };
    },
  },
};

function readArguments(argv) {
  const usage = (why) => new Stop(EXIT.usage, why);
  const [name, ...rest] = argv;
  if (name === undefined || !Object.hasOwn(COMMANDS, name)) throw usage('which command?');
  /** @type {string[]} */
  const files = [];
  const given = { witnesses: [], log: undefined, pin: undefined, quorum: undefined, json: false };
  while (rest.length > 0) {
    const word = rest.shift();
    const value = () => {
      if (rest.length === 0) throw usage(`\`${word}\` needs a value`);
      return rest.shift();
    };
    if (word === '--json') given.json = true;
    else if (word === '--pin') given.pin = value();
    else if (word === '--log') given.log = readVkey(value(), LOG_KEY, word);
    else if (word === '--witness') given.witnesses.push(readVkey(value(), COSIGNATURE_KEY, word));
    else if (word === '--quorum') given.quorum = value();
    else if (word.startsWith('--')) throw usage(`\`${word}\` is not an option`);
    else files.push(word);
  }
  const { witnesses, log, json } = given;
  if (files.length !== COMMANDS[name].files) throw usage(`\`${name}\` takes ${COMMANDS[name].files} file(s)`);
  const { pinned = false } = COMMANDS[name];
  if (pinned && !HASH_HEX.test(given.pin ?? ''))
    throw usage('`--pin` is missing, or is not 64 lowercase hex digits');
  if (!pinned && log === undefined) throw usage('`--log` is missing: without a key nothing can be verified');
  if (new Set(witnesses.map((key) => key.key.export({ format: 'jwk' }).x)).size < witnesses.length)
    throw usage('a witness is named twice');
  const quorum = given.quorum ?? String(witnesses.length);
  if (!/^[0-9]{1,3}$/.test(quorum)) throw usage(`--quorum \`${quorum}\`: it is not a number of witnesses`);
  if (Number(quorum) > witnesses.length) throw usage('`--quorum` asks for more witnesses than are named');
  return {
    command: COMMANDS[name],
    files,
    json,
    trust: { log, pin: given.pin, witnesses, quorum: Number(quorum) },
  };
}

function readFile(path) {
  try {
    const bytes = readFileSync(path);
    if (bytes.length <= MAX_BYTES) return bytes;
  } catch (error) {
    const why = error.message.replaceAll(/^[A-Z]+: |, .*$/g, '');
    throw new Stop(EXIT.failed, `\`${path}\` cannot be read: ${why}`);
  }
  throw new Stop(EXIT.failed, `\`${path}\` is larger than ${MAX_BYTES} bytes`);
}

/** Agents and servers write a ledger's content: no control or bidirectional character reaches a terminal. */
function printable(text) {
  const spell = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (char) => char.replaceAll(/[^]/g, spell));
}

function main(argv) {
  if (argv.length === 0 || argv.includes('--help')) {
    process.stdout.write(`${USAGE}\n`);
    return argv.length === 0 ? EXIT.usage : EXIT.verified;
  }
  try {
    const { command, files, json, trust } = readArguments(argv);
    const texts = (command.texts?.(files) ?? files).map((file) => toText(readFile(file), `\`${file}\``));
    const result = command.run(texts, trust);
    const lines = Object.entries(result).map(([key, value]) => {
      const text = Array.isArray(value)
        ? value.map(({ name, time }) => `${name} at ${time}`).join(', ') || 'nobody'
        : String(value);
      return `${key}: ${printable(text)}`;
    });
    process.stdout.write(json ? `${printable(JSON.stringify(result))}\n` : `${lines.join('\n')}\n`);
    return EXIT.verified;
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    const help = error.exit === EXIT.usage ? '\nhelp: see `node verify.mjs --help`' : '';
    process.stderr.write(`${printable(error.message)}${help}\n`);
    return error.exit;
  }
}

process.exitCode = main(process.argv.slice(2));
