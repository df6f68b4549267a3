import { describe, expect, it } from 'vitest';
import { shownEvent, shownEventSteps } from './shown-event.js';

describe('an event without what looks like a credential', () => {
  it('keeps its form, whatever the names in it are', () => {
    const event = {
      type: 'tool_call_decision',
      decision: {
        hint: { suggested_args: { token: { omitted: true }, password: null, auth: ['a'], path: '/a' } },
      },
    };
    expect(shownEvent(event)).toEqual({
      type: 'tool_call_decision',
      decision: {
        hint: {
          suggested_args: { token: { omitted: true }, password: null, auth: ['[REDACTED]'], path: '/a' },
        },
      },
    });
  });

  it('has no value under a name that says what it is, however deep', () => {
    const event = {
      type: 'run_start',
      meta: { credentials: { of: [{ user: 'me', value: 'geheim-4711' }] } },
    };
    expect(JSON.stringify(shownEvent(event))).not.toContain('geheim-4711');
    expect(shownEvent(shownEvent(event))).toEqual(shownEvent(event));
  });

  it('says which secret a server got, and nothing else under that name', () => {
    const secret = { inject_as: 'GITHUB_TOKEN', secret_ref: 'github_token', source: 'store', success: true };
    expect(shownEvent({ type: 'secret_injection', secret })).toEqual({ type: 'secret_injection', secret });
    expect(shownEvent({ type: 'secret_injection', secret: { ...secret, more: 'geheim-4711' } })).toEqual({
      type: 'secret_injection',
      secret: { ...secret, more: '[REDACTED]' },
    });
    expect(shownEvent({ type: 'run_start', secret: { secret_ref: 'geheim-4711' } })).toEqual({
      type: 'run_start',
      secret: { secret_ref: '[REDACTED]' },
    });
    const token = `ghp_${'a1B2'.repeat(9)}`;
    expect(shownEvent({ type: 'secret_injection', secret: { ...secret, secret_ref: token } })).toEqual({
      type: 'secret_injection',
      secret: { ...secret, secret_ref: '[REDACTED]' },
    });
  });

  it('keeps two members whose names are shown alike', () => {
    const [one, other] = [`ghp_${'a1B2'.repeat(9)}`, `ghp_${'c3D4'.repeat(9)}`];
    const shown = shownEvent({ type: 'run_start', meta: { [one]: 'first', [other]: 'second' } });
    expect(shown['meta']).toEqual({ '[REDACTED]': '[REDACTED]', '[REDACTED] 2': '[REDACTED]' });
    expect(shownEvent(shown)).toEqual(shown);
  });

  it('has no value whose name is a value beside it', () => {
    const event = {
      type: 'run_start',
      more: {
        argv: ['curl', '--password', 'hunter2-a', '-v'],
        user: ['curl', '-u', 'bob:hunter2-b', 'https://example.org'],
        pair: [{ name: 'X-Api-Key', value: 'hunter2-c' }],
        list: ['X-Api-Key', 'hunter2-d'],
        deep: {
          headers: [{ key: 'Authorization', value: 'Zz hunter2-e' }],
          n: [{ name: 'pin', value: 1234 }],
        },
        text: 'curl --password hunter2-f -v',
        plain: [{ name: 'path', value: '/a' }, 'one', 'two'],
      },
    };
    const shown = shownEvent(event);
    expect(JSON.stringify(shown)).not.toContain('hunter2');
    expect(shown['more']).toMatchObject({
      argv: ['curl', '--password', '[REDACTED]', '-v'],
      user: ['curl', '-u', '[REDACTED]', 'https://example.org'],
      text: 'curl --password [REDACTED] -v',
      plain: event.more.plain,
    });
    expect(shownEvent(shown)).toEqual(shown);
  });

  it.each([
    ['names', Object.fromEntries(Array.from({ length: 40_000 }, (_, at) => [`name number ${at}`, '']))],
    ['plain names', Object.fromEntries(Array.from({ length: 80_000 }, (_, at) => [`n${at}`, '']))],
    ['values', { list: Array.from({ length: 20_000 }, (_, at) => `value ${at}`) }],
    ['empty lists', { list: Array.from({ length: 80_000 }, () => []) }],
  ])('is read in steps where it is full of %s', (_, more) => {
    const event = { type: 'run_start', more: { ...more, password: 'hunter2' } };
    let steps = 0;
    for (const looking = shownEventSteps(event); ; steps += 1) {
      const step = looking.next();
      if (step.done !== true) continue;
      expect(step.value).toEqual({ ...event, more: { ...more, password: '[REDACTED]' } });
      break;
    }
    expect(steps).toBeGreaterThan(8);
  });
});
