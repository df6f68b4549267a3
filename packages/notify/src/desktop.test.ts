import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findDesktop } from './desktop.js';
import { DesktopNotices } from './desktop-notices.js';
import type { Notice } from './message.js';
import { type ProgramEnd, startProgram } from './program.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sub-desktop-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A machine with these files in its one folder of programs. */
function machine(platform: string, ...files: readonly string[]): ReturnType<typeof findDesktop> {
  for (const name of files) writeFileSync(join(folder, name), '#!/bin/sh\n', { mode: 0o700 });
  return findDesktop({ platform, folders: [join(folder, 'none'), folder], bus: join(folder, 'bus') });
}

const asked = (client: string, summary = 'pushes are asked about: git push'): Notice => ({
  event: 'approval_requested',
  id: 'q',
  action: 'claude:builtin.Bash',
  client,
  destination: undefined,
  summary,
  expiresAtMs: 0,
});
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

describe('a desktop', () => {
  const HOSTILE = {
    title: 'An agent asks: fs.\u001b[2Jx',
    body: `-e <b>"$(id)"\`id\`</b> \\033 & \u202e ghp_${'a1B2'.repeat(9)}`,
  };

  it('on Linux reads words as words, without a shell, markup, escapes and credentials', () => {
    const { argv = [], input } = machine('linux', 'bus', 'notify-send')?.(HOSTILE) ?? {};
    expect(argv.slice(0, 4)).toEqual([
      join(folder, 'notify-send'),
      '--app-name=sub',
      '--',
      'An agent asks: fs.\ufffd[2Jx',
    ]);
    expect(argv[4]).toMatch(/^-e &lt;b&gt;"\$\(id\)"`id`&lt;\/b&gt; \\\\033 &amp; \ufffd (?!ghp_)/);
    expect([argv.length, input]).toEqual([5, '']);
  });

  it('on macOS gets the words as arguments of a script that is the same for all', () => {
    const { argv = [], input } = machine('darwin', 'osascript')?.(HOSTILE) ?? {};
    expect(argv.slice(1, -2)).toEqual([
      '-e',
      'on run argv',
      '-e',
      'display notification (item 2 of argv) with title (item 1 of argv)',
      '-e',
      'end run',
    ]);
    expect(argv.at(-1)).toMatch(/^-e <b>"\$\(id\)"`id`<\/b> \\033 & \ufffd (?!ghp_)/);
    expect(input).toBe('');
  });

  it('on Windows reads the words from a pipe', () => {
    const shows = machine('win32', 'powershell.exe');
    const { argv = [], input = '' } = shows?.(HOSTILE) ?? {};
    expect(argv).toEqual(shows?.({ title: 'a', body: 'b' }).argv);
    expect(JSON.parse(input)).toMatchObject({ title: 'An agent asks: fs.\ufffd[2Jx' });
  });

  it.each([
    ['without a bus of the session', 'linux', ['notify-send']],
    ['without a program', 'linux', ['bus']],
    ['without a program', 'darwin', []],
    ['without a program', 'win32', []],
  ] as const)('%s on %s is none', (_without, platform, files) => {
    expect(machine(platform, ...files)).toBeUndefined();
  });
});

describe('questions on a desktop', () => {
  /** The messages that were shown; each program runs until its end is called. */
  function shown(desktop = true) {
    const messages: string[] = [];
    const ends: ((end: ProgramEnd) => void)[] = [];
    const killed: number[] = [];
    const notices = new DesktopNotices({
      desktop: () =>
        desktop ? ({ title, body }) => ({ argv: [`${title} | ${body}`], input: '' }) : undefined,
      start: ([message = '']) => {
        if (message.includes('fails')) throw new Error('it cannot be started');
        messages.push(message);
        const at = messages.length;
        const ended = new Promise<ProgramEnd>((resolve) => ends.push(resolve));
        return { ended, kill: () => void killed.push(at) };
      },
      log: silent,
    });
    return { notices, messages, ends, killed };
  }
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('of one run are one message in ten seconds, and of two runs two', () => {
    const { notices, messages } = shown();
    notices.tell(asked('run-1'));
    notices.tell(asked('run-1', 'second'));
    notices.tell(asked('run-1', 'third'));
    notices.tell(asked('run-2', 'of another run'));
    expect(messages).toEqual([
      'An agent asks: claude:builtin.Bash | pushes are asked about: git push',
      'An agent asks: claude:builtin.Bash | of another run',
    ]);
    vi.advanceTimersByTime(9999);
    expect(messages).toHaveLength(2);
  });

  it('in between are told together, and each once', async () => {
    const { notices, messages, ends } = shown();
    for (const summary of ['first', 'second', 'third']) notices.tell(asked('run-1', summary));
    ends[0]?.({ ok: true, why: '' });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(messages.slice(1)).toEqual(['An agent asks (and 1 more): claude:builtin.Bash | third']);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(messages).toHaveLength(2);
    notices.tell(asked('run-1', 'fourth'));
    expect(messages).toHaveLength(3);
  });

  it('are not shown by more than two programs at once, and wait for one of them to end', async () => {
    const { notices, messages, ends } = shown();
    for (const run of ['a', 'b', 'c']) notices.tell(asked(run));
    expect(messages).toHaveLength(2);
    ends[0]?.({ ok: false, why: 'it failed' });
    await vi.advanceTimersByTimeAsync(9999);
    notices.tell(asked('d'));
    expect(messages).toHaveLength(3);
    ends[1]?.({ ok: true, why: '' });
    await vi.advanceTimersByTimeAsync(1);
    expect(messages).toHaveLength(4);
  });

  it('that cannot be shown disturb nobody', () => {
    const { notices } = shown();
    expect(() => notices.tell(asked('run-1', 'fails'))).not.toThrow();
    const { notices: headless, messages } = shown(false);
    headless.tell(asked('run-1'));
    expect(messages).toEqual([]);
  });

  it('end with the gateway', () => {
    const { notices, messages, killed } = shown();
    notices.tell(asked('run-1'));
    notices.tell(asked('run-1'));
    notices.stop();
    vi.advanceTimersByTime(60_000);
    notices.tell(asked('run-2'));
    expect([messages.length, killed]).toEqual([1, [1]]);
  });
});

it('a program that hangs is ended', async () => {
  const show = machine('linux', 'bus', 'notify-send');
  writeFileSync(join(folder, 'notify-send'), `#!/bin/sh\necho "$@" > ${folder}/said\nexec sleep 30\n`);
  chmodSync(join(folder, 'notify-send'), 0o700);
  const { argv = [], input = '' } = show?.({ title: 'a', body: 'b c' }) ?? {};
  expect(await startProgram(argv, input, 1000).ended).toMatchObject({ ok: false });
  expect(existsSync(join(folder, 'said'))).toBe(true);
  expect(readFileSync(join(folder, 'said'), 'utf8')).toBe('--app-name=sub -- a b c\n');
});
