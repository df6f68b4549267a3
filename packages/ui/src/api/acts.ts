import { type ActionName, type JsonObject, Label, listAt, Sha256Hex, textAt } from '@subluminal/core-types';
import * as z from 'zod';
import type { Access } from '../door/peers.js';
import { UiRefusal } from '../door/refusal.js';
import { type Act, type Acted, widens } from '../protocol/acts.js';
import type { Card } from '../protocol/inbox.js';
import type { Reader } from '../reader/reader.js';
import type { Sessions, UiSession } from '../session/sessions.js';
import { askGateway, objectOf } from './ask.js';
import { cardsNow } from './cards.js';
import { LAYER_ID } from './layers.js';

const Id = z.string().min(1).max(64);

const LayerId = z.string().regex(LAYER_ID);
/** The body as a whole bounds their length. */
const Paths = z.array(z.string().min(1)).min(1).max(2000).nullable();

const ActSchema = z.discriminatedUnion('act', [
  z.strictObject({ act: z.literal('approve'), id: Id, for: z.enum(['once', 'run']), shown: Sha256Hex }),
  z.strictObject({ act: z.literal('deny'), id: Id, say: z.string().max(300), shown: Sha256Hex }),
  z.strictObject({
    act: z.literal('promote'),
    run: Label,
    call: Id,
    any_args: z.boolean(),
    shown: Sha256Hex,
  }),
  z.strictObject({
    act: z.literal('take'),
    server: Label,
    tool: z.string().min(1).max(512),
    shown: Sha256Hex,
  }),
  z.strictObject({
    act: z.literal('layer-commit'),
    layer: LayerId,
    paths: Paths,
    risky: z.boolean(),
    overwrite: z.boolean().optional(),
    shown: Sha256Hex,
  }),
  z.strictObject({ act: z.literal('layer-discard'), layer: LayerId, paths: Paths, shown: Sha256Hex }),
  z.strictObject({
    act: z.literal('rule'),
    entry: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
    as: z.string().regex(/^[a-z]{1,20}$/),
    shown: Sha256Hex,
  }),
  z.strictObject({ act: z.literal('reload'), shown: Sha256Hex, over: Sha256Hex }),
  z.strictObject({ act: z.literal('panic'), reason: z.string().max(500) }),
  z.strictObject({ act: z.literal('resume') }),
]);

/** An action of the gateway that an act stands for. */
interface Asking {
  readonly action: ActionName;
  readonly payload: JsonObject;
}

export interface ActsParts {
  readonly reader: Pick<Reader, 'ask'>;
  readonly sessions: Pick<Sessions, 'isUnlocked'>;
}

/**
 * Does what the page asks for, as its session and by the gateway's own road. An act that widens needs an
 * unlocked session; an answer to a card is held against the card as it is now, and a decision on a layer or
 * the policy file against that.
 *
 * @throws UiRefusal `bad_request`, `read_only`, `locked`, `changed`, and the gateway's refusals.
 */
export async function act(
  { reader, sessions }: ActsParts,
  session: UiSession,
  access: Access,
  body: JsonObject,
): Promise<Acted> {
  const read = ActSchema.safeParse(body);
  if (!read.success) throw new UiRefusal(400, 'bad_request', 'the page asks for something unknown');
  const asked: Act = read.data;
  if (access !== 'full')
    throw new UiRefusal(
      403,
      'read_only',
      'it cannot be told which process asks, so nothing is changed',
      'use `sub` in a terminal',
    );
  if (widens(asked.act) && !sessions.isUnlocked(session))
    throw new UiRefusal(403, 'locked', 'this allows more than before', 'run `sub ui unlock` in a terminal');
  const { action, payload } = await askingOf(asked, session, reader);
  const { auditRef, data } = await askGateway(session, action, payload);
  // A definition that changed between the look and the answer is left, and nothing was taken.
  if (asked.act === 'take' && listAt(data, 'left').length > 0) throw changed();
  return { audit_ref: auditRef, data };
}

async function askingOf(asked: Act, session: UiSession, reader: Pick<Reader, 'ask'>): Promise<Asking> {
  switch (asked.act) {
    case 'panic':
      return { action: 'panic.begin', payload: { reason: asked.reason } };
    case 'resume':
      return { action: 'panic.end', payload: {} };
    case 'layer-commit':
    case 'layer-discard': {
      const { layer, paths, shown } = asked;
      const does = asked.act === 'layer-commit' ? 'commit' : 'discard';
      const chosen = paths === null ? {} : { paths: [...paths] };
      const risky = asked.act === 'layer-commit' && asked.risky ? { risky: true } : {};
      const over = asked.act === 'layer-commit' && asked.overwrite === true ? { overwrite: true } : {};
      if ('overwrite' in over && paths === null)
        throw new UiRefusal(400, 'bad_request', 'files that are overwritten are named');
      // `sub` holds the layer against the digest, where it is done.
      return { action: 'ui.layer', payload: { does, layer_id: layer, shown, ...chosen, ...risky, ...over } };
    }
    case 'rule': {
      const { as, entry, shown } = asked;
      return { action: 'ui.rule', payload: { as, entry, shown } };
    }
    case 'reload':
      return { action: 'policy.reload', payload: { policy_hash: asked.shown, previous_hash: asked.over } };
    case 'approve': {
      const { kind } = await cardOf(asked, session, reader);
      const reach = kind === 'question' ? { for: asked.for } : {};
      return { action: 'approvals.approve', payload: { approval_id: asked.id, ...reach } };
    }
    case 'deny': {
      const { kind } = await cardOf(asked, session, reader);
      const say = kind === 'question' && asked.say !== '' ? { say: asked.say } : {};
      return { action: 'approvals.deny', payload: { approval_id: asked.id, ...say } };
    }
    case 'promote': {
      await cardOf(asked, session, reader);
      const { any_args, call: call_id, run: run_id } = asked;
      return { action: 'hints.promote', payload: { run_id, call_id, any_args } };
    }
    case 'take': {
      const { facts } = await cardOf(asked, session, reader);
      // The hash proves that the page showed it: it counts as shown, as a look by `sub tools diff` does.
      await objectOf(session, 'tools.diff', {
        server_name: asked.server,
        tool_name: asked.tool,
        shown: true,
      });
      const tools = [{ tool_name: asked.tool, hash: textAt(facts, 'hash') }];
      return { action: 'tools.approve', payload: { server_name: asked.server, tools } };
    }
  }
}

/** An answer to a card of the inbox. */
type Answer = Exclude<
  Extract<Act, { readonly shown: string }>,
  { readonly act: 'layer-commit' | 'layer-discard' | 'reload' | 'rule' }
>;

/** The card that an act answers, if it shows now what it showed then. */
async function cardOf(asked: Answer, session: UiSession, reader: Pick<Reader, 'ask'>): Promise<Card> {
  const found = (await cardsNow(session, reader)).find((card) => isAbout(asked, card));
  if (found?.shown === asked.shown) return found;
  throw changed();
}

function changed(): UiRefusal {
  return new UiRefusal(409, 'changed', 'it is not what was shown any more', 'look at it again');
}

function isAbout(asked: Answer, { facts, id, kind, run }: Card): boolean {
  switch (asked.act) {
    case 'approve':
    case 'deny':
      return (kind === 'question' || kind === 'action') && id === asked.id;
    case 'promote':
      return kind === 'hint' && run === asked.run && id === asked.call;
    case 'take':
      return (
        kind === 'tool' &&
        textAt(facts, 'server_name') === asked.server &&
        textAt(facts, 'tool_name') === asked.tool
      );
  }
}
