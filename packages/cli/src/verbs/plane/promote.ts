import { GatewayConfig, SublError } from '@subluminal/core-types';
import type { Command } from 'commander';
import { editConfig } from '../../config/file.js';
import { whenInForce } from '../../config/in-force.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { agrees } from '../../output/ask.js';
import { escapeText } from '../../output/escape.js';
import { livePlane, modeIn } from '../../plane/live-plane.js';
import { planeTallies } from '../../plane/tallies.js';
import { gateTrouble } from '../../plane/troubles.js';
import type { Call } from '../../program/call.js';
import { EXIT } from '../../program/exit/codes.js';
import { flag, type Values } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';
import { withRecord } from '../../record/open.js';

const FLAGS = { yes: flag('set the next mode without a question') };

type Given = Call<Values<typeof FLAGS>>;

/** The ladder of each tier: nothing but what is protected can be withheld. */
const { low, ordinary, protected: risky } = GatewayConfig.shape.plane.unwrap().shape;
const LADDERS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['low', low.unwrap().options],
  ['ordinary', ordinary.unwrap().options],
  ['protected', risky.unwrap().options],
]);

/** `sub plane promote TIER`: the evidence for the next mode of a tier, and the edit, if a person says yes. */
export function definePromote(group: Command, does: Does): void {
  does(
    subVerb(
      group,
      'promote',
      'show the evidence for the next mode of a tier, and set it once you say yes',
    ).argument('<tier>', [...LADDERS.keys()].join(', ')),
    FLAGS,
    promote,
  );
}

async function promote(call: Given): Promise<number> {
  await assertOutsideRun(call);
  const { output } = call;
  const tier = call.operand(0, 'tier');
  const ladder = LADDERS.get(tier);
  if (ladder === undefined)
    throw new SublError('usage', `there is no tier \`${tier}\``, { help: [...LADDERS.keys()].join(', ') });
  const plane = await livePlane(call);
  if (plane === undefined)
    throw new SublError('gateway_unreachable', 'no gateway runs, so the mode in force is not known', {
      help: '`sub up` starts one',
    });
  const mode = modeIn(plane, tier);
  const next = ladder[ladder.indexOf(mode) + 1];
  const evidence = await withRecord(call.home, (reader) => evidenceOf(planeTallies(reader)));
  if (next === undefined) {
    if (output.json) output.value({ tier, mode, next: null, evidence, changed: false });
    else output.line(`\`${tier}\` is at \`${mode}\`, its last mode`);
    return EXIT.done;
  }
  if (!output.json) {
    output.line(ladder.map((one) => (one === mode ? `[${one}]` : one)).join(' -> '));
    output.lines(
      Object.entries(evidence).map(([name, count]) => escapeText(`${name.replaceAll('_', ' ')}: ${count}`)),
    );
  }
  await confirm(call, tier, next);
  const { isChanged, sha256 } = editConfig(call.home, ['plane', tier], next);
  await whenInForce(call, `plane.${tier}`, sha256);
  if (output.json) output.value({ tier, mode, next, evidence, changed: isChanged });
  else output.line(`\`plane.${tier}\` is \`${next}\`; back with \`sub config set plane.${tier} ${mode}\``);
  // A gate may be set before any rule uses it.
  for (const { help, message } of gateTrouble(await livePlane(call))) output.note(`sub: ${message}; ${help}`);
  return EXIT.done;
}

/** The facts of all clients. None says whether a boundary was right: `sub plane explain` shows each. */
function evidenceOf(tallies: ReturnType<typeof planeTallies>): Readonly<Record<string, number>> {
  const sum = (of: (one: (typeof tallies)[number]) => number): number =>
    tallies.reduce((all, one) => all + of(one), 0);
  const all = (counts: Readonly<Record<string, number>>): number =>
    Object.values(counts).reduce((one, other) => one + other, 0);
  return {
    sessions: sum(({ sessions }) => sessions),
    boundaries: sum(({ boundaries }) => all(boundaries)),
    steers: sum(({ steers }) => steers),
    steers_that_the_mode_kept_back: sum(({ skips }) => skips['steer: mode'] ?? 0),
    windows_with_a_checkpoint: sum(({ checkpoints }) => all(checkpoints)),
    windows_without_one: sum(({ skips }) => skips['checkpoint: evidence'] ?? 0),
  };
}

async function confirm(call: Given, tier: string, next: string): Promise<void> {
  const { flags, output } = call;
  if (!flags.yes && (!process.stdin.isTTY || output.json))
    throw new SublError('usage', `\`plane.${tier}\` would be \`${next}\`: nobody has said yes`, {
      help: 'ask for it with `--yes`, or on a terminal',
    });
  if (!(await agrees(call, `set \`plane.${tier}\` to \`${next}\`?`)))
    throw new SublError('failed', 'nothing was changed');
}
