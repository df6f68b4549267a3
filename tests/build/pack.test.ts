import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

/** The package as `npm publish` takes it. */
let folder: string;
let files: readonly string[];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sub-laid-out-'));
  const code = `import { layOut } from '${join(REPOSITORY, 'scripts/pack.mjs')}';
    layOut(${JSON.stringify(REPOSITORY)}, ${JSON.stringify(folder)});`;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  expect(stderr).toBe('');
  files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const json = (path: string) => JSON.parse(readFileSync(join(folder, path), 'utf8'));

describe('the package', () => {
  test('brings its one dependency along, and neither has a script that an install runs', () => {
    const { version } = json('node_modules/better-sqlite3/package.json');
    expect(json('package.json')).toMatchObject({
      name: '@subluminal/cli',
      bin: { sub: 'packages/cli/bin/sub.mjs' },
      engines: { node: '>=22' },
      dependencies: { 'better-sqlite3': version },
      bundleDependencies: ['better-sqlite3'],
    });
    for (const path of files.filter((one) => one.endsWith('package.json'))) {
      expect(json(path)).not.toHaveProperty('scripts');
      // npm compiles what has one of these, whatever its manifest says.
      expect(existsSync(join(folder, dirname(path), 'binding.gyp'))).toBe(false);
    }
  });

  test('has the add-on of every system that has one', () => {
    const addOns = files.filter((path) => path.endsWith('.node')).map((path) => basename(path));
    expect(addOns.toSorted()).toEqual([
      'darwin-arm64.node',
      'darwin-x64.node',
      'linux-arm64.node',
      'linux-x64.node',
      'linuxmusl-arm64.node',
      'linuxmusl-x64.node',
      'win32-arm64.node',
      'win32-x64.node',
    ]);
  });

  test('has a bill of materials and the licence of all that its bundles hold', () => {
    const bill = json('sbom.cdx.json');
    expect(bill).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { name: '@subluminal/cli' } },
    });
    const names = bill.components.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['better-sqlite3', 'commander', 'undici', 'zod', 'nanoid']));
    const notices = readFileSync(join(folder, 'NOTICES.txt'), 'utf8');
    for (const { name, version, purl, hashes } of bill.components) {
      expect(notices).toContain(`${name} ${version} (`);
      expect(purl).toBe(`pkg:npm/${name.replace('@', '%40')}@${version}`);
      expect(hashes).toEqual([{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }]);
    }
  });

  test('leaves behind hidden files, and what is no page beside the pages', () => {
    const places = ['docs/cli.md', 'docs/decisions', 'docs/.cli.md.swp', 'docs/.notes/a.md', 'docs/keys.txt'];
    const code = `import { isShipped } from '${join(REPOSITORY, 'scripts/pack.mjs')}';
      process.stdout.write(JSON.stringify(${JSON.stringify(places)}.filter(isShipped)));`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
    expect(stdout).toBe(JSON.stringify(['docs/cli.md', 'docs/decisions']));
  });

  test('has every page that its pages link to, and the program that checks proofs', () => {
    const pages = files.filter((path) => path.endsWith('.md') && !path.startsWith('node_modules/'));
    expect(pages).toEqual(expect.arrayContaining(['README.md', 'SECURITY.md', 'docs/cli.md']));
    const broken = pages.flatMap((page) => {
      const text = readFileSync(join(folder, page), 'utf8').replaceAll(/^```[^]*?^```$/gm, '');
      return [...text.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)]
        .map(([, link = '']) => link)
        .filter((link) => !/^[a-z]+:/.test(link) && !existsSync(join(folder, dirname(page), link)))
        .map((link) => `${page}: ${link}`);
    });
    expect(broken).toEqual([]);
    expect(files).toContain('verifier/verify.mjs');
  });

  test('has no file of a test, of a source or of this tree', () => {
    const strange = files.filter((path) => /\.(?:ts|map)$|\.test\.[cm]?js$|meta\.json$/.test(path));
    expect(strange).toEqual([]);
    const bundles = files.filter((path) => path.startsWith('packages/') && path.endsWith('.js'));
    expect(bundles.length).toBeGreaterThan(100);
    for (const path of bundles) expect(readFileSync(join(folder, path), 'utf8')).not.toContain(REPOSITORY);
  });
});
