import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  isSublError,
  numberAt,
  SublError,
  textAt,
  type ErrorCode,
  type JsonValue,
} from '@subluminal/core-types';
import { startUnderLock, withStartLock } from '@subluminal/shim';
import type { Command } from 'commander';
import { EXIT } from '../program/exit/codes.js';
import { readSettings } from '../home/settings.js';
import { configDifference } from '../gateway/config-text.js';
import { askOperator } from '../gateway/door.js';
import { runForeground } from '../gateway/foreground.js';
import { assertOutsideRun, isOutsideRun } from '../gateway/outside-run.js';
import { replaceGateway, type Replaced } from '../gateway/replace.js';
import { ensureGateway } from '../gateway/start.js';
import { mayEndWorlds } from '../gateway/worlds-at-stake.js';
import { versionText } from '../gateway/version-text.js';
import { createHome } from '../home/create.js';
import { isLauncherOurs, keepLauncher } from '../home/launcher.js';
import { setRecordAside } from '../home/set-aside.js';
import { YES } from '../output/ask.js';
import { escapeText } from '../output/escape.js';
import { noteNext } from '../next/note-next.js';
import { wrapped } from '../output/table.js';
import type { Call } from '../program/call.js';
import { flag, type Values } from '../program/flags.js';
import type { Does } from '../program/verb.js';

const ATTEMPTS = 5;
const AGAIN_MS = 200;

const FLAGS = {
  foreground: flag('stay, and stop the gateway with Ctrl-C'),
  newLedger: flag('where no gateway can go on with the ledger, set it aside and begin another'),
  restart: flag('put a new gateway in the place of the one that runs; runs go on, worlds end'),
  yes: YES,
};

type Given = Call<Values<typeof FLAGS>>;

/** `sub up`: creates the home where there is none, starts the gateway, and returns once it answers. */
export function define(command: Command, does: Does): void {
  does(command, FLAGS, async (call) => {
    if (call.flags.foreground) {
      if (!call.flags.restart) return runForeground(call);
      throw new SublError('usage', '`--restart` and `--foreground` exclude each other', {
        help: 'stop the gateway with `sub down`, then use `--foreground`',
      });
    }
    createHome(call);
    await leadClientsHere(call);
    if (call.flags.newLedger) await beginAnew(call);
    return bringUp(call);
  });
}

/** Clients that start `sub` by the launcher start this one from now on. A run chooses none for them. */
async function leadClientsHere(call: Given): Promise<void> {
  const { program } = call.session;
  if (!isLauncherOurs(call.home, program) && (await isOutsideRun(call))) keepLauncher(call.home, program);
}

async function bringUp(call: Given): Promise<number> {
  let replaced: Replaced | undefined;
  if (call.flags.restart) {
    await assertOutsideRun(call);
    if (!(await mayEndWorlds(call))) {
      call.output.note('nothing was changed');
      return EXIT.failed;
    }
    replaced = await replaceGateway(call);
  }
  const { started, status } = await served(call, replaced === undefined ? 1 : ATTEMPTS);
  const isNew = replaced !== undefined || started;
  const pid = numberAt(status, 'pid') ?? null;
  const version = textAt(status, 'version');
  if (call.output.json) {
    const { socket, home } = call.home;
    call.output.value({
      started: isNew,
      pid,
      version,
      socket,
      home,
      replaced: replaced === undefined ? null : { ...replaced },
    });
    return EXIT.done;
  }
  const say = (text: string): void => call.output.lines(wrapped(text, call.output.width));
  const where = `(pid ${pid ?? 'unknown'}, ${escapeText(call.home.socket)})`;
  if (replaced?.pid !== undefined && replaced.pid !== null) {
    const from = replaced.version === null ? '' : `version ${escapeText(replaced.version)}, `;
    say(`the gateway was replaced ${where}; before: ${from}pid ${replaced.pid}`);
  } else say(`${isNew ? 'the gateway is up' : 'the gateway was up already'} ${where}`);
  if (textAt(status, 'panicked', 'since') !== '')
    call.output.note('everything is stopped: `sub resume` lets runs begin again');
  const remark = textAt(status, 'policy', 'remark');
  if (remark !== '') call.output.note(escapeText(remark));
  const closed = textAt(status, 'http', 'problem');
  if (closed !== '')
    call.output.note(
      `hooks and remote servers of clients are not reached: ${escapeText(closed)}; \`sub up --restart\` tries again`,
    );
  const difference = configDifference(status);
  if (difference !== undefined)
    call.output.note(`${escapeText(difference.message)}; ${escapeText(difference.help)}`);
  const other = versionText(version);
  if (other !== undefined) call.output.note(`${escapeText(other.message)}: ${other.help}`);
  if (started && !existsSync(join(call.home.home, 'imports')))
    noteNext(call.output, '`sub init` finds your clients, and puts them behind it');
  return EXIT.done;
}

/** Why a start fails that another ledger would mend. */
const ENDED: readonly ErrorCode[] = ['key_missing', 'ledger_corrupt', 'ledger_incomplete', 'ledger_missing'];

/** Sets the record aside only where a start fails because of it: a ledger that goes on is never replaced. */
async function beginAnew(call: Call): Promise<void> {
  await assertOutsideRun(call);
  // Nobody else may start a gateway between the attempt and the moves.
  await withStartLock(call.home, async () => {
    try {
      await ensureGateway(call, 'asked', startUnderLock);
    } catch (error) {
      if (!isSublError(error, ...ENDED)) throw error;
      const folder = setRecordAside(call.home, readSettings(call.home).headsLog, call.session.now());
      call.output.note(
        `set aside in \`${escapeText(folder)}\`, with accounts, secrets and the allowlist: ${escapeText(error.message)}`,
      );
      return;
    }
    call.output.note('the gateway goes on with its ledger: nothing was set aside');
  });
}

/** Answered by a gateway. Another restart may stop the one that is asked: the next one is asked then. */
async function served(
  call: Call,
  attempts: number,
): Promise<{ readonly started: boolean; readonly status: JsonValue }> {
  for (let attempt = 1; ; attempt += 1) {
    const started = await ensureGateway(call, 'asked');
    try {
      return { started, status: await askOperator(call.home, call.session.now, 'gateway.status') };
    } catch (error) {
      if (!isSublError(error, 'gateway_unreachable') || attempt === attempts) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}
