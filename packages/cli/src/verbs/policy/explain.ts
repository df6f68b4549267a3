import { resolve } from 'node:path';
import type { Command } from 'commander';
import { argsHash, objectAt, SublError, textAt, type JsonObject } from '@subluminal/core-types';
import { explain, looksAt, PolicyState } from '@subluminal/policy';
import { explainRecorded, identityOf, rulingJson } from '@subluminal/records';
import { EXIT } from '../../program/exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import type { Call } from '../../program/call.js';
import { flag, string, type Values } from '../../program/flags.js';
import { givenText } from '../../program/given-text.js';
import { PAGED } from '../../program/pager/paged.js';
import { subVerb, takesId, type Does } from '../../program/verb.js';
import { findRunIn, withRecord } from '../../record/open.js';
import { askedCall, UNKNOWN, type AskedCall } from '../../policy/asked-call.js';
import { explanationJson, explanationLines, type Explanation } from '../../policy/explanation.js';
import { readHere } from '../../objects/read-here.js';
import { explainWorld, worldJson, worldLines } from '../../policy/world/settings.js';
import { loadPolicy } from '../../policy/load.js';
import { explanationOf } from '../../policy/recorded-call.js';

const FLAGS = {
  ...PAGED,
  if: string('<json>', 'a call that never was: `{"server": …, "tool": …, "args": {…}, "identity": {…}}`'),
  command: string('<text>', 'a command that never was, as Claude Code’s Bash would run it'),
  world: flag('what a world here may use, see and reach, instead of a call'),
  server: string('<name>', 'with `--world`, of that server; without it, of a command'),
  project: string('<folder>', 'as if made in that folder, instead of this one; with one of these'),
  run: string('<id>', 'as if that run made it, with what its limits have counted; with one of them'),
  all: flag('the rules that did not match, too'),
  policy: string(
    '<file>',
    'under this file (or starter policy) and with nothing counted yet; with one of them',
  ),
};

type Given = Call<Values<typeof FLAGS>>;

/**
 * `sub policy explain CALL | --if CALL | --command TEXT`: what each rule made of a call. `--world`: the
 * settings of a world.
 */
export function defineExplain(group: Command, does: Does): void {
  const command = subVerb(group, 'explain', 'what each rule made of a recorded call, or would make of one');
  does(takesId(command, '[call]', 'a recorded call: its id, or the number of its entry'), FLAGS, (call) =>
    call.flags.world
      ? world(call)
      : call.flags.if === undefined && call.flags.command === undefined
        ? recorded(call)
        : imagined(call),
  );
}

async function world(call: Given): Promise<number> {
  const { flags, args, output } = call;
  if (args.length > 0 || [flags.if, flags.command, flags.run].some((one) => one !== undefined))
    throw new SublError('usage', '`--world` goes with `--server`, `--project` and `--policy` alone');
  const { server, policy: file } = flags;
  const explained = await explainWorld(call, { server, folder: folderOf(call), file });
  if (output.json) output.value(worldJson(explained));
  else output.lines(worldLines(explained, output));
  return EXIT.done;
}

async function recorded(call: Given): Promise<number> {
  assertNoServer(call);
  for (const name of ['run', 'policy', 'project'] as const) {
    if (call.flags[name] === undefined) continue;
    throw new SublError('usage', `\`--${name}\` goes with \`--if\` or \`--command\``, {
      help: 'a recorded call is explained under the policy that decided it',
    });
  }
  if (call.args.length === 0) {
    throw new SublError('usage', 'there is no call to explain', {
      help: 'name one that is recorded (`sub query` lists them), or describe one with `--command` or `--if`',
    });
  }
  const callId = call.id(0, 'call');
  const explanation = await withRecord(call.home, (reader) => explainRecorded(reader, callId));
  print(call, explanationOf(explanation));
  return EXIT.done;
}

function print({ output, flags }: Given, explanation: Explanation): void {
  if (output.json) output.value(explanationJson(explanation));
  else output.lines(explanationLines(explanation, output, flags.all));
}

/** A call that never was: under a file, or by the gateway, which knows what its limits have counted. */
async function imagined(call: Given): Promise<number> {
  if (call.args.length > 0) {
    throw new SublError('usage', 'the id of a call excludes `--if` and `--command`', {
      help: 'give one of them',
    });
  }
  assertNoServer(call);
  const asked = askedOf(call);
  const file = call.flags.policy;
  const named = call.flags.run;
  if (file !== undefined && named !== undefined) {
    throw new SublError('usage', '`--run` and `--policy` exclude each other', {
      help: '`--policy` decides with nothing counted yet; `sub policy replay` decides whole runs again',
    });
  }
  const run = named === undefined ? undefined : await findRunIn(call.home, named);
  const ruling = file === undefined ? await byGateway(call, asked, run) : underFile(call, asked, file);
  const where = file === undefined ? 'the one that decides now' : file;
  const explanation = {
    about: [
      ['what', { text: `${asked.server_name}.${asked.tool_name}`, tone: 'bold' }],
      ['policy', { text: policyName(ruling) || where }],
      ['run', { text: run ?? (file === undefined ? 'none: nothing counted yet' : '') }],
    ] as const,
    aboutJson: { call: { ...asked }, policy: where, run_id: run ?? null },
    ruling,
    notes: [],
  };
  print(call, explanation);
  return EXIT.done;
}

function assertNoServer({ flags }: Given): void {
  if (flags.server === undefined) return;
  throw new SublError('usage', '`--server` goes with `--world`', {
    help: 'a call names its own server: `--if {"server": …}`',
  });
}

/** The call that `--if` or `--command` describes. */
function askedOf({ flags }: Given): AskedCall {
  const { command } = flags;
  if (command === undefined) return askedCall(givenText(flags.if ?? '', 'the call'));
  if (flags.if === undefined) return { server_name: 'claude:builtin', tool_name: 'Bash', args: { command } };
  throw new SublError('usage', '`--if` and `--command` exclude each other', { help: 'give one of them' });
}

/** The folder that the call is made in: relative names are read from there. */
function folderOf({ flags }: Given): string {
  return resolve(flags.project ?? '.');
}

/** The policy that the gateway asked. */
function policyName(ruling: JsonObject): string {
  const [id, version, mode] = ['policy_id', 'policy_version', 'mode'].map((key) =>
    textAt(ruling, 'policy', key),
  );
  return id === '' ? '' : `${id} ${version}, mode ${mode}`;
}

function underFile(
  call: Given,
  { server_name, tool_name, args, identity }: AskedCall,
  file: string,
): JsonObject {
  const snapshot = loadPolicy(file, call.session);
  const asked = {
    server_name,
    tool_name,
    args,
    args_hash: argsHash(args),
    readings: readHere(
      { server: server_name, tool: tool_name, args, keys: snapshot.keysOf(server_name, tool_name) },
      folderOf(call),
    ),
    identity: identityOf(identity ?? UNKNOWN),
  };
  const now = call.session.now();
  return rulingJson(
    explain(snapshot, PolicyState.empty(), asked, now, { canAsk: true }),
    looksAt(snapshot, asked, now),
  );
}

async function byGateway(call: Given, asked: AskedCall, run: string | undefined): Promise<JsonObject> {
  const answer = await askOperator(call.home, call.session.now, 'policy.explain', {
    ...asked,
    ...(run === undefined || call.flags.project !== undefined ? { cwd: folderOf(call) } : {}),
    ...(run === undefined ? {} : { run_id: run }),
  });
  return objectAt(answer);
}
