import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = join(ROOT, 'node_modules/.cache/subluminal-tests');

/**
 * The thread that writes the ledgers of tests, and those that a gateway looks for beside itself: tests start
 * them again and again.
 */
const ENTRIES = {
  'ledger-writer': 'tests/faults/kit/ledger-writer.mjs',
  'shim-main': 'tests/support/shim-main.mjs',
  'asking-client': 'tests/support/asking-client.mjs',
  'agents-agent': 'tests/agents/fixtures/agent.mjs',
  'ci-server': 'tests/ci/fixtures/server.mjs',
  'modern-server': 'tests/transparency/fixtures/modern-server.mjs',
  'mail-gateway': 'tests/mail/fixtures/gateway.mjs',
  'other-gateway': 'tests/gateway/fixtures/other-gateway.mjs',
  'world-gateway': 'tests/worlds/kit/serve.mjs',
  'ui-reader': 'packages/ui/dist/reader/ui-reader.js',
  'writer-thread': 'tests/support/writer-thread.mjs',
  'worker-main': 'packages/ledger/dist/writer/worker-main.js',
} as const;

/** Where a program of the tests stands once `setup` is done. */
export function programOf(name: keyof typeof ENTRIES): string {
  return join(FOLDER, `${name}.js`);
}

/** A file of the packages finds its neighbours, as programs in perl, where they stand. */
const fromTheirPlaces: Plugin = {
  name: 'from-their-places',
  setup(made) {
    made.onLoad({ filter: /\/packages\/[a-z-]+\/dist\/.*\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('fileURLToPath(new URL(')) return undefined;
      return { contents: text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)) };
    });
  },
};

/**
 * Once a test run: makes one file of each program and of what it takes from the packages, as they are
 * shipped. Unbundled each start of one would load three hundred files, which costs four times as much.
 */
export async function setup(): Promise<void> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: { ...ENTRIES },
    outdir: FOLDER,
    write: false,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    external: ['better-sqlite3', 'better-sqlite3-12'],
    plugins: [fromTheirPlaces],
    // CommonJS packages ask for built-ins in their own way.
    banner: {
      js: `import { createRequire as requireHere } from 'node:module'; const require = requireHere(import.meta.url);`,
    },
    logLevel: 'warning',
  });
  mkdirSync(FOLDER, { recursive: true });
  // Another run of the same tree may be using them.
  const put = (file: string, content: string | Uint8Array): void => {
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, content);
    renameSync(draft, file);
  };
  put(join(FOLDER, 'package.json'), '{"type":"module"}\n');
  for (const { path, contents } of outputFiles) put(join(FOLDER, basename(path)), contents);
}
