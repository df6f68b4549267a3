import { newSignerKey, readSignerKey } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../compile.js';
import { foreignTo, openSignature, signStatement } from './signature.js';
import { readStatement, renderStatement, statementOf } from './statement.js';

const SOURCE =
  'policy_id: "team"\nversion: "1.0"\nmode: guardrails\ndefaults: { decision_on_error: BLOCK }\nselectors: {}\nrules: []\n';

function compiled(source: string) {
  const result = compilePolicy(source);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.snapshot;
}
function key(name: string, byte: number) {
  const read = readSignerKey(newSignerKey(name, (size) => Buffer.alloc(size, byte)));
  if (read === undefined) throw new Error('no key');
  return read;
}

const snapshot = compiled(SOURCE);
const alice = key('alice', 7);
const bob = key('bob', 8);
const statement = statementOf(snapshot, SOURCE, { serial: 12, now: Date.UTC(2026, 0, 2, 3, 4, 5, 678) });
const note = signStatement(statement, alice);

describe('a signed policy', () => {
  it('says line by line what was signed', () => {
    expect(renderStatement(statement)).toBe(
      `subl/policy/v1
policy_id "team"
version "1.0"
policy_hash ${snapshot.policy_hash}
file_sha256 ${statement.file_sha256}
serial 12
signed_at 2026-01-02T03:04:05Z
`,
    );
    expect(readStatement(renderStatement(statement))).toEqual(statement);
  });

  it('opens for whoever lists its signer, also beside signatures of others', () => {
    expect(openSignature(note, [bob.verifier, alice.verifier])).toEqual({ ...statement, signer: 'alice' });
    const both = note + signStatement(statement, bob).split('\n\n')[1];
    expect(openSignature(both, [bob.verifier])).toMatchObject({ signer: 'bob' });
    expect(openSignature(note, [bob.verifier])).toBe('no listed signer has signed it');
    expect(openSignature(note, [])).toBe('no listed signer has signed it');
  });

  it('does not open with a byte changed anywhere', () => {
    const opened = [...note.split('').keys()].filter(
      (at) =>
        typeof openSignature(
          note.slice(0, at) + String.fromCharCode(note.charCodeAt(at) ^ 1) + note.slice(at + 1),
          [alice.verifier],
        ) !== 'string',
    );
    expect(opened).toEqual([]);
  });

  it('is refused as a whole where the signature of a listed key does not verify', () => {
    const other = signStatement({ ...statement, serial: 13 }, bob).split('\n\n')[1];
    expect(openSignature(note + other, [alice.verifier, bob.verifier])).toBe(
      'the signature of `bob` does not verify',
    );
  });

  it('does not open where the key signed something else than a policy', () => {
    const text = 'subl/policy/v2\n';
    const line = signStatement(statement, alice).split('\n\n')[1] ?? '';
    expect(openSignature(`${text}\n${line}`, [alice.verifier])).toBe(
      'the signature of `alice` does not verify',
    );
  });

  it('belongs to its file and to what the file means, and to nothing else', () => {
    expect(foreignTo(statement, SOURCE, snapshot)).toBeUndefined();
    expect(foreignTo(statement, `${SOURCE}# more\n`, snapshot)).toContain('other bytes');
    expect(foreignTo({ ...statement, version: '2' }, SOURCE, snapshot)).toContain('`team` 2');
    expect(foreignTo({ ...statement, policy_id: 'x' }, SOURCE, snapshot)).toContain('`x` 1.0');
    expect(foreignTo({ ...statement, policy_hash: '0'.repeat(64) }, SOURCE, snapshot)).toContain(
      'this version',
    );
  });
});

describe('the text of a statement', () => {
  const text = renderStatement(statement);

  it.each([
    ['nothing', ''],
    ['another first line', text.replace('v1', 'v2')],
    ['a field less', text.replace(/serial 12\n/, '')],
    ['a field more', `${text}more 1\n`],
    ['fields in another order', text.replace(/(serial 12\n)(signed_at .*\n)/, '$2$1')],
    ['no last newline', text.slice(0, -1)],
    ['a serial with a zero before it', text.replace('serial 12', 'serial 012')],
    ['a negative serial', text.replace('serial 12', 'serial -12')],
    ['a serial beyond exact numbers', text.replace('serial 12', 'serial 9007199254740993')],
    ['an id that is no JSON text', text.replace('"team"', 'team')],
    ['an id that is another JSON value', text.replace('"team"', '12')],
    ['an id in another spelling', text.replace('"team"', '"t\\u0065am"')],
    ['a hash in capitals', text.replace(snapshot.policy_hash, snapshot.policy_hash.toUpperCase())],
    ['a short hash', text.replace(statement.file_sha256, statement.file_sha256.slice(1))],
    ['a time in another zone', text.replace('05Z', '05+00:00')],
  ])('is not read with %s', (_, other) => {
    expect(readStatement(other)).toBeUndefined();
  });
});
