import {
  ACTIONS,
  type ActionName,
  ActionRequest,
  isActionName,
  isJsonObject,
  isSublError,
  payloadText,
  type PayloadText,
  FrameReader,
  type ReadFrame,
  SERVICE_ACTIONS,
  startOf,
  SublError,
  type JsonObject,
  type JsonValue,
  type Speaks,
  firstMistake,
  isOverFrameParts,
  type Mistake,
} from '@subluminal/core-types';
import type { Call, Envelope, ReadRequest } from './call.js';
import type { Caller } from './caller.js';
import { mismatch, takeSpeaks } from './introduction.js';
import { refuse, refuseFor, type Refusal } from './reply.js';
import type { Gate, Gated } from './stage.js';
import type { Passed } from './steps.js';

/** Longest part of an unchecked id or signature that an answer repeats. */
const MAX_ECHO = 128;

/**
 * Stage 1: the frame is one JSON object of the known shape, and its payload fits the schema of its action.
 * Before that, a client of another protocol is told so: nothing else that could be said of its request would
 * mean anything to it.
 */
export function schemaStage(ours: Speaks): Gate {
  const reader = new FrameReader();
  return { name: 'schema', run: (call) => check(call, reader, ours) };
}

function check(call: Call, reader: FrameReader, ours: Speaks): Gated {
  const { text, stream } = call.frame;
  // Not read at all, so that its place in the stream is as lost as that of a frame that is not JSON.
  if (isOverFrameParts(text))
    return refuse('invalid_request', 'the request has more values than a frame may hold', { close: true });
  let frame: ReadFrame | Promise<ReadFrame>;
  try {
    frame = reader.read(text, call.caller.run ?? call.caller.kind);
  } catch (error) {
    return unreadable(error);
  }
  if (!(frame instanceof Promise)) return take(call, frame, ours);
  stream.reading = Promise.allSettled([frame]).then(() => (stream.reading = undefined));
  return frame.then((read) => take(call, read, ours), unreadable);
}

/** A frame that is not strict JSON has lost the place in its stream: after an answer the connection ends. */
function unreadable(error: unknown): Refusal {
  if (isSublError(error)) return refuseFor(error, { close: true });
  throw error;
}

function take(call: Call, { value, payload: written }: ReadFrame, ours: Speaks): Passed | Refusal {
  const { stream } = call.frame;
  if (isJsonObject(value)) {
    call.requestId = echo(value, 'id');
    call.requestMac = echo(value, 'signature');
    const named = echo(value, 'action');
    if (isActionName(named)) call.named = named;
    const stranger = strangeness(call.caller, value, ours);
    if (stranger !== undefined) stream.stranger = stranger;
  }
  if (stream.stranger !== undefined) return stream.stranger;
  try {
    const { envelope, read } = readRequest(value, written);
    call.envelope = envelope;
    call.read = read;
    return 'pass';
  } catch (error) {
    if (isSublError(error)) return refuseFor(error);
    throw error;
  }
}

/** The refusal of a request whose client says that it speaks something else. */
function strangeness(caller: Caller, value: JsonObject, ours: Speaks): Refusal | undefined {
  const payload = Object.hasOwn(value, 'payload') ? value['payload'] : undefined;
  if (!isJsonObject(payload)) return undefined;
  const { speaks } = takeSpeaks(payload);
  return speaks === undefined ? undefined : mismatch(caller, speaks, ours);
}

/** `written`: the payload's canonical text, where reading it has given that already. */
function readRequest(
  value: JsonValue,
  written: PayloadText | undefined,
): { readonly envelope: Envelope; readonly read: ReadRequest } {
  const envelope = ActionRequest.safeParse(value);
  if (!envelope.success) throw unfit('the request', firstMistake(envelope.error, value, 'the request'));
  const request = envelope.data;
  const { action } = request;
  if (!isActionName(action))
    throw new SublError('invalid_request', `there is no action \`${printable(action)}\``, {
      help: `the actions on services are ${SERVICE_ACTIONS.map((name) => `\`${name}\``).join(', ')}`,
    });
  const { payload: own, speaks } = takeSpeaks(request.payload);
  const introduces = speaks !== undefined;
  // The arguments are the largest part of it, and the same with and without the client's word about itself.
  const read = readAction(action, own, introduces ? { args: written?.args } : written);
  const signedCanonical = introduces
    ? (written ?? payloadText(request.payload, { args: read.argsCanonical })).text
    : read.payloadCanonical;
  return { envelope: { request, signedCanonical, introduces }, read };
}

/**
 * Reads what is asked for. `written`: what is known of the payload's canonical text.
 *
 * @throws SublError `invalid_request` for a payload that does not fit the schema of its action.
 */
export function readAction(
  action: ActionName,
  own: JsonObject,
  written: PayloadText | Pick<PayloadText, 'args'> | undefined,
): ReadRequest {
  const definition = ACTIONS[action];
  const payload = definition.payload.safeParse(own);
  if (!payload.success) {
    const mistake = firstMistake(payload.error, own, 'the payload');
    throw unfit(`the payload of \`${action}\``, mistake);
  }
  if (!isPlainObject(payload.data)) throw new SublError('invalid_request', 'the payload is no object');
  const isWhole = written !== undefined && 'text' in written;
  const { text: payloadCanonical, args: argsCanonical } = isWhole ? written : payloadText(own, written);
  return { action, definition, payload: payload.data, payloadCanonical, argsCanonical };
}

function unfit(what: string, { message, help }: Mistake): SublError {
  return new SublError('invalid_request', `${what} does not fit: ${message}`, { help });
}

function echo(value: JsonObject, key: string): string {
  const text = Object.hasOwn(value, key) ? value[key] : undefined;
  // A `|` cannot be part of a signed text; an answer to such a request is bound to nothing.
  return typeof text === 'string' && text.length <= MAX_ECHO && !text.includes('|') ? text : '';
}

function printable(text: string): string {
  return startOf(text.replaceAll(/\p{C}/gu, '\u{fffd}'), 200);
}

function isPlainObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
