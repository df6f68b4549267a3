import { numberAt, SublError, textAt, type JsonValue } from '@subluminal/core-types';
import type { Command } from 'commander';
import { editConfig, readConfig } from '../config/file.js';
import { type TakesEffect, whenInForce } from '../config/in-force.js';
import { askOperator } from '../gateway/door.js';
import { assertOutsideRun } from '../gateway/outside-run.js';
import { replaceGateway } from '../gateway/replace.js';
import { mayEndWorlds } from '../gateway/worlds-at-stake.js';
import { createHome } from '../home/create.js';
import { readText } from '../home/settings.js';
import { YES } from '../output/ask.js';
import { escapeText } from '../output/escape.js';
import { attempted } from '../program/attempt.js';
import type { Call } from '../program/call.js';
import { EXIT } from '../program/exit/codes.js';
import type { Values } from '../program/flags.js';
import type { Does } from '../program/verb.js';

const FLAGS = { yes: YES };

type Given = Call<Values<typeof FLAGS>>;

const MODES = ['observe', 'enforce', 'off'] as const;
type Mode = (typeof MODES)[number];

const MEANS: Readonly<Record<Mode, string>> = {
  observe: 'places that are not on the allowlist are connected, and recorded',
  enforce: 'only places on the allowlist are connected',
  off: 'there is no proxy: connections of runs are not seen',
};

const IN_FORCE: Readonly<Record<TakesEffect, string>> = {
  now: 'in force now, without a restart',
  'with a restart': 'in force with `sub up --restart`',
  'with a start': 'in force when the gateway starts: `sub up`',
};

/** `sub egress [observe|enforce|off]`: what becomes of connections to places that nobody has listed. */
export function define(command: Command, does: Does): void {
  does(
    command.argument('[mode]', `${MODES.join('|')}; without it, says which is in force`),
    FLAGS,
    async (call) => {
      const [named] = call.args;
      if (named === undefined) return show(call);
      const mode = MODES.find((one) => one === named);
      if (mode === undefined)
        throw new SublError('usage', `\`${named}\` is no mode`, {
          help: `one of ${MODES.map((one) => `\`${one}\``).join(', ')}`,
        });
      await assertOutsideRun(call);
      return change(call, mode);
    },
  );
}

async function show(call: Call): Promise<number> {
  const { home, session, output } = call;
  const status = await attempted(askOperator(home, session.now, 'gateway.status'));
  const written = readConfig(home.config, readText(home.config) ?? '').config.egress.mode;
  const mode = status === undefined ? written : modeOf(status);
  const port = status === undefined ? undefined : numberAt(status, 'proxy', 'port');
  if (output.json) {
    output.value({ mode, port: port ?? null, running: status !== undefined, written });
    return EXIT.done;
  }
  output.line(`${output.paint('bold', mode)}: ${MEANS[mode]}`);
  const problem = status === undefined ? '' : textAt(status, 'proxy', 'problem');
  if (status === undefined) output.line('no gateway runs: nothing is held back until `sub up`');
  else if (problem !== '') output.line(escapeText(problem));
  else if (port !== undefined) output.line(`the proxy listens on 127.0.0.1:${port}`);
  if (mode !== written) output.note(`config.toml says \`${written}\`: in force with \`sub up --restart\``);
  return EXIT.done;
}

async function change(call: Given, mode: Mode): Promise<number> {
  createHome(call);
  // A question comes before anything is written: with `--json` none can be asked.
  const mayRestart = (await opensOrCloses(call, mode)) ? await mayEndWorlds(call, mode) : undefined;
  const { isChanged, sha256 } = editConfig(call.home, ['egress', 'mode'], mode);
  let when = await whenInForce(call, 'egress.mode', sha256);
  const isRestarted = when === 'with a restart' && (mayRestart ?? (await mayEndWorlds(call, mode)));
  if (isRestarted) {
    await replaceGateway(call);
    when = 'now';
  }
  const { output } = call;
  if (output.json) {
    output.value({ mode, changed: isChanged, restarted: isRestarted, in_force: when });
    return EXIT.done;
  }
  output.line(`${output.paint('bold', mode)}${isChanged ? '' : ' already'}: ${MEANS[mode]}`);
  output.line(
    isRestarted
      ? 'in force: the gateway was restarted; a run that goes on keeps the proxy, or none, that it was told of'
      : IN_FORCE[when],
  );
  return EXIT.done;
}

/** Whether the proxy of the gateway that runs opens or closes with that mode, for which it restarts. */
async function opensOrCloses({ home, session }: Call, mode: Mode): Promise<boolean> {
  const status = await attempted(askOperator(home, session.now, 'gateway.status'));
  return status !== undefined && (modeOf(status) === 'off') !== (mode === 'off');
}

function modeOf(status: JsonValue): Mode {
  const said = textAt(status, 'proxy', 'mode');
  return MODES.find((one) => one === said) ?? 'off';
}
