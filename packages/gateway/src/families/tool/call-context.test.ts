import { expect, it } from 'vitest';
import { contextFields } from './call-context.js';

it('keeps what a client says of its call', () => {
  expect(contextFields({ 'claudecode/toolUseId': 'toolu_01A09' })).toEqual({
    context: { 'claudecode/toolUseId': 'toolu_01A09' },
  });
});

it('drops the id of a session, which may be a credential, and keeps the ids beside it', () => {
  const context = {
    callId: 'call_4',
    itemId: 'fc_3',
    sessionId: '01a1fe4c-8ac0-7f30-b053-c58b21830e72',
    threadId: '01a1fe4c-8ac0-7f30-b053-c58b21830e72',
  };
  const { sessionId: _dropped, ...kept } = context;
  expect(contextFields(context)).toEqual({ context: kept, context_dropped: true });
});

it('drops what looks like a credential under whatever name', () => {
  expect(contextFields({ callId: `ghp_${'a1B2'.repeat(9)}` })).toEqual({ context_dropped: true });
});

it('keeps nothing of what is too large', () => {
  expect(contextFields({ callId: 'x', threadId: 'y'.repeat(4097) })).toEqual({ context_dropped: true });
});
