import type { Affected } from '@subluminal/policy';

/** Names that are listed of one part; the others are counted. */
const MAX_NAMES = 6;

/** The calls that a change concerns, in one line. */
export function affectedText({
  selectors,
  servers,
  tools,
  risk_classes: classes,
  ...rest
}: Affected): string {
  const { workload, env, agent_id: agents, client } = selectors;
  const who = [
    ...listed('env', env ?? null),
    ...listed('agent', agents ?? null),
    ...listed('client', client ?? null),
    ...Object.entries(workload ?? {}).flatMap(([key, value]) =>
      listed(
        key,
        Array.isArray(value) ? value.map(String) : Object.entries(value).map(([a, b]) => `${a}=${b}`),
      ),
    ),
  ];
  const what = [
    ...listed('tool', tools),
    ...listed('server', servers),
    ...listed('class', classes),
    ...listed('argument', rest.arguments),
    ...listed('object', rest.objects),
    ...listed('hour', rest.utc_hours?.map(String) ?? null),
  ];
  const calls = what.length === 0 ? 'every call' : what.join(', ');
  return `${calls}; ${who.length === 0 ? 'every agent' : who.join(', ')}`;
}

function listed(what: string, names: readonly string[] | null): readonly string[] {
  if (names === null) return [];
  const shown = names.slice(0, MAX_NAMES).map((name) => `\`${name}\``);
  const more = names.length > MAX_NAMES ? [`${names.length - MAX_NAMES} more`] : [];
  return [`${what} ${[...shown, ...more].join(' ')}`];
}
