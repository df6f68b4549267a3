import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { assertNotHidden, settingsOf, type WorldSettings } from './settings.js';

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync('/var/tmp/sub-settings-');
  folder = join(root, 'project');
  mkdirSync(join(folder, 'keys/deep'), { recursive: true });
  mkdirSync(join(root, 'home/.npm'), { recursive: true });
  writeFileSync(join(folder, '.env'), '');
});
afterEach(() => rmSync(root, { recursive: true }));

const settings = (fs: Readonly<Record<string, string[]>>, more = {}): WorldSettings =>
  settingsOf({ settings: { fs, ...more } }, { home: join(root, 'home'), folder });

describe('the settings of a world', () => {
  it('are those of a policy that says nothing where the answer has none', () => {
    expect(settingsOf({}, { home: '/home/u', folder })).toEqual({
      profile: undefined,
      limits: { processes: 4096 },
      reuse: true,
      read: [],
      write: [],
      asks: [],
      isolated: [],
      hidden: [],
    });
  });

  it('have the limits of the answer', () => {
    const limits = { memory_bytes: 1, cpus: 1.5, processes: 7, wall_ms: 9, disk_bytes: 11 };
    expect(settings({}, { limits, reuse: false, profile: 'p' })).toMatchObject({
      profile: 'p',
      reuse: false,
      limits: { memoryBytes: 1, cpus: 1.5, processes: 7, wallMs: 9, diskBytes: 11 },
    });
  });

  it('show the paths of the home, the project and the machine that are there', () => {
    expect(
      settings({ read: ['$HOME/.npm', '$HOME/.absent', '$PROJECT/keys'], write: [join(root, 'home')] }),
    ).toMatchObject({
      read: [join(root, 'home/.npm'), join(folder, 'keys')],
      write: [join(root, 'home')],
    });
  });

  it('show no path that a link leads elsewhere', () => {
    symlinkSync(join(root, 'home'), join(root, 'link'));
    expect(() => settings({ read: [join(root, 'link')] })).toThrow(/leads by a link to/);
  });

  it('hide the place that a link leads to, and nothing twice', () => {
    symlinkSync('keys', join(folder, 'link'));
    expect(settings({ hide: ['link', 'keys/deep', '.env', 'absent', '.env/below'] }).hidden).toEqual([
      join(folder, 'keys'),
      join(folder, '.env'),
    ]);
  });

  it('hide no world’s own folder', () => {
    symlinkSync('..', join(folder, 'up'));
    expect(() => settings({ hide: ['up'] })).toThrow(/leads to .* itself/);
  });

  it('hide a path that is also shown', () => {
    expect(settings({ hide: ['keys'], write: ['$PROJECT/keys/deep'] }).write).toEqual([]);
    expect(() => assertNotHidden([join(folder, 'keys/deep')], settings({ hide: ['keys'] }))).toThrow(
      /the policy hides it from worlds/,
    );
  });
});
