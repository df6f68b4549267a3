import { isSublError, listAt, SublError, textAt, type JsonObject } from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';
import { allowCommand, runStart, seenPlaces, type SeenPlace } from '@subluminal/records';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { counted } from '../../output/counted.js';
import { escapeText } from '../../output/escape.js';
import { ago } from '../../output/time.js';
import type { Call } from '../../program/call.js';
import { flag, whole } from '../../program/flags.js';
import { addPlaces, pick } from './pick.js';
import { refusedNamesText } from './refused-names.js';
import { subVerb, type Does } from '../../program/verb.js';
import { withRecord } from '../../record/open.js';

const FLAGS = {
  add: flag('ask which of them come onto the allowlist'),
  all: flag('with `--add`, all of them that are not private, without a question'),
  limit: whole('<n>', 'how many at most (1 to 1000, default 50)', 1, 1000),
};

/** The allowlist says what may be reached, and the record what was. */
export const USED = `
\`sub query --host '*'\` lists the hosts that were used, listed or not.`;

/**
 * `sub allow seen`: what an allowlist is made from. Works without a gateway; with one, what is listed by now
 * is left out.
 */
export function defineSeen(group: Command, does: Does): void {
  does(
    subVerb(
      group,
      'seen',
      'where connections went, or wanted to go, that are not on the allowlist',
    ).addHelpText('after', USED),
    FLAGS,
    async (call) => {
      await assertOutsideRun(call);
      const limit = call.flags.limit ?? 50;
      const { add, all } = call.flags;
      if (all && !add) throw new SublError('usage', '`--all` goes with `--add`', { help: 'add `--add`' });
      let offered: readonly SeenPlace[] = [];
      const listed = await listedEntries(call);
      await withRecord(call.home, (reader) => {
        const { places, misled, never, names: refused, next } = seenPlaces(reader);
        const open = places.filter((place) => !isListed(listed, place));
        const shown = open.slice(0, limit).map((place) => ({ place, agents: agentsOf(reader, place) }));
        offered = shown.map(({ place }) => place);
        const named = new Set(places.map(({ place }) => place));
        const inside = [...misled].filter(
          ([text, place]) => !named.has(text) && !listed.some((entry) => isPrivate(entry, place)),
        );
        const unknown = refusedNamesText(refused, listed, places);
        if (call.output.json) {
          if (!add) for (const one of shown) call.output.value(json(one.place, one.agents));
        } else if (shown.length === 0)
          call.output.line(
            unknown !== undefined
              ? 'no connection was asked for that could come onto the allowlist'
              : `nothing was asked for that ${never.size + inside.length === 0 ? 'is not on' : 'could come onto'} the allowlist`,
          );
        else
          for (const [at, one] of shown.entries())
            print(call, one.place, one.agents, add ? `${at + 1}  ` : '');
        if (open.length > limit)
          call.output.note(`and ${counted(open.length - limit, 'other')}: add \`--limit\``);
        if (inside.length > 0)
          call.output.note(
            `${counted(inside.length, 'place')} refused for an address (\`sub query --action net.connect --refused\`): to a private one leads only an entry with \`--private\``,
          );
        if (never.size > 0) call.output.note(neverText(never));
        if (unknown !== undefined) call.output.note(unknown);
        if (!add && !call.output.json && shown.length > 0)
          call.output.note('`sub allow seen --add` asks which of them to add');
        if (next !== null) call.output.note(`entries before ${next} were not looked at`);
      });
      if (add && offered.length > 0) await addPlaces(call, await pick(call, offered, all));
      return EXIT.done;
    },
  );
}

/** More places than these are counted. */
const MAX_NEVER = 5;
/** The kinds of address that need more than their name. */
const WHY_NEVER: ReadonlyMap<string, string> = new Map([
  ['own_listener', 'the gateway itself'],
  ['cloud_metadata', 'the metadata of a cloud'],
]);

/** The places that are refused and not offered, and why. */
function neverText(never: ReadonlyMap<string, string>): string {
  const all = [...never].map(
    ([place, verdict]) => `${escapeText(place)} (${WHY_NEVER.get(verdict) ?? verdict.replaceAll('_', ' ')})`,
  );
  const more = all.length - MAX_NEVER;
  const shown = [...all.slice(0, MAX_NEVER), ...(more > 0 ? [counted(more, 'other')] : [])];
  return `refused, and not offered as no entry of the allowlist leads there: ${shown.join(', ')}`;
}

/** The allowlist as it is; nothing where no gateway can tell. */
async function listedEntries(call: Call): Promise<readonly JsonObject[]> {
  try {
    return listAt(await askOperator(call.home, call.session.now, 'allow.list'), 'entries');
  } catch (error) {
    if (isSublError(error, 'gateway_unreachable', 'key_missing')) return [];
    throw error;
  }
}

/** By now its name may lead to a private address. */
function isPrivate(entry: JsonObject, place: Pick<SeenPlace, 'host' | 'port'>): boolean {
  return textAt(entry, 'allow_private') === 'true' && names(entry, place);
}

/** The protocols that an entry of each protocol lets through; an entry of another lets none of these. */
const TUNNELS: ReadonlySet<string> = new Set(['', 'https', 'imaps', 'smtps', 'tcp']);
const PLAIN: ReadonlySet<string> = new Set(['', 'http', 'tcp']);

/** Whether entries let through all that was asked for. */
function isListed(entries: readonly JsonObject[], place: SeenPlace): boolean {
  const protocols = entries
    .filter((entry) => (place.isPrivate === true ? isPrivate(entry, place) : names(entry, place)))
    .map((entry) => textAt(entry, 'protocol'));
  const { isRaw, isTunnelled, isPlain } = place;
  if (isRaw && !protocols.includes('tcp')) return false;
  if (isTunnelled && !protocols.some((one) => TUNNELS.has(one))) return false;
  return !isPlain || protocols.some((one) => PLAIN.has(one));
}

function names(entry: JsonObject, { host, port }: Pick<SeenPlace, 'host' | 'port'>): boolean {
  if (textAt(entry, 'is_active') !== 'true') return false;
  const [domain, at] = [textAt(entry, 'domain'), textAt(entry, 'port')];
  return domain === host.replace(/^\[|\]$/g, '') && (at === '' || at === String(port));
}

function agentsOf(reader: LedgerReader, { runIds }: SeenPlace): readonly string[] {
  const agents = [...runIds].map((runId) => textAt(runStart(reader, runId)?.data ?? null, 'agent_id'));
  return [...new Set(agents.filter((agent) => agent !== ''))];
}

function json(place: SeenPlace, agents: readonly string[]): JsonObject {
  const { host, port, passed, refused, lastMs } = place;
  return {
    host,
    port,
    passed,
    refused,
    last_at: new Date(lastMs).toISOString(),
    agents: [...agents],
    add: allowCommand(place),
  };
}

function print({ output, session }: Call, place: SeenPlace, agents: readonly string[], number: string): void {
  const parts = [
    place.passed === 0 ? '' : `${place.passed} passed`,
    place.refused === 0 ? '' : `${place.refused} refused`,
    ago(place.lastMs, session.now()),
    agents.join(', '),
  ].filter((part) => part !== '');
  output.line(`${number}${output.paint('bold', escapeText(place.place))}  ${escapeText(parts.join(', '))}`);
  output.line(`    ${escapeText(allowCommand(place))}`);
}
