import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const FOLDERS = ['packages/ui/dist/files/page', 'packages/daemon/dist/bundle/page'];
const kB = (name: string): number =>
  gzipSync(readFileSync(join(ROOT, FOLDERS[0] ?? '', name)), { level: 9 }).length / 1000;

describe('the files of the page', () => {
  it('weigh 60 kB for the page, 12 for its worker and 12 for its looks at most, packed', () => {
    expect(kB('app.js')).toBeLessThanOrEqual(60);
    expect(kB('verify.js')).toBeLessThanOrEqual(12);
    expect(kB('app.css')).toBeLessThanOrEqual(12);
  });

  it('are the same beside the sources and beside the gateway that is shipped', () => {
    for (const name of ['app.js', 'app.css', 'verify.js', 'index.html']) {
      const [one, other] = FOLDERS.map((folder) => readFileSync(join(ROOT, folder, name), 'utf8'));
      expect(one).toBe(other);
    }
  });

  it('hold no way to make code or markup of a text', () => {
    const app = readFileSync(join(ROOT, FOLDERS[0] ?? '', 'app.js'), 'utf8');
    expect(app.match(/\beval\(|new Function|document\.write|insertAdjacentHTML|srcdoc/g)).toBeNull();
  });

  it('are ASCII', () => {
    for (const name of ['app.js', 'verify.js'])
      expect(readFileSync(join(ROOT, FOLDERS[0] ?? '', name)).every((byte) => byte < 128)).toBe(true);
  });
});
