import { listAt, SublError, textAt, type JsonObject, type JsonValue } from '@subluminal/core-types';
import { callIdOf, callsOfQuestions, hintJson, openHints, type HintRecord } from '@subluminal/records';
import { dataOf, withGateway } from '../gateway/door.js';
import type { Call } from '../program/call.js';
import { withRecord } from '../record/open.js';

export type WaitingKind = 'action' | 'hint' | 'question' | 'tool';

/** Something that a person can answer. */
export interface Waiting {
  readonly kind: WaitingKind;
  /** Of a question or an action its own, of a hint its call's, of a held tool `SERVER/TOOL`. */
  readonly id: string;
  /** The entry of the call that it is about, as `sub query` lists it. */
  readonly number: number | undefined;
  /** It waits; others are answered, and still hold. */
  readonly isOpen: boolean;
  /** All that is known of it. */
  readonly facts: JsonObject;
}

export type Where = Pick<Call, 'home' | 'session'>;

/** All that waits for a person: questions, actions, held tools and hints, and the answers that still hold. */
export async function waitingIn(
  { home, session }: Where,
  patience: { readonly connectTimeoutMs?: number; readonly timeoutMs?: number } = {},
): Promise<readonly Waiting[]> {
  const { approvals, tools } = await withGateway(
    home,
    'operator',
    session.now,
    async (client) => ({
      approvals: dataOf(await client.request('approvals.list', {}, patience)),
      tools: dataOf(await client.request('tools.list', {}, patience)),
    }),
    patience,
  );
  const ids = listAt(approvals, 'questions').map((one) => textAt(one, 'id'));
  const record = await withRecord(home, (reader) => ({
    calls: callsOfQuestions(reader, new Set(ids)),
    hints: openHints(reader).map(hintWaiting),
  }));
  const answerable = (kind: 'action' | 'question', key: string): readonly Waiting[] =>
    listAt(approvals, key).map((facts) => {
      const id = textAt(facts, 'id');
      const isOpen = textAt(facts, 'state') === 'pending';
      return { kind, id, number: record.calls.get(id)?.seq, isOpen, facts };
    });
  return [
    ...answerable('question', 'questions'),
    ...answerable('action', 'approvals'),
    ...heldTools(tools),
    ...record.hints,
  ];
}

/** The shortest name that `show`, `approve` and `deny` take for it. */
export function nameOf({ id, number }: Pick<Waiting, 'id' | 'number'>): string {
  return number === undefined ? id : String(number);
}

/**
 * The entry of its call, by which the record has it and nothing else. The id of a call is chosen by its run,
 * and may be the one of another run's call, or read as a number.
 */
export function entryOf({ id, number }: Pick<Waiting, 'id' | 'number'>): string {
  if (number !== undefined) return String(number);
  throw new SublError('not_found', `the call of \`${id}\` is not among the newest of the record`);
}

/** It for programs; the names are documented in docs/cli.md. */
export function waitingJson({ kind, id, number, facts }: Waiting): JsonObject {
  return { ...facts, kind, id, number: number ?? null };
}

function heldTools(tools: JsonValue): readonly Waiting[] {
  return listAt(tools, 'servers')
    .filter((server) => textAt(server, 'pin') !== 'off')
    .flatMap((server) => {
      const server_name = textAt(server, 'server_name');
      return listAt(server, 'held').map((held): Waiting => ({
        kind: 'tool',
        id: `${server_name}/${textAt(held, 'tool_name')}`,
        number: undefined,
        isOpen: true,
        facts: { server_name, ...held },
      }));
    });
}

function hintWaiting(hint: HintRecord): Waiting {
  const { row, call } = hint;
  const facts = { ...hintJson(hint), object: call?.object ?? null };
  return { kind: 'hint', id: callIdOf(row), number: call?.first.seq, isOpen: true, facts };
}
