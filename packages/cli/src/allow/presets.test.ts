import { expect, it } from 'vitest';
import { PRESETS } from './presets.js';

it('has exact names, each once, and a source for each list', () => {
  expect(PRESETS.map(({ name }) => name)).toEqual([...new Set(PRESETS.map(({ name }) => name))].toSorted());
  for (const { hosts, source } of PRESETS) {
    expect(hosts).toEqual([...new Set(hosts)].toSorted());
    for (const host of hosts) expect(host).toMatch(/^(?:[a-z0-9-]{1,63}\.)+[a-z]{2,}$/);
    expect(source).toMatch(/^https:\/\//);
  }
});
