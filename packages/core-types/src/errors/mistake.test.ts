import { ACTIONS, type ActionName } from '../schema/actions.js';
import { GatewayConfig } from '../schema/config.js';
import { ActionRequest } from '../schema/request.js';
import { ExactNumber } from '../json/value.js';
import { describe, expect, it } from 'vitest';
import { firstMistake } from './mistake.js';

/** Message and help for a payload of `action`, in one line. */
function told(action: ActionName, payload: unknown): string {
  const checked = ACTIONS[action].payload.safeParse(payload);
  if (checked.success) throw new Error('the payload fits');
  const { message, help } = firstMistake(checked.error, payload, 'the payload');
  return `${message} (${help})`;
}

const send = { to: ['a@example.com'], subject: 's', body: 'b' };
const begin = {
  call_id: 'call-0000001',
  shim_id: 's',
  server_name: 'files',
  tool_name: 't',
  transport: 'mcp_stdio',
  bytes_in: 0,
  args: {},
};
const call = { service: 's', endpoint: 'https://x.example/', method: 'GET' };

describe('a payload that does not fit', () => {
  it.each<[ActionName, unknown, string]>([
    ['email.send', { to: send.to, subject: 's' }, '`body` is missing (expected there: a text)'],
    ['email.send', { ...send, subject: 7 }, '`subject` is a whole number (expected there: a text)'],
    ['email.send', { ...send, subject: null }, '`subject` is null (expected there: a text)'],
    [
      'email.send',
      { ...send, subject: new ExactNumber('1.00000000000000000001') },
      '`subject` is a number (expected there: a text)',
    ],
    ['email.send', { ...send, to: 'x' }, '`to` is a text (expected there: a list)'],
    [
      'email.send',
      { ...send, to: ['x'] },
      '`to.0` has a value that is not allowed (expected there: an e-mail address)',
    ],
    ['email.send', { ...send, extra: 1 }, '`extra` is not known (remove it, or correct its name)'],
    [
      'service.api_call',
      { ...call, method: 'TRACE' },
      '`method` has a value that is not allowed (expected there: `GET` or `POST` or `PUT` or `DELETE` or `PATCH`)',
    ],
    [
      'service.api_call',
      { ...call, service: '' },
      '`service` is empty (expected there: a text of at least 1 character)',
    ],
    [
      'allow.add',
      { host: 'x', port: 65_536 },
      '`port` has a value that is not allowed (expected there: a number of at most 65535)',
    ],
    [
      'tool.call.begin',
      { ...begin, shim_id: '\u001b' },
      '`shim_id` has a value that is not allowed (control characters are not allowed)',
    ],
    [
      'tool.call.begin',
      { ...begin, args: undefined },
      'the payload has a value that is not allowed (exactly one of args and uninspected is required)',
    ],
    [
      'tool.call.begin',
      { ...begin, args: [] },
      '`args` has a value that is not allowed (expected a json object)',
    ],
    [
      'tool.call.begin',
      { ...begin, call_id: 'x' },
      '`call_id` has a value that is not allowed (expected there: a text that matches `/^[A-Za-z0-9_-]{8,64}$/`)',
    ],
  ])('of %s, number %#', (action, payload, words) => {
    expect(told(action, payload)).toBe(words);
  });

  it('is told of without the control characters of its names', () => {
    expect(told('gateway.stop', { '\u001b[2J\u202e': 1 })).toContain('`\u{fffd}[2J\u{fffd}` is not known');
  });
});

it('a request and a table of settings are told of in the same words', () => {
  const request = ActionRequest.safeParse([]);
  expect(firstMistake(request.error ?? { issues: [] }, [], 'the request')).toEqual({
    message: 'the request is a list',
    help: 'expected there: an object',
  });
  const table = { runs: { require_ticket: 'yes' } };
  const config = GatewayConfig.safeParse(table);
  expect(firstMistake(config.error ?? { issues: [] }, table, 'the file')).toEqual({
    message: '`runs.require_ticket` is a text',
    help: 'expected there: `true` or `false`',
  });
});
