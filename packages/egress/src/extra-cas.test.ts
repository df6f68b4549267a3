import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, describe, expect, it } from 'vitest';
import { readExtraCas } from './extra-cas.js';

const folder = mkdtempSync(join(tmpdir(), 'sub-cas-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const [one = '', other = ''] = rootCertificates;

describe('the certificates of the operator', () => {
  it('are read from one file, with whatever stands between them', () => {
    const path = file('two.pem', `# ours\n${one}\nsubject=x\n${other}\n`);
    expect(readExtraCas(path)).toEqual([one, other]);
  });

  it.each([
    ['holds none', file('none.pem', 'nothing'), 'holds no certificate'],
    [
      'holds one that is none',
      file('bad.pem', `${one}\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`),
      'its certificate 2 is none',
    ],
    ['is not there', join(folder, 'gone.pem'), 'cannot be read'],
    ['is too large', file('large.pem', ' '.repeat(4 * 1024 * 1024 + 1)), 'is larger than 4 MiB'],
  ])('are refused where the file %s', (_name, path, why) => {
    expect(() => readExtraCas(path)).toThrow(
      expect.objectContaining({ code: 'config_invalid', message: expect.stringContaining(why) }),
    );
  });
});
