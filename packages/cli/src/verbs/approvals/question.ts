import { listAt, numberAt, textAt, type JsonObject, type JsonValue } from '@subluminal/core-types';

/** A question about a call, as the gateway tells of it. Times are epoch ms. */
export interface ShownQuestion {
  readonly id: string;
  readonly callId: string;
  readonly runId: string;
  readonly ruleId: string;
  /** Server and tool, joined by a dot. */
  readonly tool: string;
  readonly object: string;
  /** The command, files or query are neither cut nor redacted. */
  readonly isWhole: boolean;
  readonly why: string;
  readonly state: string;
  readonly said: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** The questions in an answer to `approvals.list`. */
export function questionsIn(data: JsonValue): readonly ShownQuestion[] {
  return listAt(data, 'questions').map(questionOf);
}

/** A question out of an answer of the gateway. */
export function questionOf(one: JsonObject): ShownQuestion {
  return {
    id: textAt(one, 'id'),
    callId: textAt(one, 'call_id'),
    runId: textAt(one, 'run_id'),
    ruleId: textAt(one, 'rule_id'),
    tool: `${textAt(one, 'server_name')}.${textAt(one, 'tool_name')}`,
    object: textAt(one, 'object'),
    isWhole: one['whole'] === true,
    why: textAt(one, 'why'),
    state: textAt(one, 'state'),
    said: textAt(one, 'said'),
    createdAt: numberAt(one, 'created_at') ?? 0,
    expiresAt: numberAt(one, 'expires_at') ?? 0,
  };
}
