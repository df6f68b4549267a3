import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homePaths } from '@subluminal/ipc';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkConfig } from './files.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sub-doctor-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The check of a file, beside a gateway's program that ends with that code. */
function checked(text: string, code: number): ReturnType<typeof checkConfig> {
  const program = join(folder, 'gateway.mjs');
  writeFileSync(program, `process.exitCode = process.argv.includes('--rehearse') ? ${code} : 7;`);
  writeFileSync(join(folder, 'config.toml'), text, { mode: 0o600 });
  const session = { gatewayProgram: program, environment: { forGateway: {} } };
  return checkConfig({ home: homePaths(folder), session }, undefined);
}

describe('a config.toml that no gateway has read', () => {
  it('is good with a table that the gateway reads, though the contract does not have it', async () => {
    expect(await checked('[toy]\nloud = true\n', 0)).toMatchObject({ name: 'config', level: 'ok' });
  });

  it('has a table that nobody knows named where the gateway does not take it either', async () => {
    expect(await checked('[egres]\nmode = "off"\n', 1)).toMatchObject({
      level: 'fail',
      message: expect.stringContaining('`egres` is not known; remove it, or correct its name'),
    });
  });

  it('has a mistake in a table of the contract told, whatever else is in the file', async () => {
    expect(await checked('[toy]\n[egress]\nmode = "none"\n', 0)).toMatchObject({ level: 'fail' });
  });
});
