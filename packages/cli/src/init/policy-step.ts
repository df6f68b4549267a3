import { readFileSync } from 'node:fs';
import { createHome } from '../home/create.js';
import { escapeText } from '../output/escape.js';
import { pairs } from '../output/table.js';
import { starters, type Starter } from '../policy/starters.js';
import { starterNamed, writeStarter } from '../policy/write-starter.js';
import { attempt } from '../program/attempt.js';
import type { Call } from '../program/call.js';
import type { Asking } from './asking.js';
import type { Found } from './found.js';
import { lookBack, lookedBackLines } from './look-back.js';
import { skipped, type Step } from './step.js';

/** The first choice: it refuses nothing, and shows what its rules would. */
export const FIRST = 'observe-everything';

/** Writes a starter policy if there is none. A policy that is there is never replaced. */
export async function policyStep(
  call: Call,
  found: Found,
  asking: Asking,
  wanted: string | undefined,
  signal: AbortSignal,
): Promise<Step> {
  if (found.hasPolicy) return stays(call, wanted);
  const name = wanted ?? (await choice(call, found, asking, signal));
  if (name === undefined)
    return skipped('policy', 'skipped: every call is allowed and recorded until there is one');
  createHome(call);
  const written = writeStarter(starterNamed(call.session.starterPolicies, name), call.home.policy, false);
  return {
    step: 'policy',
    outcome: 'done',
    says: [`${name} is in \`${escapeText(call.home.policy)}\``],
    facts: { name, written: [...written] },
  };
}

function stays(call: Call, wanted: string | undefined): Step {
  const path = `\`${escapeText(call.home.policy)}\``;
  const text = attempt(() => readFileSync(call.home.policy, 'utf8'));
  const is = starters(call.session.starterPolicies).find(({ policy }) => policy === text)?.name;
  if (wanted === undefined || wanted === is)
    return {
      step: 'policy',
      outcome: 'already',
      says: [`${path} is there, and stays${is === undefined ? '' : `: it is ${is}`}`],
      facts: { name: is ?? null, written: [] },
    };
  return {
    step: 'policy',
    outcome: 'kept',
    says: [
      `${path} is there, is not ${wanted}, and stays: \`sub policy diff current ${wanted}\` compares them, \`sub policy init ${wanted} --force\` replaces it`,
    ],
    facts: { name: is ?? null, written: [] },
  };
}

/** A starter that somebody picks, after a look at what it would have meant; undefined for none. */
async function choice(
  call: Call,
  { where }: Found,
  asking: Asking,
  signal: AbortSignal,
): Promise<string | undefined> {
  const offered = offeredFirst(starters(call.session.starterPolicies));
  if (asking.isSilent) return FIRST;
  const { output } = call;
  const looked = await lookBack(
    call,
    where,
    offered.map(({ name }) => name).filter((name) => name !== FIRST),
    signal,
  );
  output.lines(lookedBackLines(looked).map((line) => escapeText(line)));
  output.line('Which policy to begin with?');
  const lines = offered.map(({ name, about }, at) => [`${at + 1}  ${name}`, { text: about }] as const);
  output.lines(pairs(lines, output.paint, output.width));
  output.line('`sub policy init` has those for CI, too');
  const index = await asking.chosen(offered.length);
  return index === undefined ? undefined : offered[index]?.name;
}

/** Those that decide for people at their own machine, the first choice first. */
function offeredFirst(all: readonly Starter[]): readonly Starter[] {
  const here = all.filter(({ policy }) => !/^ {2}env: \[/m.test(policy));
  return [...here.filter(({ name }) => name === FIRST), ...here.filter(({ name }) => name !== FIRST)];
}
