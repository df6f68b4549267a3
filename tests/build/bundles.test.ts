import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

interface Meta {
  readonly outputs: Readonly<
    Record<
      string,
      {
        readonly entryPoint?: string;
        readonly imports: readonly { readonly path: string; readonly kind: string }[];
        readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>;
      }
    >
  >;
}

/** The packages that are loaded with an entry, before anything is imported dynamically. */
function loadedWith(bundle: string, entry: string): readonly string[] {
  const meta: Meta = JSON.parse(readFileSync(join(REPOSITORY, bundle, 'meta.json'), 'utf8'));
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path) || meta.outputs[path] === undefined) return;
    seen.add(path);
    for (const one of meta.outputs[path].imports) if (one.kind === 'import-statement') visit(one.path);
  };
  const first = Object.entries(meta.outputs).find(([, { entryPoint }]) => entryPoint === entry)?.[0];
  visit(first ?? expect.fail(`${entry} is no entry of ${bundle}`));
  const inputs = [...seen].flatMap((path) => Object.entries(meta.outputs[path]?.inputs ?? {}));
  const kept = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
  return [...new Set(kept.map((path) => /(?:node_modules|packages)\/([^/]+)/.exec(path)?.[1] ?? path))];
}

describe('what is loaded', () => {
  test('a verb loads what it needs, and nothing that only others need', () => {
    const bundle = 'packages/cli/dist/bundle';
    const main = loadedWith(bundle, 'packages/cli/dist/main.js');
    expect(main).toContain('commander');
    for (const name of ['zod', 'yaml', 're2js', 'ledger', 'policy']) expect(main).not.toContain(name);
    const status = loadedWith(bundle, 'packages/cli/dist/verbs/status.js');
    expect(status).toContain('ipc');
    for (const name of ['zod', 'yaml', 're2js', 'ledger', 'policy']) expect(status).not.toContain(name);
    expect(loadedWith(bundle, 'packages/cli/dist/verbs/tail.js')).toContain('ledger');
  });

  test('no script that a start loads has a character that makes V8 keep all of it in two bytes each', () => {
    for (const bundle of ['cli/dist/bundle', 'cli/dist/shim-bundle', 'daemon/dist/bundle']) {
      const folder = join(REPOSITORY, 'packages', bundle);
      const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'));
      const wide = scripts.filter((name) => /[^\0-\x7f]/.test(readFileSync(join(folder, name), 'utf8')));
      expect(wide).toEqual([]);
    }
  });

  test('the gateway starts without the HTTP client, which its first request brings', () => {
    const bundle = 'packages/daemon/dist/bundle';
    const gateway = loadedWith(bundle, 'packages/daemon/dist/main.js');
    expect(gateway).toContain('pino');
    expect(gateway).not.toContain('undici');
  });

  test('the HTTP client of the bundle is what the gateway takes it for', () => {
    const folder = join(REPOSITORY, 'packages/daemon/dist/bundle');
    const file = (name: string): string =>
      join(
        folder,
        readdirSync(folder).find((one) => one.startsWith(`${name}-`) && one.endsWith('.js')) ?? '',
      );
    const code = `const { default: errors } = await import('${file('errors')}');
      const { default: dispatcher } = await import('${file('dispatcher')}');
      const { default: request } = await import('${file('api-request')}');
      const { default: Client } = await import('${file('client')}');
      dispatcher.prototype.request = request;
      const client = new Client('http://127.0.0.1:9');
      const failed = await client.request({ path: '/', method: 'GET' }).catch((error) => error.code);
      await client.destroy();
      console.log(failed, new errors.HTTPParserError('broken').name, new errors.HeadersOverflowError().name);`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      encoding: 'utf8',
    });
    expect({ stdout, stderr }).toEqual({
      stdout: 'ECONNREFUSED HTTPParserError HeadersOverflowError\n',
      stderr: '',
    });
  });
});

describe('imports past an index', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'sub-bundles-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }

  /** Bundles `packages/one` and runs what came of it. */
  function bundleAndRun(): {
    readonly status: number | null;
    readonly stdout: string;
    readonly stderr: string;
  } {
    const code = `import { build } from '${join(REPOSITORY, 'node_modules/esbuild/lib/main.js')}';
      import { pastIndex } from '${join(REPOSITORY, 'scripts/build/past-index.mjs')}';
      const root = ${JSON.stringify(root)};
      await build({ absWorkingDir: root, entryPoints: ['packages/one/dist/index.js'], outfile: 'out.mjs', bundle: true,
        format: 'esm', logLevel: 'silent', plugins: [pastIndex(root)] });
      await import(root + '/out.mjs');`;
    return spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  }

  test('take a name, also under another one, from the file that has it, and load no other file', () => {
    write('packages/two/dist/index.js', `export { a, b, } from './ab.js';\nexport { c } from './c.js';\n`);
    write('packages/two/dist/ab.js', `export const a = 'a', b = 'b';\n`);
    write('packages/two/dist/c.js', `console.log('c was loaded'); export const c = 'c';\n`);
    write(
      'packages/one/dist/index.js',
      `import { a, b as other } from '@subluminal/two';\nconsole.log(a + other);\n`,
    );
    expect(bundleAndRun()).toMatchObject({ stdout: 'ab\n', stderr: '', status: 0 });
  });

  test('fail where the index does not have the name, or is not one', () => {
    write('packages/two/dist/index.js', `export { a } from './a.js';\n`);
    write('packages/one/dist/index.js', `import { b } from '@subluminal/two';\nconsole.log(b);\n`);
    expect(bundleAndRun()).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('@subluminal/two does not export b'),
    });
    write('packages/two/dist/index.js', `export * from './a.js';\n`);
    expect(bundleAndRun()).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('is not an export by name'),
    });
  });
});
