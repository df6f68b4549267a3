import { argsHash, type JsonObject, type JsonValue } from '@subluminal/core-types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ToolCall, UninspectedArgs } from '@subluminal/agent';
import type { Params } from '../message/message.js';
import { Continuations } from './continuations.js';

const ARGS = { env: 'staging' };
const made = (callId: string, more: { tool?: string; args?: JsonObject } = {}) => ({
  callId,
  toolName: more.tool ?? 'deploy',
  argsHash: argsHash(more.args ?? ARGS),
});
const asked = (more: JsonObject = {}): JsonObject => ({ resultType: 'input_required', ...more });
const call = (args: ToolCall['args'] = ARGS, tool_name = 'deploy'): ToolCall => ({
  server_name: 'srv',
  tool_name,
  args,
  bytes_in: 1,
  transport: 'mcp_stdio',
  call_context: undefined,
});
const params = (more: JsonObject): Params => ({
  inspected: true,
  value: { name: 'deploy', arguments: ARGS, ...more },
});
const take = (calls: Continuations, more: JsonObject, of = call()): string | undefined =>
  calls.take(params(more), of)?.callId;

describe('a call goes on with one whose server asked for input', () => {
  it('when it brings the state that the server gave, once', () => {
    const calls = new Continuations();
    expect(calls.note(asked({ requestState: 's1', inputRequests: { a: {} } }), made('call-1'))).toBe(true);
    expect(take(calls, { requestState: 's1', inputResponses: { a: {} } })).toBe('call-1');
    expect(take(calls, { requestState: 's1', inputResponses: { a: {} } })).toBeUndefined();
  });

  it('when it answers exactly what was asked and the server gave no state, once', () => {
    const calls = new Continuations();
    calls.note(asked({ inputRequests: { b: {}, a: {} } }), made('call-1'));
    expect(take(calls, { inputResponses: { a: {} } })).toBeUndefined();
    expect(take(calls, { inputResponses: { a: {}, b: {}, c: {} } })).toBeUndefined();
    expect(take(calls, { inputResponses: { a: 1, b: 2 } })).toBe('call-1');
    expect(take(calls, { inputResponses: { a: 1, b: 2 } })).toBeUndefined();
  });

  it('and may be put back', () => {
    const calls = new Continuations();
    calls.note(asked({ requestState: 's' }), made('call-1'));
    const found = calls.take(params({ requestState: 's' }), call());
    if (found !== undefined) calls.putBack(found);
    expect(take(calls, { requestState: 's' })).toBe('call-1');
  });

  it.each<[string, JsonObject, ToolCall?]>([
    ['a state that was made up', { requestState: 'S1', inputResponses: { a: {} } }],
    ['no state where there was one', { inputResponses: { a: {} } }],
    ['a state that is no text', { requestState: ['s1'] }],
    ['the state under another name', { RequestState: 's1', inputResponses: { a: {} } }],
    ['nothing', {}],
    ['other arguments', { requestState: 's1' }, call({ env: 'prod' })],
    ['another tool', { requestState: 's1' }, call(ARGS, 'destroy')],
    [
      'arguments that were not inspected',
      { requestState: 's1' },
      call(new UninspectedArgs('h', 1, undefined)),
    ],
  ])('and not with %s', (_, more, of) => {
    const calls = new Continuations();
    calls.note(asked({ requestState: 's1', inputRequests: { a: {} } }), made('call-1'));
    expect(take(calls, more, of)).toBeUndefined();
    expect(take(calls, { requestState: 's1' })).toBe('call-1');
  });

  it.each<[string, JsonValue | undefined]>([
    ['a result that was not inspected', undefined],
    ['a text', 'input_required'],
    ['a complete result', { resultType: 'complete', requestState: 's', inputRequests: { a: {} } }],
    ['no type', { requestState: 's', inputRequests: { a: {} } }],
    ['an error', asked({ isError: true, requestState: 's' })],
    ['nothing to find it by', asked()],
    ['no questions', asked({ inputRequests: {} })],
    ['a state that is no text', asked({ requestState: 1, inputRequests: { a: {} } })],
  ])('which is not what %s says', (_, result) => {
    const calls = new Continuations();
    expect(calls.note(result, made('call-1'))).toBe(false);
    for (const more of [{ requestState: 's' }, { requestState: 1 }, { inputResponses: { a: {} } }]) {
      expect(take(calls, more)).toBeUndefined();
    }
  });

  it('one of the last 256 of them', () => {
    const calls = new Continuations();
    for (let n = 0; n <= 256; n += 1) calls.note(asked({ requestState: `s${n}` }), made(`call-${n}`));
    expect(take(calls, { requestState: 's0' })).toBeUndefined();
    expect(take(calls, { requestState: 's1' })).toBe('call-1');
    expect(take(calls, { requestState: 's256' })).toBe('call-256');
  });

  it('whatever the names, states and arguments: of that tool and those arguments, and each one once', () => {
    const text = fc.constantFrom('', 'a', 'b', 'a"', '\u{1f600}', '__proto__');
    const one = fc.record({ tool: text, args: fc.dictionary(text, fc.nat(1)), state: text });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), one), { maxLength: 20 }), (steps) => {
        const calls = new Continuations();
        const known = new Map<string, string>();
        for (const [at, [isAnswer, { tool, args, state }]] of steps.entries()) {
          const key = JSON.stringify([
            tool,
            Object.keys(args)
              .toSorted()
              .map((name) => [name, args[name]]),
            state,
          ]);
          if (isAnswer) {
            calls.note(asked({ requestState: state }), made(`call-${at}`, { tool, args }));
            known.set(key, `call-${at}`);
          } else {
            expect(take(calls, { requestState: state }, call(args, tool))).toBe(known.get(key));
            known.delete(key);
          }
        }
      }),
    );
  });
});
