import {
  errorOf,
  valueAt,
  isJsonObject,
  isSublError,
  parseJson,
  SERVICE_ACTIONS,
  SublError,
  textAt,
  type ActionResponse,
  type JsonObject,
  type ServiceAction,
} from '@subluminal/core-types';
import type { Command } from 'commander';
import { EXIT } from '../program/exit/codes.js';
import { type Asker, withGateway } from '../gateway/door.js';
import { keyAround } from '../gateway/outside-run.js';
import { escapeText } from '../output/escape.js';
import type { Call } from '../program/call.js';
import { choice, string, strings, type Values } from '../program/flags.js';
import { givenText } from '../program/given-text.js';
import type { Does } from '../program/verb.js';
import { printable } from '../output/printable.js';
import { ACCOUNT_ADVICE } from './account/advice.js';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'] as const;
const CALL_TIMEOUT_MS = 120_000;

const FLAGS = {
  payload: string('<json>', 'its payload: JSON, `@file`, or `-` for standard input (default: an empty one)'),
  url: string('<url>', 'service.api_call: the address'),
  method: choice('<name>', `service.api_call: ${METHODS.join(', ')} (default GET)`, METHODS),
  header: strings('<name: value>', 'service.api_call: a header; may be repeated'),
  body: string('<text>', 'service.api_call: the body, sent as it is'),
  service: string('<label>', 'service.api_call: a label for people (default: the host)'),
};

type Given = Call<Values<typeof FLAGS>>;

/**
 * `sub call ACTION`: one action on a service, decided, executed and recorded by the gateway. Inside a run it
 * is the run that asks.
 */
export function define(command: Command, does: Does): void {
  does(command.argument('<action>', 'the action, such as service.api_call'), FLAGS, async (call) => {
    const action = serviceAction(call.operand(0, 'action'));
    const payload = payloadOf(call, action);
    const asker = (await keyAround(call)) ?? 'operator';
    const answer = await withGateway(call.home, asker, call.session.now, (client) =>
      client.request(action, payload, { timeoutMs: CALL_TIMEOUT_MS }),
    );
    if (answer.status !== 'success') throw refusalOf(asker, answer);
    print(call, answer);
    return EXIT.done;
  });
}

/** Every other action has a verb of its own, with the checks that belong to it. */
function serviceAction(name: string): ServiceAction {
  const action = SERVICE_ACTIONS.find((one) => one === name);
  if (action !== undefined) return action;
  throw new SublError('invalid_request', `\`${name}\` is not an action on a service`, {
    help: `the actions are ${SERVICE_ACTIONS.map((one) => `\`${one}\``).join(', ')}`,
  });
}

function payloadOf(call: Given, action: string): JsonObject {
  const text = call.flags.payload;
  const url = call.flags.url;
  if (text !== undefined && url === undefined) return parsePayload(givenText(text, 'the payload'));
  if (text === undefined && url === undefined && action !== 'service.api_call') return {};
  if (text === undefined && url !== undefined && action === 'service.api_call') return apiCall(call, url);
  throw new SublError('usage', 'the payload is missing, or given twice', {
    help: 'give either `--payload`, or for service.api_call `--url` and its companions',
  });
}

function apiCall(call: Given, url: string): JsonObject {
  const headers = call.flags.header.map((line): [string, string] => {
    const colon = line.indexOf(':');
    if (colon < 1) {
      throw new SublError('usage', `\`${line}\` is not a header`, { help: 'write it as `name: value`' });
    }
    return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
  });
  const body = call.flags.body;
  return {
    service: call.flags.service ?? hostOf(url),
    endpoint: url,
    method: call.flags.method ?? 'GET',
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
    ...(body === undefined ? {} : { body }),
  };
}

/** Only a label; what the address means is the gateway's to say. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host || 'unknown' : 'unknown';
}

function parsePayload(text: string): JsonObject {
  const help = 'write it as `{"name": …}`, as `@file`, or as `-` for standard input';
  try {
    const value = parseJson(text);
    if (isJsonObject(value)) return value;
  } catch (cause) {
    if (!isSublError(cause, 'invalid_json', 'too_deep')) throw cause;
    throw new SublError(cause.code, `the payload: ${cause.message}`, { cause, help });
  }
  throw new SublError('usage', 'the payload is not a JSON object', { help });
}

/** To the operator the refusal names the verb that answers it; to an agent it does not. */
function refusalOf(asker: Asker, answer: ActionResponse): SublError {
  const error = errorOf(answer);
  const help = asker === 'operator' ? helpFor(error) : 'ask the operator';
  return new SublError(error.code, error.message, {
    ...(help === undefined ? {} : { help }),
    ...(error.details === undefined ? {} : { details: error.details }),
  });
}

function helpFor(error: SublError): string | undefined {
  const id = error.details?.['approval_id'];
  if (error.code === 'requires_approval' && typeof id === 'string') {
    return `\`sub approvals approve ${id}\`, then ask again with the same payload`;
  }
  return error.help ?? ACCOUNT_ADVICE[error.code];
}

function print(call: Call, answer: ActionResponse): void {
  const { output } = call;
  const data = answer.data ?? null;
  if (output.json) {
    output.value({ status: answer.status, data, audit_ref: answer.auditRef });
    return;
  }
  const body = valueAt(data, 'body');
  const status = textAt(data, 'status');
  if (status !== '') output.note(`HTTP ${escapeText(status)}  (audit ${answer.auditRef})`);
  output.lines(printable(status === '' ? data : body));
}
