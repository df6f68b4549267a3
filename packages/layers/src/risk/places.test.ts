import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Folder } from '../files/folder.js';
import { gitSettings } from './git-config.js';
import { riskPlaces } from './places.js';

const made = (files: Readonly<Record<string, string>>): string => {
  const root = realpathSync(mkdtempSync('/var/tmp/sub-places-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text.replaceAll('ROOT', root));
  }
  return root;
};

const placesIn = (files: Readonly<Record<string, string>>): readonly string[] => {
  const project = Folder.open(made(files));
  try {
    return riskPlaces(project).map(({ path, risk }) => `${risk} ${path}`);
  } finally {
    project.close();
  }
};

describe('a folder of hooks that the settings of git name', () => {
  it.each([
    ['a line of its own', '[core]\n\thooksPath = tools/hooks\n'],
    ['the line of its section', '[core] hooksPath=tools/hooks'],
    ['quotes', '[CORE]\nHOOKSPATH = "tools/ho"oks ; of ours\n'],
    ['two lines', '[core]\n  hooksPath = tools\\\n/hooks\n'],
    ['a way around', '[core]\nhooksPath = ./x/../tools//hooks/\n'],
    ['its whole path', '[core]\nhooksPath = ROOT/tools/hooks\n'],
    ['lines that git ends with a return', '[core]\r\nhooksPath = tools/hooks\r\n'],
    ['a line behind a setting without a value', '[core]\n  bare\n  hooksPath = tools/hooks'],
    ['something before it that is no setting', '%%%\n= x\n[core]\nhooksPath = tools/hooks'],
  ])('is known by %s', (_, text) => {
    expect(placesIn({ '.git/config': text })).toEqual(['git_hooks tools/hooks']);
  });

  it('is known by another file of settings, too', () => {
    expect(
      placesIn({
        '.git/config': '[include] path = ../conf/git\n[includeIf "gitdir:x"]\npath = more',
        'conf/git': '[core] hooksPath = a',
        '.git/more': '[core] fsmonitor = b/watch',
        '.git/config.worktree': '[core] hooksPath = c',
      }).toSorted(),
    ).toEqual(['git_hooks a', 'git_hooks b/watch', 'git_hooks c']);
  });

  it('is none of the project if it leads out, is commented out, or is another setting', () => {
    const text =
      '[core]\n# hooksPath = a\nhooksPath = ../b\nhooksPath = /etc\n[corex]\nhooksPath = c\n[core "x"]\nhooksPath = d';
    expect(placesIn({ '.git/config': text })).toEqual([]);
  });
});

describe('the settings of git', () => {
  it('are read as git reads them', () => {
    const text =
      '[a]k=1 # x\n[a "S\\"b"] key = "x;y"  z \\t\n[B.c]\n  flag\n e =  in side   ; end\n w = " a "b\n n = one\\\n  two\n';
    const root = made({ config: text });
    const told = execFileSync('git', ['config', '--file', join(root, 'config'), '--list', '-z'], {
      encoding: 'utf8',
    });
    const git = told
      .split('\0')
      .slice(0, -1)
      .map((one) => one.split('\n'));
    expect(gitSettings(text).map(({ name, value }) => [name, ...(value === 'true' ? [] : [value])])).toEqual(
      git,
    );
  });

  it('end soon, whatever stands there', () => {
    const long = ['[a "\n', `[a${' '.repeat(1000)}\n`, '[a\n', 'k = \\\n', 'k\n', '"'].map((one) =>
      one.repeat(262_144 / one.length),
    );
    const from = performance.now();
    for (const text of long) gitSettings(text);
    expect(performance.now() - from).toBeLessThan(3000);
    for (const text of ['[', '[a', '"', '\\', 'k = "x', 'k = \\', '[a]]]k', '\0\n[x] y', '['.repeat(100_000)])
      expect(gitSettings(text).length).toBeLessThan(3);
  });
});
