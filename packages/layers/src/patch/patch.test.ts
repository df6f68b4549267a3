import { lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Change } from '../diff/change.js';
import { pathOfText } from '../files/byte-path.js';
import { Folder } from '../files/folder.js';
import { Folders } from '../files/folders.js';
import { stateOf } from '../files/state.js';
import { patchOf } from './patch.js';

type Content = string | Buffer | undefined;

const patch = (old: Content, fresh: Content, name = 'f'): readonly string[] => {
  const root = mkdtempSync('/var/tmp/sub-patch-');
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [side, content] of [
    ['project', old],
    ['upper', fresh],
  ] as const) {
    mkdirSync(join(root, side));
    if (content !== undefined) writeFileSync(join(root, side, name), content, { mode: 0o644 });
  }
  return between(root, name);
};

const between = (root: string, name: string): readonly string[] => {
  const [project, upper] = [Folder.open(join(root, 'project')), Folder.open(join(root, 'upper'))];
  const [before, after] = [stateOf(project, pathOfText(name)), stateOf(upper, pathOfText(name))];
  const change: Change = { path: pathOfText(name), how: 'modified', before, after, isStale: false };
  try {
    return patchOf(change, { project: new Folders(project), upper: new Folders(upper) });
  } finally {
    project.close();
    upper.close();
  }
};

describe('a patch', () => {
  it('has the lines that differ, with some around them', () => {
    expect(patch('1\n2\n3\n', '1\nzwei\n3\n')).toEqual([
      'diff --sub a/f b/f',
      '--- a/f',
      '+++ b/f',
      '@@ -1,3 +1,3 @@',
      ' 1',
      '-2',
      '+zwei',
      ' 3',
    ]);
  });

  it('says what is new and what is gone', () => {
    expect(patch(undefined, 'x\n').slice(1, 4)).toEqual([
      'new file, mode 100644',
      '--- /dev/null',
      '+++ b/f',
    ]);
    expect(patch('x\n', undefined).slice(1, 4)).toEqual(['deleted file', '--- a/f', '+++ /dev/null']);
  });

  it('drives no terminal, by a line or by a name', () => {
    const lines = patch('a\n', '\u001B[31mred\u202E\tx\r\n', 'n\u001B]0;t');
    for (const sign of ['\u001B', '\u202E', '\r']) expect(lines.join('\n')).not.toContain(sign);
    expect(lines.at(-1)).toBe('+\\x1b[31mred\\x202e\tx\\x0d');
  });

  it('compares no bytes that are no text, and nothing large', () => {
    expect(patch('a', Buffer.from([0, 1, 2])).at(-1)).toBe('no text: binary files differ');
    expect(patch('a', Buffer.from([0xff, 0xfe, 0x41])).at(-1)).toBe('no text: binary files differ');
    expect(patch('a', Buffer.alloc(600_000, 'x')).at(-1)).toBe('too large to compare, or it cannot be read');
  });

  it('ends where nearly every line differs', () => {
    const lines = (sign: string): string =>
      Array.from({ length: 40_000 }, (_, at) => `${sign}${at}`).join('\n');
    const began = Date.now();
    expect(patch(lines('a'), lines('b')).at(-1)).toBe('too many lines differ to compare them');
    expect(Date.now() - began).toBeLessThan(20_000);
  });

  it('reads a link, and not behind it', () => {
    const root = mkdtempSync('/var/tmp/sub-patch-');
    onTestFinished(() => rmSync(root, { recursive: true }));
    for (const side of ['project', 'upper']) mkdirSync(join(root, side));
    writeFileSync(join(root, 'secret'), 'secret\n');
    symlinkSync('../secret', join(root, 'upper/l'));
    expect(lstatSync(join(root, 'upper/l')).isSymbolicLink()).toBe(true);
    expect(between(root, 'l').slice(-1)).toEqual(['+../secret']);
  });
});
