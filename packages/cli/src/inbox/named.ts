import { SublError, shellWord } from '@subluminal/core-types';
import { endedText, endsOf, findCallStart, questionIn, recordOf } from '@subluminal/records';
import type { Call } from '../program/call.js';
import { clipObject, escapeText } from '../output/escape.js';
import { ago } from '../output/time.js';
import { withRecord } from '../record/open.js';
import { subjectText } from './subject.js';
import { nameOf, waitingIn, type Waiting } from './waiting.js';

/** Fewer letters name nothing, unless they are all of an id: of its beginning, and of its end. */
const MIN_BEGINNING = 2;
const MIN_END = 4;
/** A longer subject is cut. */
const MAX_SUBJECT = 100;
/** Those that an error names. */
const MAX_TOLD = 5;

const HELP = '`sub approvals list` shows what is open';

/** The operand of the verbs that answer. */
export const NAMED = 'its number or its id, or a part of the id, as `sub approvals list` shows it';

/**
 * The thing with the name that was given: a number of the list, which is an entry of its call and never
 * another's, an id, or the beginning or the end of one. Throws `approval_not_found`, and `usage` where none
 * or several are named: nothing is ever answered by being the only one.
 */
export async function waitingNamed(call: Call): Promise<Waiting> {
  const all = await waitingIn(call);
  if (call.args.length === 0) throw unnamed(call, all);
  const named = call.id(0, 'id');
  // An id that a run chose may have nothing but digits; with a zero before them it is no number.
  const found = /^[1-9][0-9]{0,14}$/.test(named) ? await numbered(call, all, named) : byId(all, named);
  if (found !== undefined) return found;
  const end = await endedQuestion(call, named);
  if (end !== undefined) throw new SublError('approval_used', end, { help: HELP });
  throw new SublError('approval_not_found', `nothing that waits is named \`${named}\``, { help: HELP });
}

/** How the question with that id, or of the call with that number, ended; undefined if none did. */
function endedQuestion(call: Call, named: string): Promise<string | undefined> {
  return withRecord(call.home, (reader) => {
    const start = /^[1-9][0-9]{0,14}$/.test(named) ? findCallStart(reader, named) : undefined;
    const asked =
      start === undefined ? undefined : questionIn(recordOf(reader, start).decision?.data ?? null);
    const id = asked ?? named;
    const end = endsOf(reader, new Set([id]), 0).get(id);
    if (end === undefined) return undefined;
    return `the question \`${id}\` is over: ${endedText(end)}, ${ago(end.ts, call.session.now())}`;
  });
}

/** The number of any call that joined the question names it, too. */
async function numbered(call: Call, all: readonly Waiting[], named: string): Promise<Waiting | undefined> {
  const shown = all.find(({ number }) => number === Number(named));
  if (shown !== undefined) return shown;
  const id = await withRecord(call.home, (reader) => {
    const start = findCallStart(reader, named);
    return questionIn(start === undefined ? null : (recordOf(reader, start).decision?.data ?? null));
  });
  return all.find((one) => one.kind === 'question' && one.id === id);
}

function byId(all: readonly Waiting[], named: string): Waiting | undefined {
  // Runs choose the ids of their calls, and servers the names of their tools: they may be those of others.
  const whole = all.filter(({ id }) => id === named);
  if (whole.length > 0 || named.length < MIN_BEGINNING) return onlyOf(whole, named);
  return onlyOf(
    all.filter(({ id, kind }) => (kind !== 'tool' || named.includes('/')) && isPart(named, id)),
    named,
  );
}

function isPart(named: string, id: string): boolean {
  return id.startsWith(named) || (named.length >= MIN_END && id.endsWith(named));
}

function onlyOf(found: readonly Waiting[], named: string): Waiting | undefined {
  if (found.length < 2) return found[0];
  const told = found.slice(0, MAX_TOLD).map((one) => `\`${one.id === named ? nameOf(one) : one.id}\``);
  const more = found.length > MAX_TOLD ? ` and ${found.length - MAX_TOLD} more` : '';
  throw new SublError('usage', `\`${named}\` is a part of ${found.length} ids`, {
    help: `give more of the one that is meant: ${told.join(', ')}${more}`,
  });
}

function unnamed({ verb }: Call, all: readonly Waiting[]): SublError {
  const open = all.filter(({ isOpen }) => isOpen);
  const [only] = open;
  if (only === undefined) return new SublError('approval_not_found', 'nothing waits for an answer');
  // The words of an agent stand before a command that is pasted: they must not look like one.
  const subject = clipObject(escapeText(subjectText(only)).replaceAll('`', "'"), MAX_SUBJECT);
  const help =
    open.length > 1
      ? `name one of those that \`sub approvals list\` shows: \`sub ${verb} ID\``
      : `one ${only.kind} waits, \`${subject}\`: if you mean it, \`sub ${verb} ${shellWord(escapeText(nameOf(only)))}\``;
  return new SublError('usage', '`id` is missing', { help });
}
