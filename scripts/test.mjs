// npm test: install and build what is missing, run every test, end with a plain count. `--long` runs the long
// ones too, and where all of them passed the mutation test; all other arguments go to vitest, and leave that
// one out.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildTree } from './build.mjs';
import { run } from './build/command.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const args = process.argv.slice(2);
process.exitCode = await test(
  args.filter((arg) => arg !== '--long'),
  args.includes('--long'),
);

/** @param {string[]} passedOn @param {boolean} long @returns {Promise<number>} */
async function test(passedOn, long) {
  if (!(await buildTree(root, { force: false }))) return 1;
  const scratch = mkdtempSync(join(tmpdir(), 'sub-test-'));
  try {
    const report = join(scratch, 'report.json');
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const code = await run(
      process.execPath,
      [vitest, 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...passedOn],
      { cwd: root, env: { ...process.env, SUB_BUILT: '1', ...(long ? { SUB_LONG: '1' } : {}) } },
    );
    const counts = countsOf(report);
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
function countsOf(report) {
  const result = JSON.parse(readFileSync(report, 'utf8'));
  const unloaded = result.testResults.filter(
    (/** @type {{ status: string, assertionResults: unknown[] }} */ file) =>
      file.status === 'failed' && file.assertionResults.length === 0,
  ).length;
  return {
    passed: result.numPassedTests,
    failed: result.numFailedTests + unloaded,
    skipped: result.numPendingTests + result.numTodoTests,
  };
}
