import {
  valueAt,
  ClientName,
  EnvName,
  isJsonObject,
  isSublError,
  parseJson,
  SublError,
  textAt,
  Workload,
  type JsonObject,
  type JsonValue,
} from '@subluminal/core-types';

/** A call that never was, as `--if` describes it and `policy.explain` takes it. */
export interface AskedCall {
  readonly server_name: string;
  readonly tool_name: string;
  readonly args: JsonObject;
  readonly identity?: JsonObject;
}

/** Somebody of whom nothing is known: no selector that names anybody matches. */
export const UNKNOWN = { agent_id: 'unknown', client: 'unknown', env: 'unknown' } as const;

const EXAMPLE = '`{"server": "files", "tool": "write_file", "args": {"path": "/tmp/x"}}`';

/** Reads what `--if` was given. Throws `usage` for all that would be passed over otherwise. */
export function askedCall(text: string): AskedCall {
  const value = parsed(text);
  const other = unknownKey(value, ['server', 'tool', 'args', 'identity']);
  if (other !== undefined) throw mistake(`has the member \`${other}\``);
  const server_name = textAt(value, 'server');
  const tool_name = textAt(value, 'tool');
  if (server_name === '' || tool_name === '')
    throw mistake(
      'names no `server` or no `tool`',
      `it takes ${EXAMPLE}; the server of a client's own tools is \`claude:builtin\` or \`codex:builtin\``,
    );
  const { args = {}, identity } = value;
  if (!isJsonObject(args)) throw mistake('has `args` that are not an object');
  return {
    server_name,
    tool_name,
    args,
    ...(identity === undefined ? {} : { identity: identityIn(identity) }),
  };
}

function identityIn(value: JsonValue): JsonObject {
  const takes = '`identity` takes `agent_id`, `client`, `env` and `workload`; what is left out is unknown';
  if (!isJsonObject(value)) throw mistake('has an `identity` that is not an object', takes);
  const other = unknownKey(value, ['agent_id', 'client', 'env', 'workload']);
  if (other !== undefined) throw mistake(`has the member \`identity.${other}\``, takes);
  const identity = { ...UNKNOWN, ...value };
  if (typeof identity.agent_id !== 'string')
    throw mistake('has an `identity.agent_id` that is not a text', takes);
  for (const [key, words] of [
    ['client', ClientName.options],
    ['env', EnvName.options],
  ] as const) {
    if (words.some((word) => word === identity[key])) continue;
    const allowed = words.map((word) => `\`${word}\``).join(', ');
    throw mistake(`has an \`identity.${key}\` that does not exist`, `it is one of ${allowed}`);
  }
  const workload = valueAt(value, 'workload');
  if (workload === null || Workload.safeParse(workload).success) return identity;
  throw mistake(
    'has an `identity.workload` that cannot be',
    `its members are texts: ${Object.keys(Workload.shape).join(', ')}; \`labels\` is an object of texts`,
  );
}

function unknownKey(value: JsonObject, known: readonly string[]): string | undefined {
  return Object.keys(value).find((key) => !known.includes(key));
}

function parsed(text: string): JsonObject {
  try {
    const value = parseJson(text);
    if (isJsonObject(value)) return value;
  } catch (error) {
    if (!isSublError(error, 'invalid_json', 'too_deep')) throw error;
  }
  throw mistake('is not a json object');
}

function mistake(what: string, help = `it takes ${EXAMPLE}`): SublError {
  return new SublError('usage', `what \`--if\` was given ${what}`, { help });
}
