import { readFileSync } from 'node:fs';
import { GatewayConfig } from '@subluminal/core-types';
import { parse } from 'smol-toml';
import { expect, it } from 'vitest';

it('docs/settings.md names every key of config.toml with its default', () => {
  const doc = readFileSync(new URL('../../../../docs/settings.md', import.meta.url), 'utf8');
  const toml = /```toml\n([^]*?)```/.exec(doc)?.[1] ?? '';
  expect(parse(toml)).toEqual(GatewayConfig.parse({}));
});
