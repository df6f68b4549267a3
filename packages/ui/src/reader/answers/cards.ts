import { commandText, type JsonObject, listAt, numberAt, textAt } from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';
import {
  callIdOf,
  callsOfQuestions,
  hintJson,
  type HintRecord,
  openHints,
  passedByQuestions,
} from '@subluminal/records';
import type { Card } from '../../protocol/inbox.js';
import { shownHash } from './shown-hash.js';

/** All that waits for a person, out of what the gateway and the record say. Questions come first. */
export function cards(reader: LedgerReader, approvals: JsonObject, tools: JsonObject): readonly Card[] {
  const questions = listAt(approvals, 'questions');
  const ids = new Set(questions.map((one) => textAt(one, 'id')));
  const calls = callsOfQuestions(reader, ids);
  const yes = questions.filter((one) => !['denied', 'pending'].includes(textAt(one, 'state')));
  const passed = passedByQuestions(
    reader,
    new Set(yes.map((one) => textAt(one, 'id'))),
    Math.min(...yes.map((one) => numberAt(one, 'created_at') ?? 0)),
  );
  return [
    ...questions.map((facts) => {
      const id = textAt(facts, 'id');
      const seq = calls.get(id)?.seq ?? null;
      const command = commandText(['approvals', 'show'], [String(seq ?? id)]).text;
      return { ...card('question', id, seq, facts, command), passed: passed.get(id) ?? null };
    }),
    ...listAt(approvals, 'approvals').map((facts) => {
      const id = textAt(facts, 'id');
      return card('action', id, null, facts, commandText(['approvals', 'show'], [id]).text);
    }),
    ...listAt(tools, 'tools').map((facts) => {
      const [server, tool] = [textAt(facts, 'server_name'), textAt(facts, 'tool_name')];
      return card(
        'tool',
        `${server}/${tool}`,
        null,
        facts,
        commandText(['tools', 'diff'], [server, tool]).text,
      );
    }),
    ...hintCards(reader),
  ];
}

/** Hints that can still be promoted. */
export function hintCards(reader: LedgerReader): readonly Card[] {
  return openHints(reader).map(hintCard);
}

function hintCard(hint: HintRecord): Card {
  const { call, row } = hint;
  const facts = hintJson(hint);
  const id = callIdOf(row);
  return card(
    'hint',
    id,
    call?.first.seq ?? null,
    facts,
    commandText(['hints', 'show'], [String(call?.first.seq ?? id)]).text,
  );
}

function card(kind: Card['kind'], id: string, seq: number | null, facts: JsonObject, command: string): Card {
  const isAsked = kind === 'question' || kind === 'action';
  return {
    kind,
    id,
    seq,
    run: textAt(facts, 'run_id') || null,
    open: !isAsked || textAt(facts, 'state') === 'pending',
    shown: shownHash(facts),
    facts,
    passed: null,
    expires: isAsked ? (numberAt(facts, 'expires_at') ?? null) : null,
    command,
  };
}
