import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { SublError } from '@subluminal/core-types';
import { whyOf } from '../../output/system-error.js';

const CASES = /\.test\.ya?ml$/;
/** How deep folders are looked into, and how many files are taken. */
const MAX_FILES = 1000;

/**
 * The files of cases that an operand names: itself, the one beside a policy, or all below a folder. Throws
 * `failed`.
 */
export function caseFilesOf(operand: string): readonly string[] {
  let isFolder: boolean;
  try {
    isFolder = statSync(operand).isDirectory();
  } catch (cause) {
    throw new SublError('failed', `\`${operand}\` cannot be read: ${whyOf(cause)}`, {
      cause,
      help: 'name a policy, its `.test.yaml` file, or a folder of them',
    });
  }
  if (isFolder) return inFolder(operand);
  if (CASES.test(operand)) return [operand];
  const stem = basename(operand, extname(operand));
  const beside = ['.test.yaml', '.test.yml'].map((ending) => join(dirname(operand), `${stem}${ending}`));
  const found = beside.find((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
  if (found !== undefined) return [found];
  throw new SublError('failed', `\`${operand}\` has no tests`, {
    help: `write them into \`${beside[0] ?? ''}\``,
  });
}

function inFolder(folder: string): readonly string[] {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && CASES.test(entry.name) && !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted((a, b) => (a < b ? -1 : 1));
  if (found.length > 0 && found.length <= MAX_FILES) return found;
  const what = found.length === 0 ? 'no' : 'too many';
  throw new SublError('failed', `there are ${what} tests below \`${folder}\``, {
    help: 'name a folder with files that end in `.test.yaml`',
  });
}

/** The policy that a file of cases is about: the one that it names, else the one beside it. */
export function policyOf(caseFile: string, named: string | null): string {
  if (named !== null) return resolve(dirname(caseFile), named);
  const stem = caseFile.replace(CASES, '');
  const beside = ['.yaml', '.yml', '.json'].map((ending) => `${stem}${ending}`);
  return (
    beside.find((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true) ?? `${stem}.yaml`
  );
}
