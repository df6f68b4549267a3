import { isAbsolute } from 'node:path';
import { SublError } from '@subluminal/core-types';
import { LAST_POLICIES, type LastPolicy } from './home/rehearse.js';

/** What the gateway's command line says. */
export interface Arguments {
  readonly home: string;
  readonly foreground: boolean;
  readonly headsLog: string | undefined;
  /** Folder of a backup that is put in the ledger's place, instead of serving. */
  readonly restore: string | undefined;
  readonly reason: string;
  /** Only whether a gateway would start, after one that leaves this policy. */
  readonly rehearse: LastPolicy | undefined;
  /**
   * Only tries whether the proxy at this port refuses a name that is not listed. Standard input holds the
   * token of a run.
   */
  readonly tryProxy: number | undefined;
}

const USAGE =
  'usage: gateway --home PATH [--foreground] [--heads-log PATH] [--restore PATH [--reason TEXT]] [--rehearse none|unsigned|signed|unknown] [--try-proxy PORT]';

/** Reads `--home PATH [--foreground] [--heads-log PATH]`. Paths are absolute. @throws SublError `usage`. */
export function readArguments(argv: readonly string[]): Arguments {
  let home: string | undefined;
  let headsLog: string | undefined;
  let restore: string | undefined;
  let reason = '';
  let rehearse: LastPolicy | undefined;
  let tryProxy: number | undefined;
  let foreground = false;
  const rest = [...argv];
  while (rest.length > 0) {
    const word = rest.shift() ?? '';
    if (word === '--foreground') foreground = true;
    else if (word === '--home') home = path(word, rest.shift());
    else if (word === '--heads-log') headsLog = path(word, rest.shift());
    else if (word === '--restore') restore = path(word, rest.shift());
    else if (word === '--reason') reason = rest.shift() ?? '';
    else if (word === '--rehearse') rehearse = lastPolicy(rest.shift());
    else if (word === '--try-proxy') tryProxy = port(rest.shift());
    else throw new SublError('usage', `\`${word}\` is not an option`, { help: USAGE });
  }
  if (home === undefined) throw new SublError('usage', 'the home is missing', { help: USAGE });
  return { home, foreground, headsLog, restore, reason, rehearse, tryProxy };
}

function lastPolicy(value: string | undefined): LastPolicy {
  const known = LAST_POLICIES.find((one) => one === value);
  if (known !== undefined) return known;
  throw new SublError('usage', '`--rehearse` needs what policy there is', { help: USAGE });
}

function port(value: string | undefined): number {
  const number = Number(value);
  if (Number.isInteger(number) && number > 0 && number < 65_536) return number;
  throw new SublError('usage', '`--try-proxy` needs a port', { help: USAGE });
}

function path(option: string, value: string | undefined): string {
  if (value !== undefined && isAbsolute(value)) return value;
  throw new SublError('usage', `\`${option}\` needs an absolute path`, { help: USAGE });
}
