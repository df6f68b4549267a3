import { readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { eventually } from '../harness/processes.js';
import { type Ended, Stage, USERS, whyNoWorlds } from './kit/stage.js';

vi.setConfig({ hookTimeout: 120_000, testTimeout: 120_000 });

const why = whyNoWorlds();
const absent = why === undefined ? '' : ` (not here: ${why})`;

describe.skipIf(why !== undefined)(`a world whose gateway ends${absent}`, () => {
  describe.each(USERS)('that is started by %s', (_, uid) => {
    let server: Server;
    let port: number;
    let hits = 0;
    let stage: Stage;

    const exec = (script: string): Promise<Ended> => stage.sub('world', 'exec', '--', '/bin/sh', '-c', script);
    const worlds = async (): Promise<readonly string[]> => {
      const { stdout } = await stage.sub('world', 'status', '--json');
      const { worlds: open } = JSON.parse(stdout) as { worlds: { world_id: string }[] };
      return open.map(({ world_id }) => world_id);
    };
    const start = (): Promise<void> => stage.start({ 'a.test': [{ port }], 'b.test': [{ port }] });

    beforeAll(async () => {
      server = createServer((_request, answer) => {
        hits += 1;
        answer.end('reached');
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const at = server.address();
      port = typeof at === 'object' && at !== null ? at.port : 0;
      stage = new Stage(uid);
      await start();
    });
    afterAll(async () => {
      await stage.sub('world', 'close', '--all');
      await stage.remove();
      server.close();
    });

    const curl = (): string => `curl -sS -m 5 http://a.test:${port}/`;

    it.each([
      ['is killed', () => stage.killGateway()],
      ['is stopped', () => stage.stopGateway()],
    ])('goes on with the next one: the gateway %s', async (_how, end) => {
      await exec(`${curl()}; (while :; do ${curl()} >> /tmp/seen 2>&1; echo >> /tmp/seen; sleep 0.1; done) > /dev/null 2>&1 &`);
      const [before] = await worlds();
      await end();
      const seen = hits;
      await start();
      await eventually('its programs reach the network again', () => hits > seen + 1);
      expect(await worlds()).toEqual([before]);
      const begun = stage.rows().filter(({ type, data }) => type === 'world_begin' && data['world_id'] === before);
      expect(begun.at(-1)?.data).toMatchObject({ resumed: begun.length - 1, network: 'full' });
      expect((await exec(curl())).stdout).toBe('reached');
      await exec('kill $(pgrep -f "while :")');
    });
  });
});
