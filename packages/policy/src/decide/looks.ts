import {
  shown,
  type CommandReading,
  type PathReading,
  type Readings,
  type StatementReading,
} from '@subluminal/readings/facts';
import type { PolicyCall } from '../match/call.js';
import type { CompiledRule } from '../snapshot/rule.js';
import type { PolicySnapshot } from '../snapshot/snapshot.js';

/** The objects of a call, each with the rules that it fits; and the rules that looked at its kind. */
export type Looks = Plain<{
  readonly paths: readonly (Pick<PathReading, 'forms' | 'access'> & Fitting)[];
  readonly commands: readonly (Pick<CommandReading, 'argv' | 'via' | 'runs_unknown'> & Fitting)[];
  readonly hosts: readonly ({ readonly host: string } & Fitting)[];
  readonly statements: readonly (StatementReading & Fitting)[];
  /** The parts that were not read, and why. */
  readonly unread: readonly ({ readonly part: keyof Readings['unread']; readonly why: string } & Fitting)[];
  /** The rules that look at objects of a kind, by the field of their match. */
  readonly looked: Readonly<Record<Field, readonly string[]>>;
}>;

/** A type member by member, which the compiler takes for JSON where all of its members are. */
type Plain<T> = T extends object ? { readonly [Key in keyof T]: Plain<T[Key]> } : T;

interface Fitting {
  readonly rules: readonly string[];
}

type Field = 'path' | 'command' | 'host' | 'sql';
type Objects = Pick<Readings, 'paths' | 'commands' | 'hosts' | 'statements' | 'unread'>;

const ALL_READ: Readings['unread'] = { command: null, sql: null, path: null, host: null };
const NONE: Objects = { paths: [], commands: [], hosts: [], statements: [], unread: ALL_READ };

/** Holds each object of a call against the rules that look at its kind. Undefined where none was read. */
export function looksAt(
  { rules }: Pick<PolicySnapshot, 'rules'>,
  call: PolicyCall,
  now: number,
): Looks | undefined {
  const { readings, server_name: server, tool_name: tool } = call;
  if (readings === undefined) return undefined;
  const asked = rules.filter(
    (rule) => rule.enabled && rule.server?.(server) !== false && rule.tool?.(tool) !== false,
  );
  const looking = (field: Field): readonly CompiledRule[] =>
    asked.filter(({ conditions }) => conditions.some((one) => one.field === field));
  const fitting = (field: Field, alone: Partial<Objects>): Fitting => {
    const facts = {
      call: { ...call, readings: { ...readings, ...NONE, ...alone } },
      tags: [],
      possibleTags: [],
      now,
    };
    const fits = ({ conditions }: CompiledRule): boolean =>
      conditions.some((one) => one.field === field && one.test(facts) === 'yes');
    return { rules: namesOf(looking(field).filter(fits)) };
  };
  const { paths, commands, hosts, statements, unread } = readings;
  return {
    paths: paths.map((one) => ({
      forms: one.forms.map(shown),
      access: one.access,
      ...fitting('path', { paths: [one] }),
    })),
    commands: commands.map((one) => ({
      argv: shown(one.argv),
      via: one.via,
      runs_unknown: one.runs_unknown,
      ...fitting('command', { commands: [one] }),
    })),
    hosts: hosts.map((host) => ({ host, ...fitting('host', { hosts: [host] }) })),
    statements: statements.map((one) => ({ ...one, ...fitting('sql', { statements: [one] }) })),
    unread: (['command', 'sql', 'path', 'host'] as const).flatMap((part) => {
      const why = unread[part];
      return why === null ? [] : [{ part, why, ...fitting(part, { unread: { ...ALL_READ, [part]: why } }) }];
    }),
    looked: {
      path: namesOf(looking('path')),
      command: namesOf(looking('command')),
      host: namesOf(looking('host')),
      sql: namesOf(looking('sql')),
    },
  };
}

function namesOf(rules: readonly CompiledRule[]): readonly string[] {
  return rules.map(({ rule_id }) => rule_id);
}
