/**
 * Writes scripts/prose/exempt.txt: the files with sentences that the rule `prose/subject-first` refuses.
 * Files may move, but the list never grows. Usage: node scripts/prose/exempt.mjs [--print]
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import { SOURCE } from '../boundary/table.mjs';
import { relativeBeginnings } from './comments.mjs';

const root = new URL('../../', import.meta.url);
const list = new URL('exempt.txt', import.meta.url);
const IGNORED = /^vectors\/|(?:^|\/)(?:dist|node_modules|coverage)\//;

/** @param {string} file @returns {boolean} */
function isToMend(file) {
  const source = readFileSync(new URL(file, root), 'utf8');
  return relativeBeginnings(source, parseSync(file, source).comments).length > 0;
}

const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate'];
const files = execFileSync('git', args, { cwd: fileURLToPath(root), encoding: 'utf8' }).split('\n');
const deleted = new Set(
  execFileSync('git', ['ls-files', '--deleted'], { cwd: fileURLToPath(root), encoding: 'utf8' }).split('\n'),
);
const found = files.filter(
  (file) => SOURCE.test(file) && !IGNORED.test(file) && !deleted.has(file) && isToMend(file),
);
const text = found
  .toSorted()
  .map((file) => `${file}\n`)
  .join('');
if (process.argv.includes('--print')) {
  process.stdout.write(text);
  process.exit(0);
}
const before = readFileSync(list, 'utf8').split('\n').filter(Boolean);
if (found.length > before.length) {
  const added = found.filter((file) => !before.includes(file));
  console.error(`error: the list of exempt files only shrinks; mend ${added.join(', ')}`);
  process.exit(1);
}
writeFileSync(
  list,
  found
    .toSorted()
    .map((file) => `${file}\n`)
    .join(''),
);
console.log(`${found.length} files are exempt, ${before.length - found.length} fewer than before`);
