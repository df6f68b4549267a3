import { type JsonObject, SublError, textAt } from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';
import { follow, recordJson, runJson } from '@subluminal/records';
import type { Command } from 'commander';
import { isOutsideRun } from '../gateway/outside-run.js';
import type { Call } from '../program/call.js';
import { EXIT } from '../program/exit/codes.js';
import { flag } from '../program/flags.js';
import type { Does } from '../program/verb.js';
import { withRecord } from '../record/open.js';
import { Frame } from '../top/frame.js';
import { Gathered } from '../top/gathered.js';
import { movesOf } from '../top/keys.js';
import { screenOf, type Size } from '../top/screen.js';
import type { Standing } from '../top/strip.js';
import { TopView } from '../top/view.js';

const FLAGS = { once: flag('print one screen as text, and end: for scripts and screen readers') };

/** The size of a screen that is no terminal's. */
const PRINTED: Size = { columns: 100, rows: 40 };
/** Of a terminal that does not know. */
const USUAL_COLUMNS = 80;
const REFRESH_MS = 1000;
/** The terminal is given back first. */
const ENDED_BY = ['SIGTERM', 'SIGHUP'] as const;

/**
 * `sub top`: what runs, what was refused last and how to go on, and what waits, on one screen that keeps up.
 * It changes nothing. `--json` gives the same once.
 */
export function define(command: Command, does: Does): void {
  does(command, FLAGS, async (call) => {
    const { flags, output } = call;
    const isScreen = !output.json && !flags.once;
    if (isScreen && (output.height === undefined || !process.stdin.isTTY))
      throw new SublError('usage', 'there is no terminal to draw on', {
        help: '`sub top --once` prints one screen; `sub tail` shows calls as they come',
      });
    const isOutside = await isOutsideRun(call);
    await withRecord(call.home, async (reader) => {
      const gathered = new Gathered(call, reader);
      const view = new TopView(call, { reader, gathered, isOutside });
      const standing = await gathered.standing();
      if (output.json) output.value(jsonOf(call, gathered, standing));
      else if (flags.once) output.lines(onceOf(view.shown(standing), output.width, output.paint));
      else await keepUp(call, { reader, gathered, view, standing });
    });
    return EXIT.done;
  });
}

interface Kept {
  readonly reader: LedgerReader;
  readonly gathered: Gathered;
  readonly view: TopView;
  readonly standing: Standing;
}

/** Draws whenever something has come, a key was pressed, or a second has passed. */
async function keepUp(call: Call, { reader, gathered, view, standing }: Kept): Promise<void> {
  const { home, output, session } = call;
  const frame = new Frame((text) => output.raw(text));
  let now = standing;
  let isAsking = false;
  let [goesOn, askedAt] = [true, session.now()];
  const draw = (): void => {
    const columns = Number.isFinite(output.width) ? output.width : USUAL_COLUMNS;
    const size = { columns, rows: output.height ?? PRINTED.rows };
    frame.draw(screenOf(view.shown(now), size, output.paint));
  };
  const ask = async (): Promise<void> => {
    isAsking = true;
    try {
      now = await gathered.standing();
    } finally {
      isAsking = false;
      askedAt = session.now();
    }
  };
  let failed: Error | undefined;
  // An error of a listener is thrown by the loop, so that the terminal is given back.
  const guarded = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      failed ??= error instanceof Error ? error : new Error(String(error));
    }
  };
  const onKey = (text: string): void =>
    guarded(() => {
      for (const move of movesOf(text)) {
        if (move === 'end') goesOn = false;
        else view.move(move);
      }
      draw();
    });
  const onSignal = (): void => {
    goesOn = false;
  };
  const onSize = (): void =>
    guarded(() => {
      frame.forget();
      draw();
    });
  try {
    process.stdin.setRawMode(true).setEncoding('utf8').on('data', onKey);
    process.stdout.on('resize', onSize);
    for (const signal of ENDED_BY) process.on(signal, onSignal);
    draw();
    for await (const row of follow(reader, home.ledgerDb, reader.size, () => goesOn && output.open)) {
      if (row !== null) gathered.push(row);
      else {
        if (failed !== undefined) throw failed;
        if (!isAsking && session.now() - askedAt >= REFRESH_MS) {
          gathered.lookAtRuns();
          ask().catch((error: unknown) => {
            failed = error instanceof Error ? error : new Error(String(error));
          });
        }
        draw();
      }
    }
  } finally {
    process.stdin.off('data', onKey).setRawMode(false).pause();
    process.stdout.off('resize', onSize);
    for (const signal of ENDED_BY) process.off(signal, onSignal);
    frame.close();
  }
}

/** One screen as text, as high as it needs to be. */
function onceOf(
  shown: ReturnType<TopView['shown']>,
  width: number,
  paint: Call['output']['paint'],
): readonly string[] {
  const columns = Number.isFinite(width) ? width : PRINTED.columns;
  const lines = screenOf(shown, { columns, rows: PRINTED.rows }, paint);
  return lines.slice(0, lines.slice(0, -1).findLastIndex((line) => line !== '') + 1);
}

function jsonOf({ session }: Call, gathered: Gathered, { status, entries, waiting }: Standing): JsonObject {
  return {
    running: status !== undefined,
    panicked: textAt(status ?? null, 'panicked', 'since') !== '',
    entries,
    waiting,
    runs: gathered
      .runs(session.now())
      .map(({ run, perMinute }) => ({ ...runJson(run), calls_last_minute: perMinute })),
    refused: gathered.refusals.all.map((record) => recordJson(record)),
  };
}
