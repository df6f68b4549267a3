import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { anchorOf, headingsOf, repositoryFiles, ROOT, textOf, withoutCode } from './pages.js';

const PAGES = repositoryFiles('*.md');

it.each(PAGES)('the links of %s lead to files and headings that exist', (page) => {
  const links = [...withoutCode(textOf(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const broken = links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [file = '', anchor] = link.split('#');
    const path = file === '' ? page : new URL(file, new URL(page, ROOT)).pathname.slice(ROOT.pathname.length);
    if (!existsSync(new URL(path, ROOT))) return true;
    return anchor !== undefined && !headingsOf(textOf(path)).some((heading) => anchorOf(heading) === anchor);
  });
  expect(broken).toEqual([]);
});

it('each file on the road of a call is where packages/README.md says', () => {
  const named = [...textOf('packages/README.md').matchAll(/`([a-z]+\/src\/[^`]+)`/g)].map(
    ([, path = '']) => path,
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(new URL(`packages/${path}`, ROOT)))).toEqual([]);
});

it('each section of a page that a comment or page names exists', () => {
  const missing = repositoryFiles('*.ts', '*.mjs', '*.md').flatMap((path) => {
    const text = textOf(path).replaceAll(/\n\s*(?:\*|\/\/)\s*/g, ' ');
    const named = text.matchAll(/\b((?:docs\/)?[A-Za-z]+\.md), ("[^"\n]+"(?:(?:,| and) "[^"\n]+")*)/g);
    return [...named].flatMap(([, page = '', sections = '']) => {
      const known = existsSync(new URL(page, ROOT)) ? headingsOf(textOf(page)) : [];
      const names = [...sections.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name);
      return names.filter((name) => !known.includes(name)).map((name) => `${path}: ${page}, "${name}"`);
    });
  });
  expect(missing).toEqual([]);
});

it('the readme, the architecture and the docs stay short', () => {
  const bytes = (path: string): number => Buffer.byteLength(textOf(path));
  expect(textOf('README.md').split('\n').length - 1).toBeLessThanOrEqual(120);
  expect(bytes('ARCHITECTURE.md')).toBeLessThanOrEqual(15_360);
  // The page came with a page of its own, of 3,900 bytes.
  const docs = repositoryFiles('docs/*.md').filter((path) => !path.startsWith('docs/decisions/'));
  expect(docs.reduce((sum, path) => sum + bytes(path), 0)).toBeLessThanOrEqual(139_264 + 3900);
});
