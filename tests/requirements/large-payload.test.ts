import { SublEvent } from '@subluminal/core-types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';
import {
  call,
  INITIALIZE,
  scriptedRun,
  sha256,
  tailLines,
  type Line,
  type ScriptedRun,
} from './scripted-run.js';

const MAX_INSPECT_BYTES = 1_048_576;
const MAX_PREVIEW_BYTES = 16_384;
const LARGE = 128 * 1024 * 1024;
/** The shim alone needs about 60 MiB: one copy of the largest payload would not fit. */
const MEMORY_KIB = 160 * 1024;

/** A call of `count` whose one argument is `count` bytes long. */
const sized = (id: number, count: number): Line => ({
  id,
  before: `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"count","arguments":{"text":"`,
  fill: 'x',
  count,
  after: '"}}}',
});
const LINES = [
  ...INITIALIZE,
  call(1, 'count', '{"text":"small"}'),
  sized(2, MAX_INSPECT_BYTES + 1),
  sized(3, LARGE),
  call(4, 'large', `{"bytes":${MAX_INSPECT_BYTES + 1}}`),
  call(5, 'large', `{"bytes":${LARGE}}`),
  call(6, 'echo', `{"text":"${'ü'.repeat(20_000)}"}`),
];

/** The lines of a stream, without their ends. */
function linesOf(stream: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let from = 0; from < stream.length;) {
    const end = stream.indexOf(10, from);
    found.push(stream.subarray(from, end));
    from = end + 1;
  }
  return found;
}

let home: TestHome;
let run: ScriptedRun;
let lines: string[];
let events: SublEvent[];

beforeAll(async () => {
  home = createHome();
  expect(await runSub(['up', '--home', home.home])).toMatchObject({ code: 0 });
  run = await scriptedRun(home, { lines: LINES });
  lines = await tailLines(home);
  events = lines.map((line) => SublEvent.parse(JSON.parse(line)));
}, 120_000);
afterAll(() => home.remove());

describe('a payload over MAX_INSPECT_BYTES', () => {
  it('is forwarded to the server without a changed byte', () => {
    expect(run.input.length).toBeGreaterThan(LARGE + MAX_INSPECT_BYTES);
    expect(sha256(run.input)).toBe(run.client.sent);
    expect(run.client.answers.slice(1, 4)).toEqual(
      [5, MAX_INSPECT_BYTES + 1, LARGE].map((length) =>
        expect.objectContaining({ result: { content: [{ type: 'text', text: String(length) }] } }),
      ),
    );
  });

  it('is forwarded to the client without a changed byte', () => {
    expect(run.client.gotBytes).toBeGreaterThan(LARGE + MAX_INSPECT_BYTES);
    expect(sha256(run.output)).toBe(run.client.got);
  });

  it('has events that say truncated and show nothing of it, but its size and hashes', () => {
    const starts = events.filter((event) => event.type === 'tool_call_start').map((event) => event.call);
    expect(starts.map((one) => one.preview.truncated)).toEqual([false, true, true, false, false, true]);
    for (const one of starts.slice(1, 3)) {
      expect([undefined, '[TRUNCATED]']).toContain(one.preview.args_preview);
      expect(one.args_hash).toMatch(/^[0-9a-f]{64}$/);
    }
    expect(starts[2]?.bytes_in).toBeGreaterThan(LARGE);

    const ends = events.filter((event) => event.type === 'tool_call_end');
    expect(ends.map((event) => event.status)).toEqual(Array(6).fill('OK'));
    expect(ends.map((event) => event.preview.truncated)).toEqual([false, false, false, true, true, true]);
    for (const event of ends.slice(3, 5))
      expect([undefined, '[TRUNCATED]']).toContain(event.preview.result_preview);
    expect(ends[4]?.bytes_out).toBeGreaterThan(LARGE);
  });

  it('has events with the hash of the raw bytes of the message', () => {
    const hashes = events.flatMap((event) => {
      if (event.type === 'tool_call_start') return [event.call['args_stream_hash']];
      return event.type === 'tool_call_end' ? [event['result_stream_hash']] : [];
    });
    const [, , , asked2, asked3] = linesOf(run.input);
    const [, , , , given4, given5] = linesOf(run.output);
    expect(hashes.filter((hash) => hash !== undefined)).toEqual(
      [asked2, asked3, given4, given5].map((line) => sha256(line ?? '')),
    );
  });

  it('has a decision like any other call', () => {
    const decisions = events.filter((event) => event.type === 'tool_call_decision');
    expect(decisions.map((event) => event.decision.action)).toEqual(Array(6).fill('ALLOW'));
  });

  it('is not held in the memory of the shim, nor in any line of the record', () => {
    expect(run.client.memoryKiB).toBeGreaterThan(0);
    expect(run.client.memoryKiB).toBeLessThan(MEMORY_KIB);
    for (const line of lines) expect(line.length).toBeLessThan(65_536);
  });
});

it('a preview ends at MAX_PREVIEW_BYTES, between two characters, and says so', () => {
  const previews = events.flatMap((event) => {
    if (event.type === 'tool_call_start') return [event.call.preview.args_preview];
    return event.type === 'tool_call_end' ? [event.preview.result_preview] : [];
  });
  for (const preview of previews.slice(-2)) {
    const bytes = Buffer.byteLength(preview ?? '');
    expect(bytes).toBeGreaterThan(MAX_PREVIEW_BYTES - 100);
    expect(bytes).toBeLessThanOrEqual(MAX_PREVIEW_BYTES);
    expect(preview).toMatch(/^[{"}\w\\[\]:,ü.]+$/);
  }
});
