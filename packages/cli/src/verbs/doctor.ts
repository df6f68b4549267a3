import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { EXIT } from '../exit/codes.js';
import type { Check, Level } from '../doctor/check.js';
import { checkConfig, checkPolicy } from '../doctor/files.js';
import { checkSegments } from '../doctor/files-of-ledger.js';
import { checkGateway, checkProgram } from '../doctor/gateway.js';
import { checkHome, checkKeys, checkPermissions, checkSocketPath } from '../doctor/home.js';
import { checkClock, checkHead, checkMemory, checkSqlite } from '../doctor/ledger.js';
import { checkDisk, checkFsync, checkNode } from '../doctor/system.js';
import { counted } from '../output/counted.js';
import { escapeText } from '../output/escape.js';
import type { Tone } from '../output/style.js';
import type { Call } from '../program/call.js';
import type { Does } from '../program/verb.js';

const TONES: Readonly<Record<Level, Tone>> = { ok: 'good', warn: 'warn', fail: 'bad' };

/** `sub doctor`: every check, each with what to do. Fails when one of them does. */
export function define(command: Command, does: Does): void {
  command.action(
    does(async (call) => {
      const checks = await examine(call);
      const failed = checks.filter((check) => check.level === 'fail').length;
      const warned = checks.filter((check) => check.level === 'warn').length;
      if (call.output.json) {
        call.output.value({ ok: failed === 0, checks: checks.map((check) => ({ ...check })) });
      } else {
        print(call, checks);
        call.output.line();
        call.output.line(`${counted(checks.length, 'check')}: ${failed} failed, ${warned} to look at`);
      }
      return failed === 0 ? EXIT.done : EXIT.failed;
    }),
  );
}

async function examine(call: Call): Promise<readonly Check[]> {
  const { home, session } = call;
  const first = [checkNode(process.version), checkProgram(session.gatewayProgram), checkHome(home)];
  if (!existsSync(home.home)) return first;
  return [
    ...first,
    checkPermissions(home),
    checkKeys(home),
    checkConfig(home),
    checkPolicy(home),
    checkSocketPath(home),
    await checkGateway(home, session.now),
    checkSqlite(home),
    checkHead(home, session.now()),
    checkSegments(home),
    checkMemory(home, session.environment.stateFolders),
    checkClock(home, session.now()),
    checkDisk(home),
    checkFsync(home, () => performance.now()),
  ];
}

function print(call: Call, checks: readonly Check[]): void {
  const { output } = call;
  const width = Math.max(...checks.map((check) => check.name.length));
  for (const { name, level, message, help } of checks) {
    output.line(
      `${output.paint(TONES[level], level.padEnd(4))}  ${name.padEnd(width)}  ${escapeText(message)}`,
    );
    if (help !== undefined)
      output.line(`      ${' '.repeat(width)}  ${output.paint('bold', 'help')}: ${escapeText(help)}`);
  }
}
