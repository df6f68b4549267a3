import { describe, expect, it } from 'vitest';
import { ask, BOUND, endOf, injectWorld, PASSWORD, SECRET } from './world.js';

describe('a secret that is put in on the way out', () => {
  it('reaches the server, and neither the client nor the record', async () => {
    const world = await injectWorld((request, response) => {
      response.setHeader('x-echo', String(request.headers.authorization));
      response.end(JSON.stringify({ ...request.headers }));
    });
    const { held, got } = world;
    expect(held.placeholder).toMatch(/^[A-Za-z0-9]+$/);
    expect(held.placeholder).toHaveLength(Buffer.byteLength(SECRET));
    const login = Buffer.from(`user:${held.password}`).toString('base64');
    const text = await ask(
      world,
      `GET /?a=1 HTTP/1.1\nAuthorization: Bearer ${held.placeholder}\nX-Login: Basic ${login}`,
    );
    expect(got).toHaveLength(1);
    expect(got[0]?.headers).toMatchObject({
      authorization: `Bearer ${SECRET}`,
      'x-login': `Basic ${Buffer.from(`user:${PASSWORD}`).toString('base64')}`,
      host: `${BOUND}:${world.at}`,
      'accept-encoding': 'identity',
    });
    expect(text).toContain(`"authorization":"Bearer ${held.placeholder}`);
    expect(text).not.toContain('real');
    expect(await endOf(world, () => true)).toMatchObject({
      outcome: 'closed',
      sni: BOUND,
      requests: 1,
      injected: [
        { inject_as: 'API_TOKEN', requests: 1 },
        { inject_as: 'API_PASSWORD', requests: 1 },
      ],
    });
  });
});
