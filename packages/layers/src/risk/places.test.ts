import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pathOfText } from '../files/byte-path.js';
import { Folder } from '../files/folder.js';
import { gitSettings } from './git-config.js';
import { riskPlaces } from './places.js';
import { NO_REPOSITORIES } from './repositories.js';
import { Risks } from './risks.js';

const made = (files: Readonly<Record<string, string>>): string => {
  const root = realpathSync(mkdtempSync('/var/tmp/sub-places-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(
      join(root, name),
      text.replaceAll('ROOT', root).replaceAll('~/HERE', `~/${basename(root)}`),
    );
  }
  return root;
};

/** Those of the project in that folder of the files. */
const placesIn = (files: Readonly<Record<string, string>>, folder = '.'): readonly string[] => {
  const root = made(files);
  const project = Folder.open(join(root, folder));
  try {
    return riskPlaces(project, pathOfText(dirname(root))).map(({ path, risk }) => `${risk} ${path}`);
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
    ['its path from the home', '[core]\nhooksPath = ~/HERE/tools/hooks\n'],
    ['lines that git ends with a return', '[core]\r\nhooksPath = tools/hooks\r\n'],
    ['a line behind a setting without a value', '[core]\n  bare\n  hooksPath = tools/hooks'],
    ['something before it that is no setting', '%%%\n= x\n[core]\nhooksPath = tools/hooks'],
  ])('is known by %s', (_, text) => {
    expect(placesIn({ '.git/config': text })).toEqual(['git_hooks tools/hooks']);
  });

  it('may be the project, and then each name of a hook in it is known', () => {
    const found = placesIn({ '.git/config': '[core]\nhooksPath = .\n' });
    expect(found).toContain('git_hooks pre-commit');
    expect(found).toContain('git_hooks post-checkout');
    expect(found).toHaveLength(28);
  });

  it('is known by another file of settings, too', () => {
    expect(
      placesIn({
        '.git/config': '[include] path = ../conf/git\n[includeIf "gitdir:x"]\npath = more',
        'conf/git': '[core] hooksPath = a',
        '.git/more': '[core] fsmonitor = b/watch',
        '.git/config.worktree': '[core] hooksPath = c',
      }).toSorted(),
    ).toEqual([
      'git_hooks a',
      'git_hooks b/watch',
      'git_hooks c',
      'git_settings .git/more',
      'git_settings conf/git',
    ]);
  });

  it('is none of the project if it leads out, is commented out, or is another setting', () => {
    const text =
      '[core]\n# hooksPath = a\nhooksPath = ../b\nhooksPath = /etc\n[corex]\nhooksPath = c\n[core "x"]\nhooksPath = d';
    expect(placesIn({ '.git/config': text })).toEqual([]);
  });
});

describe('a program that the settings of git name', () => {
  it.each([
    [
      '[filter "x"]\nclean = tools/clean %f\nsmudge = ./tools/smudge\nprocess = node lib/p.js',
      ['tools/clean', 'tools/smudge', 'lib/p.js'],
    ],
    ['[filter "a.b"] clean = "sh -c \\"bin/a | bin/b\\""', ['bin/a', 'bin/b']],
    [
      '[diff "x"]\ntextconv = $(git rev-parse --show-toplevel)/tools/t\ncommand = ${PWD}/tools/c',
      ['tools/t', 'tools/c'],
    ],
    ['[merge "x"]\ndriver = tools/m.sh %O %A %B', ['tools/m.sh']],
    ['[core]\nsshCommand = python3 ssh.py\nfsmonitor = ROOT/watch\n', ['ssh.py', 'watch']],
    ['[credential "https://x.y"]\nhelper = !lib/helper', ['lib/helper']],
    ['[alias]\nup = !sh run/up.sh', ['run/up.sh']],
    ['[submodule "a"]\nupdate = !sub/update.sh\n[tar "x"]\ncommand = sh/pack', ['sub/update.sh', 'sh/pack']],
    ['[remote "o"]\nuploadpack = b/up\nreceivepack = b/re', ['b/up', 'b/re']],
    ['[gpg "ssh"]\nprogram = k/sign\ndefaultKeyCommand = k/key', ['k/sign', 'k/key']],
    ['[sendemail]\ncccmd = m/cc\n[sendemail "x"]\nsendmailCmd = ~/HERE/m/send', ['m/cc', 'm/send']],
    ['[core]\nalternateRefsCommand = r/refs\n[browser "x"]\ncmd = w/open', ['r/refs', 'w/open']],
    ['[core]\nfsmonitor = true\npager = less -R\nsshCommand = ssh -i /etc/key\nhooksPath = ../x', []],
  ])('in `%s` has its risk', (config, expected) => {
    expect(placesIn({ '.git/config': config })).toEqual(expected.map((path) => `git_hooks ${path}`));
  });

  it('is known in a worktree, whose settings stand in its repository', () => {
    const files = {
      'w/.git': 'gitdir: ../main/.git/worktrees/w\n',
      'main/.git/worktrees/w/commondir': '../..\n',
      'main/.git/worktrees/w/config.worktree': '[core] hooksPath = mine',
      'main/.git/config': '[filter "x"] clean = tools/clean\n[include] path = ROOT/w/more',
      'w/more': '[core] fsmonitor = b/watch',
    };
    expect(placesIn(files, 'w')).toEqual([
      'git_hooks tools/clean',
      'git_settings more',
      'git_hooks mine',
      'git_hooks b/watch',
    ]);
  });

  it('is known in a folder of a repository, and by its way from there', () => {
    const files = {
      '.git/config': '[filter "x"]\nclean = apps/web/tools/clean\nsmudge = tools/smudge',
      'apps/web/a': '',
    };
    expect(placesIn(files, 'apps/web')).toEqual(['git_hooks tools/clean']);
  });

  it('is looked for in no file that has no name', () => {
    expect(placesIn({ '.git/config': '[include] path = a\0b\n[core] hooksPath = c' })).toContain(
      'git_hooks c',
    );
    expect(placesIn({ '.git': 'gitdir: a\0b' })).toEqual([]);
  });

  it('has its risk in any case', () => {
    const project = Folder.open(made({ '.git/config': '[core] hooksPath = tools/hooks' }));
    const risks = new Risks(riskPlaces(project), NO_REPOSITORIES);
    project.close();
    const of = (path: string): readonly string[] =>
      risks.of({ path: pathOfText(path), how: 'added', before: undefined, after: undefined, isStale: false });
    expect([of('tools/hooks/pre-push'), of('Tools/HOOKS'), of('tools/other')]).toEqual([
      ['git_hooks'],
      ['git_hooks'],
      [],
    ]);
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
