import type { Hint, JsonObject } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { shownHint } from './shown-hint.js';

const shown = (args: JsonObject): JsonObject | null =>
  shownHint({
    hint_kind: 'RETRY',
    hint_text: 'h',
    retry_advice: 'r',
    suggested_args: args,
  } as unknown as Hint).suggested_args;
const members = (count: number, name: (at: number) => string, value: string): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [name(at), value]));

describe('the arguments that a hint suggests', () => {
  it('are recorded without what looks like a secret, also where another argument holds it', () => {
    expect(
      shown({ amount: 1, password: 'open "sesame"', text: 'say open "sesame"', long: 'x'.repeat(2000) }),
    ).toEqual({ amount: 1, password: { omitted: true }, text: { omitted: true }, long: { omitted: true } });
  });

  it('are not recorded where comparing each with each would take long', () => {
    const others = members(30, (at) => `n${at}`, 'plain');
    expect(shown({ ...members(64, (at) => `${at}Pw`, 'hidden'), ...others })).not.toBeNull();
    expect(shown({ ...members(65, (at) => `${at}Pw`, 'hidden'), ...others })).toBeNull();
  });

  it('are not looked at one by one where they are too many to be recorded', () => {
    const args = members(900, String, '');
    Object.defineProperty(args, 'unread', { enumerable: true, get: () => expect.fail('it was read') });
    expect(shown(args)).toBeNull();
  });
});
