import { listAt, SublError, textAt, type JsonObject } from '@subluminal/core-types';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { escapeText } from '../../output/escape.js';
import type { Output } from '../../output/output.js';
import type { Call } from '../../program/call.js';
import { flag, type Values } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';

const ADVICE = { not_found: '`sub tools list` shows the servers that are known' } as const;

const SEE_HELD = '`sub tools diff` shows what is held';

/** Why a tool stays held, in words. */
const LEFT: Readonly<Record<string, string>> = {
  changed_again: 'it has changed again: look at it with `sub tools diff`',
  not_approvable: 'it cannot be approved: `sub tools diff` says why',
  not_held: 'it is not held any more',
  not_shown: 'nobody has looked at it as it is now: `sub tools diff` shows it',
};

const FLAGS = {
  all: flag('all tools of the server that are held and were shown'),
};

type Given = Call<Values<typeof FLAGS>>;

/** `sub tools approve SERVER [TOOL…] [--all]`. */
export function defineApprove(group: Command, does: Does): void {
  does(
    subVerb(group, 'approve', 'let tools be used as `sub tools diff` showed them')
      .argument('<server>', 'the server')
      .argument('[tool...]', 'the tools'),
    FLAGS,
    async (call) => {
      await assertOutsideRun(call);
      const server = call.operand(0, 'server');
      const held = await heldOf(call, server);
      return approveHeld(call, server, chosen(call, held));
    },
  );
}

/** Approves held tools of a server, as far as they were shown as they are. */
export async function approveHeld(
  call: Call,
  server: string,
  wanted: readonly JsonObject[],
): Promise<number> {
  const left = wanted.filter((one) => textAt(one, 'shown') !== 'true').map((one) => leftOf(one, 'not_shown'));
  const shown = wanted.filter((one) => textAt(one, 'shown') === 'true');
  const answer = shown.length === 0 ? {} : await approve(call, server, shown);
  const result = {
    server_name: server,
    approved: [...listAt(answer, 'approved')],
    left: [...left, ...listAt(answer, 'left')],
  };
  if (call.output.json) call.output.value(result);
  else print(call.output, result);
  return result.left.length > 0 ? EXIT.refused : EXIT.done;
}

async function heldOf(call: Call, server: string): Promise<readonly JsonObject[]> {
  const payload = { server_name: server };
  const data = await askOperator(call.home, call.session.now, 'tools.list', payload, ADVICE);
  return listAt(data, 'servers').flatMap((one) => listAt(one, 'held'));
}

/** The held tools that were named, or all of them. */
function chosen(call: Given, held: readonly JsonObject[]): readonly JsonObject[] {
  const names = call.args.slice(1);
  if (call.flags.all === names.length > 0) {
    throw new SublError('usage', 'name the tools, or give `--all`, and not both', { help: SEE_HELD });
  }
  if (call.flags.all) {
    if (held.length > 0) return held;
    throw new SublError('not_found', 'no tool of that server is held', { help: SEE_HELD });
  }
  return [...new Set(names)].map((name) => {
    const found = held.find((one) => textAt(one, 'tool_name') === name);
    if (found !== undefined) return found;
    throw new SublError('not_found', `no tool \`${name}\` of that server is held`, { help: SEE_HELD });
  });
}

function approve(call: Call, server: string, tools: readonly JsonObject[]) {
  return askOperator(call.home, call.session.now, 'tools.approve', {
    server_name: server,
    tools: tools.map((one) => ({ tool_name: textAt(one, 'tool_name'), hash: textAt(one, 'hash') })),
  });
}

function leftOf(held: JsonObject, why: string): JsonObject {
  return { tool_name: textAt(held, 'tool_name'), why };
}

function print(output: Output, result: JsonObject): void {
  for (const one of listAt(result, 'approved')) {
    output.line(`approved \`${escapeText(textAt(one, 'tool_name'))}\``);
  }
  for (const one of listAt(result, 'left')) {
    const why = textAt(one, 'why');
    output.note(`\`${escapeText(textAt(one, 'tool_name'))}\` stays held: ${LEFT[why] ?? escapeText(why)}`);
  }
  if (listAt(result, 'approved').length > 0) {
    output.note('a client that has its list already asks again when it is restarted');
  }
}
