import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The faults that axe finds on a page as it stands, by rule and element: WCAG 2.2 A and AA. */
export async function faultsOf(page: Page): Promise<readonly string[]> {
  // By the debugger: the page's own policy refuses every script but its own.
  await page.evaluate(SOURCE);
  return page.evaluate(async () => {
    const axe = Reflect.get(window, 'axe') as {
      run(options: object): Promise<{
        violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
      }>;
    };
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const { violations } = await axe.run({ runOnly: { type: 'tag', values: tags } });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary.slice(0, 200)}`),
    );
  });
}
