// npm test: install and build what is missing, run the tests but those of tests/slow.json, end with a plain
// count. `--all` runs those too; `--long` all in their long form, and if they passed the mutation test. Other
// arguments go to vitest, and the files that they name run, slow or not.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildTree } from './build.mjs';
import { run } from './build/command.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/**
 * @typedef {object} TestFile
 * @property {string} name
 * @property {string} status
 * @property {number} startTime
 * @property {number} endTime
 * @property {unknown[]} assertionResults
 */

/** A file of more seconds belongs in tests/slow.json. */
const SLOW_FROM_S = 20;
const args = process.argv.slice(2);
const long = args.includes('--long');
const passedOn = args.filter((arg) => arg !== '--long' && arg !== '--all');
process.exitCode = await test(long || args.includes('--all') || passedOn.length > 0);

/** @param {boolean} all @returns {Promise<number>} */
async function test(all) {
  if (!(await buildTree(root, { force: false }))) return 1;
  const scratch = mkdtempSync(join(tmpdir(), 'sub-test-'));
  try {
    const report = join(scratch, 'report.json');
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const code = await run(
      process.execPath,
      [vitest, 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...passedOn],
      {
        cwd: root,
        env: {
          ...process.env,
          SUB_BUILT: '1',
          ...(long ? { SUB_LONG: '1' } : {}),
          ...(all ? {} : { SUB_SLOW: 'no' }),
        },
      },
    );
    const { counts, files } = readReport(report);
    tellOfSlow(files, all);
    // An error outside any test (a worker that died) fails the run without failing a test.
    if (code !== 0 && counts.failed === 0) counts.failed = 1;
    const isWhole = long && passedOn.length === 0 && code === 0 && counts.failed === 0;
    const mutated = isWhole
      ? await run(process.execPath, [join(root, 'tests/mutation/main.mjs')], { cwd: root })
      : 0;
    process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
    if (counts.passed === 0) return 1;
    return counts.failed > 0 ? 1 : code || mutated;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * A file that could not even be loaded has no tests in the report, and counts as one failure.
 * @param {string} report
 */
function readReport(report) {
  const result = JSON.parse(readFileSync(report, 'utf8'));
  /** @type {TestFile[]} */
  const files = result.testResults;
  const unloaded = files.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
  const counts = {
    passed: result.numPassedTests,
    failed: result.numFailedTests + unloaded.length,
    skipped: result.numPendingTests + result.numTodoTests,
  };
  return { counts, files };
}

/** @param {{ name: string, startTime: number, endTime: number }[]} files @param {boolean} all */
function tellOfSlow(files, all) {
  const slow = new Set(JSON.parse(readFileSync(join(root, 'tests/slow.json'), 'utf8')));
  for (const { name, startTime, endTime } of files) {
    const seconds = Math.round((endTime - startTime) / 1000);
    const path = relative(root, name);
    if (seconds <= SLOW_FROM_S || slow.has(path)) continue;
    process.stdout.write(`${path} took ${seconds} s and is not in tests/slow.json\n`);
  }
  if (!all) process.stdout.write(`left out: the ${slow.size} files of tests/slow.json (npm run test:all)\n`);
}
