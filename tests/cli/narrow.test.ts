import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { ran, type Ran } from '../harness/in-process.js';

const CALL = JSON.stringify({ server: 'shell', tool: 'run', args: { command: 'git push --force' } });

let at: TestHome;
const sub = (...args: string[]): Promise<Ran> => ran([...args, '--home', at.home], 80);

beforeAll(async () => {
  at = createHome();
  await at.startWatched();
}, 180_000);
afterAll(() => at.remove());

describe('on a terminal of 80 columns', () => {
  it.each([
    [['status']],
    [['doctor']],
    [['policy', 'init']],
    [['policy', 'explain', '--if', CALL, '--policy', 'developer-laptop']],
  ])('`sub %s` keeps to them', async (args) => {
    const { stdout, stderr } = await sub(...args);
    const wide = `${stdout}${stderr}`.split('\n').filter((line) => line.length > 80);
    expect({ wide, said: stdout.length > 0 }).toEqual({ wide: [], said: true });
  });

  it('the starter policies have their sentences in one column', async () => {
    const { stdout } = await sub('policy', 'init');
    expect(stdout).toMatch(/^ci-strict {13}for unattended agents; [^\n]*\n {22}\S/);
  });

  it('an error and its help are cut at blanks', async () => {
    const { stderr } = await sub('policy', 'init', 'a-policy-that-nobody-ships');
    expect(stderr).toContain('\nhelp: the starter policies are `ci-strict`, ');
    for (const line of stderr.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });
});
