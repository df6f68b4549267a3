import { homePaths } from '@subluminal/ipc';
import { startGateway } from '@subluminal/shim';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stopGateway } from '../harness/home.js';
import { WATCHED_GATEWAY } from '../support/watch.js';
import { said, SecretPlace, SERVER } from './place.js';

const VALUE = 'value-4711-of-my-variable';

let place: SecretPlace;
beforeAll(() => {
  place = new SecretPlace();
  place.bind({ inject_as: 'KEEPER_TOKEN', secret_ref: 'MY_TOKEN', source: 'env', redact: false });
});
afterAll(() => place.home.remove());

it('a shim whose client asks nothing tells a gateway that was started since, and another server records none', async () => {
  const idle = await place.open({ MY_TOKEN: VALUE });
  const other = await place.open({}, { server: 'other', command: SERVER });
  await said(other, 'before');
  await stopGateway(place.home.home, 'SIGKILL');
  await startGateway({ paths: homePaths(place.home.home), entry: WATCHED_GATEWAY });
  await expect.poll(() => place.recorded('secrets_told').length, { timeout: 15_000 }).toBe(1);
  await said(other, `after ${VALUE}`);
  await other.close();
  await idle.close();
  const record = [...place.written().values()].join('\n');
  expect(record).toContain('after [REDACTED:KEEPER_TOKEN]');
  expect(record).not.toContain(VALUE);
});
