import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { handShim, ingest, POLICY, beginBody, endBody, headBody, keyOf, spoolOf } from '../away/peer.js';
import { openLedgerReader } from '@subluminal/ledger';
import { after, start, toolCall } from '../gateway/harness.js';
import { watchEachTest } from '../support/watch.js';

watchEachTest();

describe('the beginning of a spool whose shim lives', () => {
  it('that lies under the name of a dead process takes the place of nothing', async () => {
    const world = await start({ policy: POLICY });
    const shim = await handShim(world);
    const pushed = shim.snapshot();
    const reads = Array.from({ length: 4 }, () => beginBody(pushed));
    const bodies = reads.flatMap((read) => [read, endBody(pushed, read.call_id)]);
    const whole = spoolOf(keyOf(shim, pushed), [headBody(pushed), ...bodies]);
    const folder = join(world.paths.awayDir, shim.runId);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const copied = whole.text.split('\n').slice(0, 3).join('\n');
    writeFileSync(join(folder, `${pushed.head.id}.4194303-1`), `${copied}\n`, { mode: 0o600 });
    await world.restart();
    expect(readdirSync(folder)).toEqual([]);
    const answer = await shim.back(whole);
    expect(answer).toMatchObject({ status: 'success', data: { outcome: 'ingested', calls: 4 } });
    const found = world.rows('spool_ingested').map(({ code, data }) => [code, data['reason']]);
    expect(found).toEqual([
      ['rejected', 'other_owner'],
      ['success', undefined],
    ]);
  });
});

describe('the beginning of a spool that somebody with the key of its run has copied', () => {
  it.each([false, true])('and brought first leaves the rest to its shim (at once: %s)', async (atOnce) => {
    const world = await start({ policy: POLICY });
    const shim = await handShim(world);
    const thief = await handShim(world, shim);
    const pushed = shim.snapshot();
    const reads = Array.from({ length: 4 }, () => beginBody(pushed));
    const bodies = reads.flatMap((read) => [read, endBody(pushed, read.call_id)]);
    const key = keyOf(shim, pushed);
    const whole = spoolOf(key, [headBody(pushed), ...bodies]);
    const first = ingest(thief, spoolOf(key, [headBody(pushed), ...bodies.slice(0, 2)]));
    if (!atOnce) expect(await first).toMatchObject({ status: 'success', data: { calls: 1 } });
    expect(await ingest(shim, whole)).toMatchObject({ status: 'success', data: { calls: 3 } });
    expect(await ingest(shim, whole)).toMatchObject({ status: 'error', data: { outcome: 'replayed' } });
    expect(world.rows('tool_call_end')).toHaveLength(4);
    const left = Array.from({ length: 3 }, () => toolCall({ server_name: 'files' }));
    const answers = [];
    for (const call of left) answers.push((await shim.client.request('tool.call.begin', call)).status);
    expect(answers).toEqual(['success', 'error', 'error']);
    await world.gateway.stop('test');
    expect(await world.verify()).toBe('ok');
  });
});

describe('a spool', () => {
  it('leaves no preview in a ledger that keeps none', async () => {
    const world = await start({ policy: POLICY, config: '[inspect]\nmax_preview_bytes = 0\n' });
    const shim = await handShim(world);
    const pushed = shim.snapshot();
    const read = beginBody(pushed, {
      preview: { args_preview: 'what was asked', redactions: 0, truncated: false },
    });
    const end = endBody(pushed, read.call_id, {
      preview: { truncated: false, result_preview: 'what was said' },
    });
    await shim.back(spoolOf(keyOf(shim, pushed), [headBody(pushed), read, end]));
    expect(world.rows('tool_call_end')).toHaveLength(1);
    const reader = openLedgerReader(world.paths.ledgerDb);
    after(() => reader.close());
    const texts = world
      .rows()
      .flatMap(({ seq, blobs }) => Object.keys(blobs).map((slot) => reader.blob(seq, slot)));
    expect(texts.filter((text) => text?.includes('what was'))).toEqual([]);
  });
});

describe('a text that is no spool', () => {
  it.each(['', '{', '{"body":', '{"body":{},"mac":"","n":0,"prev":""}'])(
    'of lines as `%s` is refused at once',
    async (content) => {
      const line = `${content}\n`;
      const world = await start({ policy: POLICY });
      const run = await world.run();
      const text = line.repeat(524_288 / line.length);
      const answer = await run.client.request('spool.ingest', {
        shim_id: 's',
        server_name: 'fs',
        spool: { text, lines: 1, calls: 0, last: '0'.repeat(64) },
      });
      expect(answer.error?.code).toBe('invalid_request');
    },
  );
});
