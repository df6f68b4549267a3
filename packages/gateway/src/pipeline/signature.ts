import { macEquals, requestMac, isSublError, WORLD_ACTIONS } from '@subluminal/core-types';
import type { Call } from './call.js';
import { enterRun } from './enter-run.js';
import { silence } from './introduction.js';
import { refuse } from './reply.js';
import type { Gate } from './stage.js';

/** How old or new a request may be, in milliseconds. ARCHITECTURE.md, "The socket". */
const FRESHNESS_MS = 30_000;

/**
 * Stage 2: the request was signed with the session's key for this place in the stream, comes from who shook
 * hands, asks for something that this key may ask for, is fresh, and its id is new on this connection. Ids of
 * other connections are found by the ledger, which claims each in the commit of its entry.
 */
export const signatureStage: Gate = {
  name: 'signature',
  run(call) {
    const { action, definition } = call.read;
    const { request, introduces } = call.envelope;
    const { kind, source, world } = call.caller;
    const { stream } = call.frame;
    if (!isSigned(call)) {
      // Nothing that follows in this stream can be placed any more.
      return refuse('bad_signature', 'the signature of the request does not verify', { close: true });
    }
    if (introduces) stream.introduced = true;
    if (!stream.introduced) return silence(call.caller);
    if (request.source !== source) {
      return refuse('not_permitted', 'the request names another source than its connection');
    }
    if (!definition.permitted.includes(kind)) {
      return refuse('not_permitted', `this key may not ask for \`${action}\``);
    }
    if (world !== undefined && !WORLD_ACTIONS.has(action)) {
      return refuse('not_permitted', `nobody may ask for \`${action}\` from inside of a world`);
    }
    if (Math.abs(Date.parse(request.timestamp) - call.now) > FRESHNESS_MS) {
      return refuse('stale_timestamp', 'the request is older or newer than 30 s', {
        details: { now: new Date(call.now).toISOString() },
      });
    }
    if (!stream.recent.claim(request.id))
      return refuse('replayed', `the request id \`${request.id}\` was used before`);
    return enterRun(call);
  },
};

function isSigned(call: Call): boolean {
  const { request, introduces, signedCanonical: payloadCanonical } = call.envelope;
  const { id, timestamp, action } = request;
  const { verifyKey, seq } = call.frame;
  // The hash is that of the entry, unless the client's word about itself was signed with it.
  const payload = introduces ? { payloadCanonical } : { payloadHash: call.payloadHash };
  try {
    const expected = requestMac(verifyKey, { seq, id, timestamp, action, ...payload });
    return macEquals(request.signature, expected);
  } catch (error) {
    // A text that cannot be signed without ambiguity was not signed.
    if (isSublError(error, 'bad_signature')) return false;
    throw error;
  }
}
