import { describe, expect, it } from 'vitest';
import { readProxyTold } from './told.js';
import { proxyVariables } from './variables.js';

const token = `subp_01ARYZ6S410000000000000000_${'A'.repeat(43)}`;
const observe = { port: 4018, mode: 'observe' } as const;
const enforce = { port: 4018, mode: 'enforce' } as const;
const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'];

describe('the variables of the proxy', () => {
  it('name it with the label and the token in every spelling, and this machine stays without it', () => {
    const { env, note } = proxyVariables({
      told: observe,
      label: 'my server',
      token,
      env: { NO_PROXY: 'intra.example, localhost', no_proxy: 'intra.example' },
    });
    const url = `http://my%20server:${token}@127.0.0.1:4018`;
    expect(env).toEqual({
      ...Object.fromEntries(names.map((name) => [name, url])),
      NODE_USE_ENV_PROXY: '1',
      NO_PROXY: 'localhost,127.0.0.1,::1,intra.example',
      no_proxy: 'localhost,127.0.0.1,::1,intra.example',
    });
    expect(note).toBeUndefined();
  });

  it('are none where there is no proxy', () => {
    expect(proxyVariables({ told: undefined, label: 'run', token, env: {} })).toEqual({
      env: {},
      note: undefined,
    });
  });

  it('leave another proxy alone while nothing is enforced, and say so without its address', () => {
    const env = { https_proxy: 'http://user:secret@proxy.example:3128' };
    const found = proxyVariables({ told: observe, label: 'run', token, env });
    expect(found.env).toEqual({});
    expect(found.note).toContain('`https_proxy`');
    expect(found.note).not.toContain('secret');
  });

  it('replace every proxy where the allowlist is enforced, and nothing goes around it', () => {
    const env = { https_proxy: 'http://proxy.example:3128', NO_PROXY: '*' };
    const found = proxyVariables({ told: enforce, label: 'run', token, env });
    expect(found.env).toMatchObject({ NO_PROXY: '', no_proxy: '' });
    expect(found.env['https_proxy']).toBe(`http://run:${token}@127.0.0.1:4018`);
  });

  it('replace another proxy for a program that is of no use without ours, and nothing that it names goes around', () => {
    const env = { https_proxy: 'http://proxy.example:3128', NO_PROXY: 'api.example' };
    const found = proxyVariables({ told: observe, label: 'issues', token, env, isNeeded: true });
    expect(found.note).toBeUndefined();
    expect(found.env).toMatchObject({
      https_proxy: `http://issues:${token}@127.0.0.1:4018`,
      NO_PROXY: 'localhost,127.0.0.1,::1',
    });
  });

  it('replace the one of the run around by that of the server', () => {
    const env = { HTTPS_PROXY: `http://run:${token}@127.0.0.1:4018` };
    const found = proxyVariables({ told: observe, label: 'issues', token, env });
    expect(found.env['HTTPS_PROXY']).toBe(`http://issues:${token}@127.0.0.1:4018`);
  });
});

describe('what an answer tells of the proxy', () => {
  it.each([
    [{ proxy: { port: 4018, mode: 'observe' } }, observe],
    [{ proxy: null }, undefined],
    [{}, undefined],
    [undefined, undefined],
    [{ proxy: { port: 0, mode: 'observe' } }, undefined],
    [{ proxy: { port: 4018, mode: 'off' } }, undefined],
  ])('is read from %j', (data, told) => expect(readProxyTold(data)).toEqual(told));
});
