import { type JsonObject, listAt, momentAt, numberAt, textAt } from '@subluminal/core-types';
import type { Access } from '../door/peers.js';
import type { State } from '../protocol/state.js';
import type { UiSession } from '../session/sessions.js';
import { objectOf } from './ask.js';

/** The part of the state that is the same for every page. */
export type CommonState = Omit<State, 'access' | 'session' | 'unlocked_until'>;

/** Reads it from the gateway, as a session. `defaultHome`: that of the account, as `sub` has it by itself. */
export async function commonState(session: UiSession, defaultHome: string): Promise<CommonState> {
  const status = await objectOf(session, 'gateway.status');
  const approvals = await objectOf(session, 'approvals.list');
  const tools = await objectOf(session, 'tools.list');
  return {
    ledger: textAt(status, 'ledger', 'ledger_id'),
    head: numberAt(status, 'ledger', 'seq') ?? 0,
    version: textAt(status, 'version'),
    home: textAt(status, 'home'),
    is_default_home: textAt(status, 'home') === defaultHome,
    panicked: panickedIn(status),
    policy: {
      id: textAt(status, 'policy', 'policy_id'),
      hash: textAt(status, 'policy', 'policy_hash'),
      mode: textAt(status, 'policy', 'mode'),
      problem: textAt(status, 'policy', 'error', 'message') || null,
    },
    runs_live: numberAt(status, 'runs', 'live') ?? 0,
    waiting: waitingIn(approvals, tools),
    egress: textAt(status, 'proxy', 'mode'),
  };
}

/** The state as one page is told it. */
export function stateOf(common: CommonState, session: UiSession, access: Access, now: number): State {
  const { id, unlockedUntil } = session;
  return { ...common, session: id, unlocked_until: now < unlockedUntil ? unlockedUntil : null, access };
}

function panickedIn(status: JsonObject): State['panicked'] {
  const since = momentAt(status, 'panicked', 'since');
  return since === undefined ? null : { since, reason: textAt(status, 'panicked', 'reason') };
}

function waitingIn(approvals: JsonObject, tools: JsonObject): number {
  const asked = [...listAt(approvals, 'questions'), ...listAt(approvals, 'approvals')].filter(
    (one) => textAt(one, 'state') === 'pending',
  );
  const held = listAt(tools, 'servers')
    .filter((server) => textAt(server, 'pin') !== 'off')
    .flatMap((server) => listAt(server, 'held'));
  return asked.length + held.length;
}
