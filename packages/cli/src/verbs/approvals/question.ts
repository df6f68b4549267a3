import { listAt, numberAt, textAt, type JsonObject, type JsonValue } from '@subluminal/core-types';

/** A question about a call, as the gateway tells of it. Times are epoch ms. */
export interface ShownQuestion {
  readonly id: string;
  /** The entry of its call; undefined where it is not found. Another run may have a call of the same id. */
  readonly number: number | undefined;
  readonly runId: string;
  readonly ruleId: string;
  /** Server and tool, joined by a dot. */
  readonly tool: string;
  readonly object: string;
  /** The command, files or query are neither cut nor redacted. */
  readonly isWhole: boolean;
  readonly why: string;
  /** A yes for the run is about every call that a budget counts, and not about this one. */
  readonly raises: boolean;
  readonly state: string;
  readonly said: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** The questions in an answer to `approvals.list`. */
export function questionsIn(
  data: JsonValue,
  numberOf: (id: string) => number | undefined,
): readonly ShownQuestion[] {
  return listAt(data, 'questions').map((one) => questionOf(one, numberOf(textAt(one, 'id'))));
}

/** A question out of an answer of the gateway. */
export function questionOf(one: JsonObject, number: number | undefined): ShownQuestion {
  return {
    id: textAt(one, 'id'),
    number,
    runId: textAt(one, 'run_id'),
    ruleId: textAt(one, 'rule_id'),
    tool: `${textAt(one, 'server_name')}.${textAt(one, 'tool_name')}`,
    object: textAt(one, 'object'),
    isWhole: one['whole'] === true,
    why: textAt(one, 'why'),
    raises: one['raises'] === true,
    state: textAt(one, 'state'),
    said: textAt(one, 'said'),
    createdAt: numberAt(one, 'created_at') ?? 0,
    expiresAt: numberAt(one, 'expires_at') ?? 0,
  };
}
