import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, parseJson, sha256Hex, SublError } from '@subluminal/core-types';
import { ruleDigest } from '@subluminal/policy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChildLimits } from '../children/sub-children.js';
import { type RuleVerbs, ruleVerbs } from './rules.js';

const DIGEST = 'd'.repeat(64);

/** Verbs whose child gives that answer, and the words that it got. */
function verbs(answer: object): { readonly rules: RuleVerbs; readonly words: (readonly string[])[] } {
  const words: (readonly string[])[] = [];
  const value = parseJson(JSON.stringify(answer));
  const ask = (
    asker: string,
    verb: readonly string[],
    operands: readonly string[],
    { ms }: ChildLimits,
  ): Promise<JsonObject> => {
    words.push([asker, ...verb, '--', ...operands, String(ms)]);
    return Promise.resolve(isJsonObject(value) ? value : {});
  };
  return { rules: ruleVerbs({ ask }, '/nowhere/policy.yaml'), words };
}

describe('the rules of a page', () => {
  it('are shown and written by one verb, bound to what was shown', async () => {
    const { rules, words } = verbs({
      written: true,
      file: '/f',
      rule: { rule_id: 'r' },
      policy_hash: 'h',
      diff: '',
    });
    await rules.offers('ui:s', 17);
    await rules.write('ui:s', { entry: 17, as: 'any', shown: DIGEST });
    expect(words.map((all) => all.join(' '))).toEqual([
      'ui:s hints promote --persist --dry-run -- 17 45000',
      `ui:s hints promote --persist --as any --expect ${DIGEST} --yes -- 17 45000`,
    ]);
  });

  it('come without a digest where not all that would be written is shown, or there is none', async () => {
    const diff = `--- f\n+++ f\n@@ -1,1 +1,2 @@\n+${'x'.repeat(200_000)}`;
    const { rules } = verbs({
      file: '/f',
      offers: [
        { as: 'args', about: 'a', diff, notes: [], digest: DIGEST },
        { as: 'any', about: 'a', diff: '+x', notes: ['n'], digest: 'yes' },
        { as: 'path', about: 'a', diff: '+x\n y', notes: ['n'], digest: DIGEST },
      ],
    });
    const { offers } = await rules.offers('ui:s', 1);
    expect(offers.map(({ diff: lines, shown }) => [lines, shown])).toEqual([
      [[], null],
      [[], null],
      [['+x', ' y'], DIGEST],
    ]);
  });

  it.each([{}, { written: false, rule: { rule_id: 'r' } }, { written: true }])(
    'are not said to be written by an answer like %j',
    async (answer) => {
      await expect(
        verbs(answer).rules.write('ui:s', { entry: 1, as: 'any', shown: DIGEST }),
      ).rejects.toMatchObject({
        code: 'in_doubt',
        message: '`sub` does not say that it wrote a rule; the policy file cannot be read',
      });
    },
  );
});

describe('a rule whose `sub` gave no answer', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sub-rule-'));
    file = join(folder, 'policy.yaml');
    writeFileSync(file, 'as it was', { mode: 0o600 });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** The error of writing where the child is ended after it did that. */
  const written = (does: () => void, code: 'policy_changed' | 'timed_out'): Promise<unknown> => {
    const [before, after] = [sha256Hex('as it was'), sha256Hex('with the rule')];
    const shown = ruleDigest({ as: 'any', file, before, after });
    const ask = (): Promise<JsonObject> => {
      does();
      return Promise.reject(new SublError(code, 'it took too long', { help: 'use `sub` in a terminal' }));
    };
    return ruleVerbs({ ask }, file)
      .write('ui:s', { entry: 1, as: 'any', shown })
      .catch((error: unknown) => error);
  };

  it('is told with what the file holds by then: the rule, something else, or what it was', async () => {
    expect(await written(() => writeFileSync(file, 'with the rule'), 'timed_out')).toMatchObject({
      code: 'in_doubt',
      message: 'it took too long; the policy file holds the rule that was shown',
    });
    writeFileSync(file, 'as it was');
    expect(await written(() => writeFileSync(file, 'another'), 'timed_out')).toMatchObject({
      code: 'in_doubt',
      message: 'it took too long; the policy file was written meanwhile, and may hold the rule',
    });
    writeFileSync(file, 'as it was');
    expect(await written(() => undefined, 'timed_out')).toMatchObject({
      code: 'timed_out',
      message: 'it took too long; the policy file is as it was',
    });
    expect(await written(() => rmSync(file), 'timed_out')).toMatchObject({ code: 'in_doubt' });
  });

  it('is not in doubt where `sub` itself has said why it wrote nothing', async () => {
    expect(await written(() => writeFileSync(file, 'another'), 'policy_changed')).toMatchObject({
      code: 'policy_changed',
      message: 'it took too long',
    });
  });
});
