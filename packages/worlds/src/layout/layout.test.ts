import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { layoutArguments } from './arguments.js';
import { worldEnvironment } from './environment.js';
import { worldFolder } from './folder.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync('/var/tmp/sub-layout-');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('the folder of a world', () => {
  it('is the project around the working folder, else that folder', () => {
    mkdirSync(join(root, 'shop/src/deep'), { recursive: true });
    expect(worldFolder(join(root, 'shop/src'), '/home/u')).toBe(join(root, 'shop/src'));
    mkdirSync(join(root, 'shop/.git'));
    expect(worldFolder(join(root, 'shop/src/deep'), '/home/u')).toBe(join(root, 'shop'));
  });

  it.each(['/', '/etc', '/usr/share', '/proc/self', '/tmp', '/home'])('is never `%s`', (folder) => {
    expect(() => worldFolder(folder, '/home/u')).toThrow(/cannot be the folder of a world/);
  });

  it('is no home, and nothing that holds one', () => {
    const home = join(root, 'home/u');
    mkdirSync(join(home, '.git'), { recursive: true });
    mkdirSync(join(home, 'shop'));
    expect(worldFolder(join(home, 'shop'), home)).toBe(join(home, 'shop'));
    for (const folder of [home, join(root, 'home')])
      expect(() => worldFolder(folder, home)).toThrow(/cannot be the folder of a world/);
  });

  it('is where a link leads, not where it stands', () => {
    symlinkSync('/etc', join(root, 'project'));
    expect(() => worldFolder(join(root, 'project'), '/home/u')).toThrow(/`\/etc` cannot be/);
  });
});

describe('the files that a world sees', () => {
  const args = (more: Partial<Parameters<typeof layoutArguments>[0]> = {}): readonly string[] =>
    layoutArguments({
      tmpBytes: Infinity,
      user: { uid: 1000, gid: 1000, name: 'u', home: '/home/u', shell: '/bin/sh' },
      folder: root,
      cwd: root,
      programs: [],
      read: [],
      write: [],
      agent: undefined,
      add: () => '3',
      sourceOf: (path) => path,
      ...more,
    });
  const bindings = (all: readonly string[]): readonly string[] =>
    all.flatMap((word, at) => (word === '--bind' ? [all[at + 2] ?? ''] : []));

  it('have an agent’s own files and its door, and never a file of the operator’s in their place', () => {
    const shown = join(root, 'shown');
    mkdirSync(shown);
    const texts: string[] = [];
    const all = args({
      write: [shown],
      add: (text) => String(texts.push(text) + 2),
      agent: {
        folder: '/machine/door',
        home: '/gateway',
        view: {
          ticket: 'THE TICKET',
          launcher: 'THE LAUNCHER',
          programs: [],
          folders: ['/home/u/.codex'],
          files: [
            { path: '/home/u/.codex/config.toml', text: 'A COPY' },
            { path: join(shown, 'config.toml'), text: 'NEVER WRITTEN' },
          ],
        },
      },
    }).join(' ');
    expect(texts).toEqual(['A COPY', 'THE LAUNCHER', 'autostart = false\n', 'THE TICKET']);
    expect(all).toContain('--tmpfs /home/u/.codex');
    expect(all).toContain('--perms 0600 --file 3 /home/u/.codex/config.toml');
    expect(all).toContain('--tmpfs /gateway/run --ro-bind /machine/door /gateway/door --remount-ro /gateway');
    expect(all).toContain(
      '--perms 0400 --file 6 /run/subluminal-run/ticket --remount-ro /run/subluminal-run --remount-ro /',
    );
  });

  it('may be written in the project alone, unless more is named', () => {
    expect(bindings(args())).toEqual([root]);
    mkdirSync(join(root, 'cache'));
    expect(bindings(args({ write: [join(root, 'cache')] }))).toEqual([root, join(root, 'cache')]);
  });

  it('are hidden before what is shown of them is shown', () => {
    const all = args();
    expect(all.lastIndexOf('/home/u')).toBeLessThan(all.lastIndexOf(root));
    expect(all.indexOf('/proc')).toBeLessThan(all.indexOf('/proc/sys'));
  });

  it('are narrower inside of what is wider', () => {
    writeFileSync(join(root, 'fixed'), '');
    const all = args({ read: [join(root, 'fixed')] });
    expect(all.indexOf(root)).toBeLessThan(all.indexOf(join(root, 'fixed')));
  });
});

describe('what a world is given', () => {
  it('of variables holds no secret that was not named', () => {
    const all = {
      PATH: '/bin',
      LC_ALL: 'C',
      GITHUB_TOKEN: 's',
      HTTPS_PROXY: 'http://p',
      LD_PRELOAD: 'x',
      TERM: 'xterm',
    };
    expect(worldEnvironment(all, [])).toEqual({ PATH: '/bin', LC_ALL: 'C', TERM: 'xterm' });
    expect(worldEnvironment(all, ['GITHUB_TOKEN'])).toMatchObject({ GITHUB_TOKEN: 's' });
  });
});
