import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';
import { shimCommand } from '../harness/sub.js';
import { describeWith } from '../real/client.js';
import { PINS } from '../real/fetch.mjs';
import { startListening, Suite, type Outcomes } from './suite.js';

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const node = process.execPath;
const STDIO = [node, here('server/stdio.mjs')];
const long = process.env['SUB_LONG'] === '1';

describeWith(PINS.conformance, 'finds the same', ({ program }) => {
  const suite = new Suite(program);
  let home: TestHome;
  beforeAll(async () => {
    home = createHome();
    expect(await runSub(['up', '--home', home.home])).toMatchObject({ code: 0 });
  }, 180_000);
  afterAll(() => home.remove(), 60_000);

  async function outcomesAt(argv: readonly [string, ...string[]]): Promise<Outcomes> {
    const listening = await startListening(argv);
    try {
      return await suite.server(listening.url);
    } finally {
      await listening.stop();
    }
  }

  /** One process of the server for all sessions in the short form, one for each in the long one. */
  const bridged = (server: readonly string[]): Promise<Outcomes> =>
    outcomesAt([node, here('server/bridge.mjs'), ...(long ? [] : ['--shared']), ...server]);

  it('of a server over stdio with and without the shim, and nothing that fails', async () => {
    const direct = await bridged(STDIO);
    const shimmed = await bridged(shimCommand(home.home, 'conformance', STDIO));
    expect(Object.keys(direct)).toHaveLength(32);
    expect(JSON.stringify(direct)).not.toContain('FAILURE');
    expect(shimmed).toEqual(direct);
    const query = await runSub(['query', '--home', home.home, '--limit', '500', '--json']);
    expect(query.stdout.trim().split('\n').length).toBeGreaterThan(15);
  });
});
