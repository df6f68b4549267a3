import { SublError } from '@subluminal/core-types';
import type { AllowDraft, InsertResult } from '@subluminal/policy';
import type { RefusedCall } from '@subluminal/records';
import { escapeText } from '../../output/escape.js';
import { chosen, type Answers } from '../../output/ask.js';
import { paintDiff } from '../../policy/edit/diff-line.js';
import type { Call } from '../../program/call.js';
import { tried, type Candidate, type KnownCall, type Reading } from './candidates.js';

/** The flags of `sub hints promote` that a rule is made by. */
export type Promoting = Call<{
  readonly file: string | undefined;
  readonly as: string | undefined;
  readonly anyArgs: boolean;
  readonly yes: boolean;
  readonly dryRun?: boolean;
  readonly expect?: string | undefined;
}>;

/** The refused call, and what is known of it. */
export interface Found {
  readonly refused: RefusedCall;
  readonly known: KnownCall;
}

/** A way to name the call, with the file as it would be with its rule. */
export interface Offer {
  readonly candidate: Candidate;
  readonly result: InsertResult & { readonly ok: true };
}

/**
 * All offers for a call, the narrowest first. Throws where the file takes no rule at all, or not the one that
 * is named.
 */
export function offersFor(
  { flags, session }: Promoting,
  { refused, known }: Found,
  { named, text }: { readonly named: string; readonly text: string },
): readonly Offer[] {
  const now = session.now();
  const all = known.candidates.map((candidate) => ({
    candidate,
    result: tried(text, draftOf(refused, candidate, now), candidate, known.call, { filename: named, now }),
  }));
  const offers = all.flatMap(({ candidate, result }) => (result?.ok === true ? [{ candidate, result }] : []));
  const as = namedWay(flags);
  const wanted =
    all.find(({ candidate }) => candidate.as === as) ?? (as === undefined ? all.at(-1) : undefined);
  if (wanted?.result?.ok === false && (as !== undefined || offers.length === 0))
    throw notInserted(wanted.result, named);
  return offers;
}

function namedWay({ anyArgs, as }: Promoting['flags']): string | undefined {
  return as ?? (anyArgs ? 'any' : undefined);
}

/** The offer that is named, or chosen; undefined where a person chooses none. */
export async function offered(
  call: Promoting,
  found: Found,
  { named, text, command }: { readonly named: string; readonly text: string; readonly command: string },
  answers: Answers,
): Promise<Offer | undefined> {
  const { refused, known } = found;
  const offers = offersFor(call, found, { named, text });
  const as = namedWay(call.flags);
  if (as === undefined && process.stdin.isTTY && !call.flags.yes) {
    printOffers(call, offers);
    const at = await chosen(call, offers.length, answers);
    return at === undefined ? undefined : offers[at];
  }
  const offer = offers.find(({ candidate }) => candidate.as === as);
  if (offer !== undefined) return offer;
  if (as === undefined && !call.output.json) printCommands(call, offers, command);
  const words = offers.map(({ candidate }) => `\`${candidate.as}\``).join(', ');
  if (as === 'args' && known.lacks !== undefined)
    throw new SublError(
      'failed',
      `the arguments of call \`${refused.callId}\` ${known.lacks}, so that no rule can ask for them`,
      { help: `\`--as\` takes one of ${words} for this call, or write the rule by hand` },
    );
  const what = as === undefined ? '`--as` is missing' : `\`${as}\` is no way to name this call`;
  throw new SublError('usage', what, { help: `\`--as\` takes one of ${words} for it` });
}

function draftOf(
  { server, tool, ruleId, callId }: RefusedCall,
  { draft }: Candidate,
  now: number,
): AllowDraft {
  return {
    server_name: server,
    tool_name: tool,
    ...draft,
    overrides: ruleId,
    message: 'allowed by the operator',
    description: `promoted from call ${callId} on ${new Date(now).toISOString().slice(0, 10)}`,
  };
}

/** Each way with the lines of the rule that are its own; the rest of the rule is the same for all. */
function printOffers({ output }: Promoting, offers: readonly Offer[]): void {
  for (const [at, { candidate, result }] of offers.entries()) {
    output.line(
      output.paint('bold', `${at + 1}  ${candidate.as}: ${ABOUT[candidate.as]} (--as ${candidate.as})`),
    );
    const lines = result.inserted.split(/\r?\n/);
    const from = lines.findIndex((line) => /^\s*match:/.test(line));
    const to = lines.findIndex((line) => /^\s*effect:/.test(line));
    const own = from === -1 || to === -1 ? lines : lines.slice(from, to);
    output.lines(own.map((line) => paintDiff(`+ ${line}`, output.paint)));
  }
}

/** Each way as a whole command, the narrowest first. */
function printCommands({ output }: Promoting, offers: readonly Offer[], command: string): void {
  output.line('what makes a call alike, the narrowest first:');
  for (const { candidate } of offers)
    output.lines([
      `  ${escapeText(command)} --as ${candidate.as}`,
      output.paint('dim', `      ${ABOUT[candidate.as]}`),
    ]);
}

/** The calls that each way takes. */
export const ABOUT: Readonly<Record<Reading, string>> = {
  path: 'the same files, with the same access',
  folder: 'all files below the same folders, with the same access',
  command: 'the same commands, word by word',
  host: 'the same hosts',
  args: 'the same arguments',
  any: 'any arguments',
};

function notInserted(result: InsertResult & { readonly ok: false }, named: string): SublError {
  const [problem] = result.problems ?? [];
  if (result.why === 'invalid') {
    const where = problem === undefined ? '' : `:${problem.line}:${problem.column}: ${problem.message}`;
    return new SublError('policy_invalid', `\`${named}\`${where || ` cannot be edited: ${result.message}`}`, {
      help: 'nothing was written; `sub policy lint` lists every mistake',
    });
  }
  const { message, help } = result;
  return new SublError(result.why === 'no_rule' ? 'not_found' : 'failed', `\`${named}\`: ${message}`, {
    help: help ?? 'nothing was written',
  });
}
