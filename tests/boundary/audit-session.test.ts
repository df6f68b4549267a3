import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AuditResult, audit } from './audit.js';
import { REPOSITORY, plantTree } from './planted-tree.js';

const CLI = ['packages/cli/dist/bundle', 'packages/cli/dist/shim-bundle'];
const BUNDLES = [...CLI, 'packages/daemon/dist/bundle'];
const built = BUNDLES.every((folder) => existsSync(join(REPOSITORY, folder)));
const traces = [['-n'], ['-rn']].some(
  (flags) => spawnSync('unshare', [...flags, 'strace', '-f', '-o', '/dev/null', 'true']).status === 0,
);

interface Trace {
  readonly started: Readonly<Record<string, number>>;
  readonly sockets: readonly { readonly program: string; readonly family: string }[];
  readonly rings: readonly string[];
}

/** Reads a log of strace with the project's own reader; a program is named after its last argument. */
function readTrace(log: string): Trace {
  const reader = join(REPOSITORY, 'scripts/privacy-audit/session/system-calls.mjs');
  const code = `import { readTrace } from '${reader}';
    const trace = readTrace(${JSON.stringify(log)}, (argv) => argv.at(-1));
    console.log(JSON.stringify({ ...trace, started: Object.fromEntries(trace.started) }));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

/**
 * The session on a copy of the built programs, with `planted` put before the first line of the command line
 * and the shim.
 */
function auditSessionWith(planted: string): AuditResult {
  const tree = plantTree({});
  try {
    for (const folder of [...BUNDLES, 'packages/cli/bin']) {
      mkdirSync(join(tree.root, folder), { recursive: true });
      cpSync(join(REPOSITORY, folder), join(tree.root, folder), { recursive: true });
    }
    for (const folder of CLI) {
      const main = join(tree.root, folder, 'main.js');
      writeFileSync(main, `${planted}\n${readFileSync(main, 'utf8')}`);
    }
    return audit(tree.root, ['session']);
  } finally {
    tree.remove();
  }
}

function statuses(result: AuditResult): Readonly<Record<string, string>> {
  return Object.fromEntries(result.checks.map(({ subject, status }) => [subject, status]));
}

describe('the reader of system calls', () => {
  test('gives a socket to the program that its process runs at that moment', () => {
    const trace = readTrace(
      [
        '10 execve("/usr/bin/node", ["node", "cli"], 0x7ffe /* 3 vars */) = 0',
        '10 socket(AF_UNIX, SOCK_STREAM, 0) = 3',
        '11 socket(AF_INET, SOCK_DGRAM, 0) = 4',
        '10 clone(child_stack=NULL, flags=SIGCHLD) = 11',
        '11 execve("/usr/bin/node", ["node", "shim"], 0x7ffe /* 3 vars */ <unfinished ...>',
        '10 clone3({flags=CLONE_THREAD} => {parent_tid=[12]}, 88) = 12',
        '11 <... execve resumed>) = 0',
        '11 socket(AF_INET6, SOCK_STREAM <unfinished ...>',
        '12 socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE) = 5',
        '11 <... socket resumed>, 0) = -1 EACCES (Permission denied)',
        '11 io_uring_setup(64, {flags=0}) = 6',
      ].join('\n'),
    );
    expect(trace.started).toEqual({ cli: 1, shim: 1 });
    expect(trace.sockets.map(({ program, family }) => [program, family])).toEqual([
      ['cli', 'AF_UNIX'],
      ['cli', 'AF_INET'],
      ['cli', 'AF_NETLINK'],
      ['shim', 'AF_INET6'],
    ]);
    expect(trace.rings).toEqual(['shim']);
  });

  test('does not take a failed execve for a started program', () => {
    const trace = readTrace('7 execve("/x/node", ["node", "shim"], 0x7ffe) = -1 ENOENT (No such file)\n');
    expect(trace.started).toEqual({});
  });
});

describe('the audit of a session', () => {
  test('says so when the programs are not built', () => {
    const tree = plantTree({});
    try {
      const result = audit(tree.root, ['session']);
      expect(result.checks).toMatchObject([
        { status: 'skipped', detail: expect.stringContaining('is not built') },
      ]);
    } finally {
      tree.remove();
    }
  });

  test.skipIf(!built || !traces)(
    'finds a command line and a shim that make a socket of the internet',
    () => {
      const planted =
        "import planted from 'node:net'; planted.connect(9, '127.0.0.1').on('error', () => {});";
      const result = auditSessionWith(planted);
      expect(statuses(result)).toEqual({ steps: 'ok', shim: 'failed', cli: 'failed', gateway: 'ok' });
      expect(result.exit).toBe(1);
      expect(JSON.stringify(result.checks)).toContain('socket(AF_INET');
    },
    300_000,
  );

  test.skipIf(!built || !traces)(
    'passes the built programs, whose shim and command line make unix sockets only',
    () => {
      const result = audit(REPOSITORY, ['session']);
      expect(result.checks.flatMap(({ findings }) => findings)).toEqual([]);
      expect(statuses(result)).toEqual({ steps: 'ok', shim: 'ok', cli: 'ok', gateway: 'ok' });
      expect(result.checks.find(({ subject }) => subject === 'shim')?.detail).toMatch(
        /AF_UNIX sockets, 0 others$/,
      );
    },
    300_000,
  );
});
