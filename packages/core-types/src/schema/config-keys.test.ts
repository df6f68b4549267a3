import { expect, it } from 'vitest';
import { GatewayConfig } from './config.js';
import { ANY_NAME, configKeys } from './config-keys.js';

const KEYS = configKeys().map((path) => path.join('.'));

it('names each setting of config.toml once, those without a default too', () => {
  expect(new Set(KEYS).size).toBe(KEYS.length);
  expect(KEYS).toEqual(
    expect.arrayContaining(['autostart', 'heads_log', 'egress.mode', 'egress.proxy_port']),
  );
  expect(KEYS).toEqual(expect.arrayContaining(['http.port', 'tools.flag', 'secret_bindings']));
});

it('has a place for names that people choose', () => {
  expect(KEYS).toContain(`rate_limits.actions.${ANY_NAME}`);
  expect(KEYS).toContain(`servers.${ANY_NAME}.url`);
});

it('names everything that has a default', () => {
  const leaves = (value: object, path: readonly string[]): readonly (readonly string[])[] =>
    Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? leaves(inner, [...path, name])
        : [[...path, name]],
    );
  const fits = (path: readonly string[]): boolean =>
    configKeys().some(
      (known) =>
        known.length === path.length && known.every((name, at) => name === ANY_NAME || name === path[at]),
    );
  expect(leaves(GatewayConfig.parse({}), []).filter((path) => !fits(path))).toEqual([]);
});
