import { isJsonObject, type JsonObject, parseJson } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
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
  return { rules: ruleVerbs({ ask }), words };
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
      ).rejects.toMatchObject({ code: 'failed' });
    },
  );
});
