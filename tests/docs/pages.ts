import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The root of this repository. */
export const ROOT = new URL('../../', import.meta.url);

/** The files of the repository that git knows or would add, as paths from the root. */
export function repositoryFiles(...patterns: readonly string[]): readonly string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '--', ...patterns];
  const cwd = fileURLToPath(ROOT);
  const deleted = execFileSync('git', ['ls-files', '--deleted'], { cwd, encoding: 'utf8' }).split('\n');
  const listed = execFileSync('git', args, { cwd, encoding: 'utf8' }).split('\n');
  return listed.filter((path) => path !== '' && !deleted.includes(path));
}

export function textOf(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8');
}

/** The headings of a page, without their marks. */
export function headingsOf(page: string): readonly string[] {
  return [...withoutCode(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading.trim());
}

/** A page without its blocks of code. */
export function withoutCode(page: string): string {
  return page.replaceAll(/^\s*```[^]*?^\s*```$/gm, '');
}

/** The name that GitHub gives a heading in links. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

/** A block of code of a page: the word beside its fence, and its lines. */
export interface Block {
  readonly language: string;
  readonly lines: readonly string[];
}

/** The blocks of code of a page that are fenced at the left edge. */
export function blocksOf(page: string): readonly Block[] {
  return [...page.matchAll(/^```(.*)\n([^]*?)^```$/gm)].map(([, language = '', text = '']) => ({
    language,
    lines: text.split('\n').slice(0, -1),
  }));
}

/** The command lines of `sub` and of the repository in the blocks of a page, without their remarks. */
export function linesToType(page: string): readonly string[] {
  return blocksOf(page)
    .filter(({ language }) => ['', 'sh', 'console'].includes(language))
    .flatMap(({ lines }) => lines.map((line) => line.replace(/^\s*(?:\$ )?/, '').replace(/\s+#.*$/, '')))
    .filter((line) => /^(?:sub|npm|npx|node) /.test(line));
}
