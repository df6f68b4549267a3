import { expect, it } from 'vitest';
import { isTold } from './told-fields.js';

it('fields of logins get a secret, and those that servers keep and show again do not', () => {
  const logins = ['Authorization', 'Cookie', 'X-Api-Key', 'Private-Token', 'apikey', 'X-Amz-Security-Token'];
  const more = [
    'Sec-WebSocket-Protocol',
    'Proxy-Token',
    'X-Auth-Token',
    'DD-API-KEY',
    'Ocp-Apim-Subscription-Key',
  ];
  expect([...logins, ...more].filter(isTold)).toEqual([]);
  const told = [
    'User-Agent',
    'referer',
    'X-Amz-Meta-Note',
    'Content-Disposition',
    'X-Forwarded-For',
    'If-Match',
  ];
  expect(told.filter(isTold)).toEqual(told);
});
