import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sub-build-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** Evaluates an expression over a module of scripts/build, with `root` in scope. */
function evaluate(module: string, imports: string, expression: string): unknown {
  const code = `import { ${imports} } from '${join(REPOSITORY, 'scripts/build', module)}';
    const root = ${JSON.stringify(root)};
    console.log(JSON.stringify(${expression}));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

describe('sub in a clone that is not built', () => {
  test('says how to build it and exits 1', () => {
    cpSync(join(REPOSITORY, 'packages/cli/bin/sub.mjs'), join(root, 'bin/sub.mjs'));
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'bin/sub.mjs')], { encoding: 'utf8' });
    expect(stderr).toBe('sub is not built yet\nhelp: run `npm run build` in the clone, then try again\n');
    expect(status).toBe(1);
  });
});

describe('sub under a Node that is too old', () => {
  const say = (engines: string) => {
    write('package.json', JSON.stringify({ engines: { node: engines } }));
    write('packages/cli/dist/bundle/main.js', "process.stdout.write('it runs\\n');");
    cpSync(join(REPOSITORY, 'packages/cli/bin/sub.mjs'), join(root, 'packages/cli/bin/sub.mjs'));
    const flags = [join(root, 'packages/cli/bin/sub.mjs'), 'up'];
    const { status, stderr, stdout } = spawnSync(process.execPath, flags, { encoding: 'utf8' });
    return { status, stderr, stdout };
  };

  test('loads nothing, and says which one it needs', () => {
    expect(say('>=99')).toEqual({
      status: 1,
      stderr: `error[node_too_old]: this is Node ${process.versions.node}, and \`sub\` needs 99 or newer
help: install Node 99 or newer, and \`sub\` again under it
`,
      stdout: '',
    });
    const [major, minor] = process.versions.node.split('.').map(Number);
    expect(say(`>=${major}.${Number(minor) + 1}.0`)).toMatchObject({ status: 1, stdout: '' });
  });

  test.each(['>=20', '>=20.19.0', `>=${process.versions.node}`])('runs under one of %s', (engines) => {
    expect(say(engines)).toEqual({ status: 0, stderr: '', stdout: 'it runs\n' });
  });
});

describe('a user whom the system does not know', () => {
  const isRoot = process.getuid?.() === 0;

  test.skipIf(!isRoot)('is told so, and nothing is loaded', () => {
    const sub = fileURLToPath(new URL('../../packages/cli/bin/sub.mjs', import.meta.url));
    const words = ['--reuid', '4242', '--regid', '4242', '--clear-groups', process.execPath, sub, 'status'];
    const end = spawnSync('setpriv', words, { encoding: 'utf8' });
    expect([end.status, end.stdout, end.stderr]).toEqual([
      1,
      '',
      'error[user_unknown]: the system knows no user `4242`, whose home `sub` would be in\nhelp: give it a line in /etc/passwd (in a container: `useradd` in its image), or run as another user\n',
    ]);
  });
});

describe('what a build removes', () => {
  test('is the output of a source that is gone, and nothing that stands beside it', () => {
    for (const kept of ['one.js', 'one.d.ts.map', 'bundle/main.js', 'policies/a.yaml', '.tsbuildinfo'])
      write(`packages/a/dist/${kept}`, '');
    write('packages/a/src/one.ts', '');
    for (const gone of ['two.js', 'two.d.ts', 'old/three.js.map']) write(`packages/a/dist/${gone}`, '');
    expect(evaluate('stale.mjs', 'removeStale', "removeStale(root, ['a', 'never-built'])")).toBe(3);
    const left = readdirSync(join(root, 'packages/a/dist'), { recursive: true, withFileTypes: true });
    expect(
      left
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['.tsbuildinfo', 'a.yaml', 'main.js', 'one.d.ts.map', 'one.js']);
  });
});

describe('the check before an install', () => {
  const lock = (version: string): string =>
    JSON.stringify({
      packages: {
        '': {},
        'node_modules/better-sqlite3': { version },
        'node_modules/other-system': { version: '1.0.0', optional: true },
        'node_modules/@subluminal/ipc': { link: true },
      },
    });
  const isCompiled = Number.parseInt(process.versions.node, 10) < 22;
  const why = (): unknown => evaluate('install.mjs', 'whyInstall', 'whyInstall(root)');

  test('asks for one without node_modules', () => {
    write('package-lock.json', lock('12.0.0'));
    expect(why()).toBe('node_modules is missing');
  });

  test('asks for one when a version differs or an add-on that is compiled is missing, else for none', () => {
    write('package-lock.json', lock('12.0.1'));
    write('node_modules/.package-lock.json', lock('12.0.0'));
    expect(why()).toBe('`node_modules/better-sqlite3` is 12.0.0, package-lock.json asks for 12.0.1');
    write('package-lock.json', lock('12.0.0'));
    expect(why()).toBe(isCompiled ? 'the native part of better-sqlite3 12 is not built' : null);
    write('node_modules/better-sqlite3-12/build/Release/better_sqlite3.node', '');
    expect(why()).toBe(null);
  });
});

describe('a package of the workspace that is new to a tree', () => {
  test('gets its link without an install, and keeps the one it has', () => {
    write(
      'package-lock.json',
      JSON.stringify({
        packages: { '': {}, 'node_modules/@subluminal/new': { resolved: 'packages/new', link: true } },
      }),
    );
    write('packages/new/here', 'yes');
    const link = (): unknown => evaluate('install.mjs', 'linkWorkspaces', 'linkWorkspaces(root) ?? null');
    link();
    expect(existsSync(join(root, 'node_modules'))).toBe(false);
    mkdirSync(join(root, 'node_modules'));
    link();
    expect(readlinkSync(join(root, 'node_modules/@subluminal/new'))).toBe('../../packages/new');
    expect(readFileSync(join(root, 'node_modules/@subluminal/new/here'), 'utf8')).toBe('yes');
    link();
  });
});

describe('the stamp of a build', () => {
  const current = (): unknown =>
    evaluate('stamp.mjs', 'fingerprint, isCurrent', 'isCurrent(root, fingerprint(root))');

  test('holds until an input changes or an output is gone', () => {
    write('packages/policy/src/index.ts', 'export {};\n');
    write('packages/policy/package.json', '{}');
    write('packages/policy/dist/index.js', '');
    expect(current()).toBe(false);
    evaluate(
      'stamp.mjs',
      'fingerprint, recordBuild',
      "recordBuild(root, fingerprint(root), ['packages/policy/dist/index.js']) ?? null",
    );
    expect(current()).toBe(true);
    write('packages/policy/src/new.ts', 'export {};\n');
    expect(current()).toBe(false);
    rmSync(join(root, 'packages/policy/src/new.ts'));
    expect(current()).toBe(true);
    rmSync(join(root, 'packages/policy/dist/index.js'));
    expect(current()).toBe(false);
  });
});
