import { SublError } from '@subluminal/core-types';
import type { Command } from 'commander';
import { CLIENTS } from '../clients/all.js';
import type { Client } from '../clients/client.js';
import { CLIENT_NAMES, machineOf } from '../clients/command/operands.js';
import { assertOutsideRun } from '../gateway/outside-run.js';
import { WANTS_ALL, TerminalAsking, type Asking } from '../init/asking.js';
import { findClients, type Found } from '../init/found.js';
import { planLines } from '../init/plan-lines.js';
import { planJson, stepsJson } from '../init/json.js';
import { endLines, showStep } from '../init/report.js';
import { isWell, STEPS, type Step, type StepName } from '../init/step.js';
import { takeSteps } from '../init/take-steps.js';
import { escapeText } from '../output/escape.js';
import type { Call } from '../program/call.js';
import { EXIT } from '../program/exit/codes.js';
import { interruptible } from '../program/exit/interrupt.js';
import { flag, string, strings, type Values } from '../program/flags.js';
import type { Does } from '../program/verb.js';
import { shownDiffText } from '../hooks/diff.js';
import { starterNamed } from '../policy/write-starter.js';

const FLAGS = {
  client: strings(
    '<name>',
    `only this client; may be repeated (${CLIENT_NAMES.replace('|all', '').replaceAll('|', ', ')})`,
  ),
  policy: string(
    '<starter>',
    'the starter policy to begin with (default with --yes: observe-everything; `sub policy init` lists all, ci-strict is for CI)',
  ),
  skip: strings('<step>', `leave a step out; may be repeated (${STEPS.join(', ')})`),
  project: string('<folder>', 'the project whose files are looked at (default: the working folder)'),
  dryRun: flag('say what would change, and change nothing'),
  diff: flag('the same, with every line that would change'),
  try: flag('start each routed server once and ask for its tools, though nothing is new'),
  yes: flag('do not ask: every step that is not skipped'),
};

type Given = Call<Values<typeof FLAGS>>;

/** `sub init`: from nothing to clients behind the gateway, a step at a time. */
export function define(command: Command, does: Does): void {
  does(command, FLAGS, init);
}

async function init(call: Given): Promise<number> {
  await assertOutsideRun(call);
  const clients = assertKnown(call);
  const { flags, output } = call;
  const isDry = isDryOf(flags);
  const found = await findClients(call, machineOf(call, flags.project), clients);
  assertFound(flags.client, found);
  const asks = !flags.yes && !isDry && process.stdin.isTTY && output.showsProgress && !output.json;
  if (!output.json) output.lines(planLines(found, output));
  if (isDry || (!flags.yes && !asks)) return lookOnly(call, found);
  return set(call, found, asks);
}

/** A difference is shown of what would change. */
function isDryOf({ dryRun, diff }: Given['flags']): boolean {
  return dryRun || diff;
}

/** Nobody can be asked, or nothing is to be changed. */
function lookOnly(call: Given, found: Found): number {
  const { flags, output } = call;
  if (output.json) output.value(planJson(found));
  else if (flags.diff) output.lines(diffLines(found));
  if (isDryOf(flags)) {
    if (!output.json) output.note(`nothing was changed${flags.diff ? '' : '; `--diff` shows every line'}`);
    return EXIT.done;
  }
  throw new SublError('usage', 'nothing was changed: there is no terminal to ask at', {
    help: 'say it by flags: `sub init --yes`, with `--policy STARTER`, `--client NAME`, `--skip STEP` (`sub help init`)',
  });
}

async function set(call: Given, found: Found, asks: boolean): Promise<number> {
  const { output } = call;
  const steps: Step[] = [];
  const skip = new Set(call.flags.skip);
  const ended = await interruptible(async (signal) => {
    const stop = new AbortController();
    const both = AbortSignal.any([signal, stop.signal]);
    const asking: Asking = asks ? new TerminalAsking(output, both, () => stop.abort()) : WANTS_ALL;
    try {
      for await (const step of takeSteps({
        call,
        found,
        asking,
        skip,
        policy: call.flags.policy,
        tries: call.flags.try,
        signal: both,
      })) {
        steps.push(step);
        showStep(output, step);
      }
      return EXIT.done;
    } catch (error) {
      if (stop.signal.aborted && error === stop.signal.reason) return EXIT.failed;
      throw signal.aborted ? signal.reason : error;
    } finally {
      asking.close();
    }
  });
  const isStopped = 'interrupted' in ended || ended.done !== EXIT.done;
  const isOver = isStopped || steps.length < STEPS.length;
  if (output.json) output.value(stepsJson(steps));
  else for (const line of endLines(found, steps, isOver)) output.note(line);
  if ('interrupted' in ended) return ended.interrupted;
  return isOver || !steps.every(isWell) ? EXIT.failed : EXIT.done;
}

function diffLines({ clients }: Found): readonly string[] {
  return clients.flatMap(({ files, hooks }) => [
    ...files.flatMap(({ file, diff }) =>
      diff.length === 0 ? [] : [escapeText(file.path), ...diff.map((line) => `  ${escapeText(line)}`)],
    ),
    ...(hooks?.coverage.state === 'installed' ? [] : (hooks?.planned ?? [])).flatMap(
      ({ path, before, after }) => [escapeText(path), ...shownDiffText(before, after)],
    ),
  ]);
}

/** Refuses mistyped words before anything is looked at. Throws `usage`. */
function assertKnown({ flags, session }: Given): readonly Client[] {
  const isStep = (name: string): name is StepName => STEPS.some((step) => step === name);
  const odd = flags.skip.find((name) => !isStep(name));
  if (odd !== undefined)
    throw new SublError('usage', `\`${odd}\` is no step`, {
      help: `the steps are ${STEPS.map((step) => `\`${step}\``).join(', ')}`,
    });
  const other = flags.client.find((name) => !CLIENTS.some((client) => client.name === name));
  if (other !== undefined)
    throw new SublError('usage', `\`${other}\` is no client that is known`, {
      help: `the clients are ${CLIENTS.map(({ name }) => `\`${name}\``).join(', ')}`,
    });
  if (flags.policy !== undefined) starterNamed(session.starterPolicies, flags.policy);
  return flags.client.length === 0 ? CLIENTS : CLIENTS.filter(({ name }) => flags.client.includes(name));
}

function assertFound(named: readonly string[], { absent }: Found): void {
  const missing = absent.find(({ name }) => named.includes(name));
  if (missing === undefined) return;
  throw new SublError('not_found', `${missing.title} was not found on this machine`, {
    help: '`sub init --dry-run` shows the clients that are',
  });
}
