import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { processIdentity } from '../process/identity.js';
import { readGatewayFile } from './gateway-file.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sub-gateway-file-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('the file of a gateway names a process of ours that began when the file says, or none', () => {
  const path = join(folder, 'gateway.json');
  const read = (value: unknown, mode = 0o600) => {
    rmSync(path, { force: true });
    writeFileSync(path, JSON.stringify(value), { mode });
    return readGatewayFile(path);
  };
  const own = { ...processIdentity(process.pid), version: '0.1.0', protocol: 3 };
  expect(read(own)).toEqual(own);
  expect(read({ ...own, start: '1' })).toBeUndefined();
  expect(read({ ...own, pid: -1 })).toBeUndefined();
  expect(read({ ...own, pid: 0 })).toBeUndefined();
  expect(read([own])).toBeUndefined();
  expect(() => read(own, 0o644)).toThrow(expect.objectContaining({ code: 'home_unsafe' }));
});
