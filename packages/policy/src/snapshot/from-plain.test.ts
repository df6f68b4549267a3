import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { canonicalize, parseJson } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../compile.js';
import { snapshotFromPlain } from './from-plain.js';
import type { PolicySnapshot } from './snapshot.js';

const folder = fileURLToPath(new URL('../../../../vectors/policy/valid/', import.meta.url));

function compiled(filename: string): PolicySnapshot {
  const result = compilePolicy(readFileSync(`${folder}${filename}`, 'utf8'), { filename });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.snapshot;
}

describe('a snapshot from its normal form', () => {
  it.each(readdirSync(folder))('is the one of %s', (filename) => {
    const snapshot = compiled(filename);
    const recorded = parseJson(canonicalize(snapshot.plain));
    expect(snapshotFromPlain(recorded).policy_hash).toBe(snapshot.policy_hash);
    expect(snapshotFromPlain(recorded).argKeys).toEqual(snapshot.argKeys);
  });

  it.each<[string, (plain: Record<string, unknown>) => unknown]>([
    ['no object', () => 'plain'],
    ['a field of its own', (plain) => ({ ...plain, more: 1 })],
    ['a field missing', (plain) => ({ ...plain, mode: undefined })],
    ['a default left out', (plain) => ({ ...plain, defaults: { decision_on_error: 'BLOCK' } })],
    ['a mode that is none', (plain) => ({ ...plain, mode: 'permissive' })],
    ['a description, which the normal form has not', (plain) => ({ ...plain, description: 'x' })],
    ['a rule of no kind', (plain) => ({ ...plain, rules: [{ kind: 'permit' }] })],
    ['a value that is no data', (plain) => ({ ...plain, rules: [() => 1] })],
  ])('is refused with %s', (_name, change) => {
    const plain = JSON.parse(JSON.stringify(compiled('limits.yaml').plain));
    expect(() => snapshotFromPlain(change(plain))).toThrow(
      expect.objectContaining({ code: 'policy_invalid' }),
    );
  });

  it('is refused where a rule refers to none, or says the same in another way', () => {
    const text = JSON.stringify(compiled('limits.yaml').plain);
    const forged = [
      text.replace('["calls","no-nights"]', '["nobody"]'),
      text.replace('["calls","no-nights"]', '["no-nights","calls"]'),
      text.replace('"utc_hours":[2,3]', '"utc_hours":[3,2]'),
    ];
    for (const one of forged) {
      expect(one).not.toBe(text);
      expect(() => snapshotFromPlain(JSON.parse(one))).toThrow(
        expect.objectContaining({ code: 'policy_invalid' }),
      );
    }
  });
});

it('the arguments that rules look at are known', () => {
  expect(compiled('limits.yaml').argKeys).toEqual(['amount', 'force']);
  expect(compiled('full.yaml').argKeys).toEqual(['__proto__', 'amount', 'currency', 'kind']);
});
