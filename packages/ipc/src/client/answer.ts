import {
  type ActionResponse,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ResponseError,
} from '@subluminal/core-types';

const STATUSES = [
  'success',
  'error',
  'requires_approval',
  'rate_limited',
] as const satisfies readonly ActionResponse['status'][];

/**
 * The answer in a frame, rebuilt from the signed fields alone so that nothing unsigned travels further;
 * undefined when the frame has not the shape of one.
 */
export function answerOf(frame: Readonly<Record<string, JsonValue | undefined>>): ActionResponse | undefined {
  const { requestId, timestamp, auditRef, signature } = frame;
  const status = STATUSES.find((candidate) => candidate === frame['status']);
  if (typeof requestId !== 'string' || typeof timestamp !== 'string' || status === undefined)
    return undefined;
  if (typeof auditRef !== 'string' || typeof signature !== 'string') return undefined;
  const answer: ActionResponse = { requestId, timestamp, status, auditRef, signature };
  const data = frame['data'];
  if (data !== undefined) answer.data = data;
  const error = frame['error'];
  if (error === undefined) return answer;
  if (!isResponseError(error)) return undefined;
  answer.error = error;
  return answer;
}

function isResponseError(value: JsonValue): value is ResponseError & JsonObject {
  if (!isJsonObject(value)) return false;
  const { code, message, help, details } = value;
  return (
    typeof code === 'string' &&
    typeof message === 'string' &&
    (help === undefined || typeof help === 'string') &&
    (details === undefined || isJsonObject(details))
  );
}
