import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configForm } from './form.js';
import { loadConfig } from './load.js';
import { PerVersion } from './per-version.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sub-per-version-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('what is read of config.toml', () => {
  it.each([
    ['is right', '[log]\nlevel = "debug"\n', 'debug'],
    ['has a mistake', '[log\n', 'config_invalid'],
    ['has what this version does not know', '[ui]\n', 'not_available'],
    ['is not there', undefined, 'info'],
  ])('is read once of a file that %s, and again of another one', (_, text, expected) => {
    const path = join(folder, 'config.toml');
    if (text !== undefined) writeFileSync(path, text, { mode: 0o600 });
    let loads = 0;
    const levels = new PerVersion(
      { path, form: configForm([]) },
      ({ log }) => log.level,
      (of) => {
        loads += 1;
        return loadConfig(of);
      },
    );
    for (let asked = 0; asked < 3; asked += 1) expect(outcomeOf(levels)).toBe(expected);
    expect(loads).toBe(1);
    writeFileSync(path, '[log]\nlevel = "warn"\n', { mode: 0o600 });
    expect(outcomeOf(levels)).toBe('warn');
    expect(loads).toBe(2);
  });
});

function outcomeOf(levels: PerVersion<string>): unknown {
  try {
    return levels.now;
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}
