import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { processesWith } from '../harness/processes.js';
import { finished } from '../harness/sub.js';

const script = fileURLToPath(new URL('../../scripts/quickstart.mjs', import.meta.url));

const leftovers = () => readdirSync(tmpdir()).filter((name) => name.startsWith('sub-quickstart-'));

it('the quickstart shows an allowed and a refused call, a proof, and a tampered copy, and leaves nothing behind', async () => {
  const before = leftovers();
  const mark = `QUICKSTART_TEST=${process.pid}`;
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, QUICKSTART_TEST: String(process.pid) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { code, stdout, stderr } = await finished(child, 110_000);
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('3 calls, 1 refused') });
  expect(stdout).toContain('agent: read_text_file: "what the agent may read');
  expect(stdout).toContain('agent: write_file: refused (BLOCK, rule no-writes): this agent may read files');
  expect(stdout).toMatch(/tail: {2}\d\d:\d\d:\d\d .* refused +filesystem\.write_file/);
  expect(stdout).toMatch(/\nok: every entry re-hashes/);
  expect(stdout).toMatch(/\ntampered: first bad entry \d+, class hash/);
  expect(processesWith(mark)).toEqual([]);
  expect(processesWith('sub-quickstart-')).toEqual([]);
  expect(leftovers()).toEqual(before);
}, 120_000);
