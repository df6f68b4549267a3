import { DecisionAction, type JsonObject, type JsonValue } from '@subluminal/core-types';
import { ClientName, EnvName, Severity } from '@subluminal/core-types';
import type { PolicyIdentity } from '../match/call.js';
import { byPlace, type Finding, type Path, pathText, type PolicyProblem } from '../problem/problem.js';
import { plainKey } from '../source/keys.js';
import type { Places } from '../source/places.js';
import { formatOf, readSource } from '../source/read.js';
import { isTreeMap, type Tree, type TreeMap } from '../source/tree.js';
import {
  type CaseCall,
  type CaseEnd,
  type CaseFileResult,
  type Expected,
  type PolicyCase,
  toolKey,
} from './case-file.js';
import { Fields } from './fields.js';

const MAX_PROBLEMS = 200;
/** Calls of one case, repetitions counted. */
const MAX_CALLS = 100_000;
const DAY_MS = 86_400_000;
/** When a case begins that does not say. */
const NOON = Date.UTC(2026, 0, 1, 12);

const IDENTITY_KEYS = ['agent_id', 'client', 'env', 'workload'] as const;
const WORKLOAD_KEYS = [
  'user',
  'repo_path',
  'ci_provider',
  'job_id',
  'repo',
  'branch',
  'namespace',
  'service_account',
  'pod',
  'labels',
] as const;
const CALL_KEYS = [
  'call',
  'args',
  'uninspected',
  'raised',
  'times',
  'at',
  'after_ms',
  'end',
  'expect',
] as const;
const TEXT_FIELDS = ['reason_code', 'summary'] as const;
const EXPECT_KEYS = [
  'action',
  'rule_id',
  ...TEXT_FIELDS,
  'severity',
  'backoff_ms',
  'tags',
  'hint',
  'terminate',
] as const;
const HINT_KEYS = ['hint_text', 'hint_kind', 'retry_advice', 'suggested_args'] as const;
const TERMINATE_KEYS = ['terminate_code', 'terminate_message'] as const;
const ACTIONS = DecisionAction.options as unknown as readonly [DecisionAction, ...DecisionAction[]];

/** Reads a file of cases: every mistake at once, each with its place. Never throws on any text. */
export function readCases(source: string, filename?: string): CaseFileResult {
  const read = readSource(source, formatOf(source, 'auto', filename));
  if (!read.ok) return read;
  const reader = new CaseReader(read.places);
  const file = reader.file(read.tree);
  const findings = [...read.findings, ...reader.fields.findings];
  return findings.length === 0 ? { ok: true, file } : { ok: false, problems: located(findings, read.places) };
}

type CaseFile = Extract<CaseFileResult, { ok: true }>['file'];

class CaseReader {
  readonly fields = new Fields();
  readonly #places: Places;

  constructor(places: Places) {
    this.#places = places;
  }

  file(tree: Tree): CaseFile {
    const map = this.fields.map(tree, [], ['policy', 'identity', 'tools', 'cases']);
    const policy = has(map, 'policy') ? this.fields.text(map['policy'], ['policy']) : null;
    const identity = this.#identity(map['identity'], ['identity'], DEFAULT_IDENTITY);
    const schemas = has(map, 'tools') ? this.#schemas(map['tools']) : new Map<string, JsonObject>();
    if (!has(map, 'cases')) this.fields.missing([], 'cases', 'add it; it is a list of cases');
    const list = has(map, 'cases') ? this.fields.list(map['cases'], ['cases'], 'cases') : [];
    const cases = list.map((item, at) => this.#case(item, ['cases', at], identity));
    const names = new Set<string>();
    for (const [at, { name }] of cases.entries()) {
      if (name !== '' && names.has(name)) {
        this.fields.wrong(['cases', at, 'name'], 'is the name of a case above', 'give each case its own');
      }
      names.add(name);
    }
    return { policy, inputSchemas: schemas, cases };
  }

  #schemas(tree: Tree | undefined): ReadonlyMap<string, JsonObject> {
    const schemas = new Map<string, JsonObject>();
    if (!isTreeMap(tree)) {
      this.fields.wrong(
        ['tools'],
        'is not a mapping',
        'write `server/tool: {…}` with the input schema of the tool',
      );
      return schemas;
    }
    for (const [key, value] of Object.entries(tree)) {
      const [server, tool] = this.#names(plainKey(key), ['tools', key]);
      schemas.set(toolKey(server, tool), this.fields.object(value, ['tools', key]));
    }
    return schemas;
  }

  #case(tree: Tree, path: Path, identity: PolicyIdentity): PolicyCase {
    const map = this.fields.map(tree, path, ['name', 'identity', 'at', 'calls']);
    for (const key of ['name', 'calls']) {
      if (isTreeMap(tree) && !has(map, key))
        this.fields.missing(path, key, 'add it; a case has a name and its calls');
    }
    const calls = has(map, 'calls') ? this.fields.list(map['calls'], [...path, 'calls'], 'calls') : [];
    const read = calls.map((item, at) => this.#call(item, [...path, 'calls', at]));
    if (read.reduce((sum, { times }) => sum + times, 0) > MAX_CALLS) {
      this.fields.wrong([...path, 'calls'], 'asks for too many calls', `a case has at most ${MAX_CALLS}`);
    }
    return {
      name: has(map, 'name') ? this.fields.text(map['name'], [...path, 'name']) : '',
      line: this.#places.find(path, 'value').line,
      identity: this.#identity(map['identity'], [...path, 'identity'], identity),
      at: has(map, 'at') ? this.fields.moment(map['at'], [...path, 'at']) : NOON,
      calls: read,
    };
  }

  #call(tree: Tree, path: Path): CaseCall {
    const { fields } = this;
    const map = fields.map(tree, path, CALL_KEYS);
    for (const key of ['call', 'expect']) {
      if (isTreeMap(tree) && !has(map, key))
        fields.missing(path, key, 'add it; a call has `call` and `expect`');
    }
    const [server_name, tool_name] = has(map, 'call') ? this.#tool(map['call'], [...path, 'call']) : ['', ''];
    if (has(map, 'at') && has(map, 'after_ms')) {
      fields.wrong([...path, 'after_ms'], 'stands beside `at`', 'keep one of the two');
    }
    if (has(map, 'args') && has(map, 'uninspected')) {
      fields.wrong(
        [...path, 'uninspected'],
        'stands beside `args`',
        'keep one: the values of such arguments are not known',
      );
    }
    const optional = <Value>(
      key: string,
      read: (value: Tree | undefined, at: Path) => Value,
      absent: Value,
    ): Value => (has(map, key) ? read(map[key], [...path, key]) : absent);
    return {
      line: this.#places.find(path, 'value').line,
      server_name,
      tool_name,
      args: optional('args', (value, at) => fields.object(value, at), {}),
      uninspected: optional<readonly string[] | undefined>(
        'uninspected',
        (value, at) => fields.texts(value, at),
        undefined,
      ),
      raised: optional<readonly string[]>('raised', (value, at) => fields.texts(value, at), []),
      times: optional('times', (value, at) => fields.whole(value, at, MAX_CALLS), 1),
      when: has(map, 'at')
        ? { at: fields.moment(map['at'], [...path, 'at']) }
        : { afterMs: optional('after_ms', (value, at) => fields.whole(value, at, 366 * DAY_MS), 0) },
      end: optional<CaseEnd>('end', (value, at) => this.#end(value, at), { status: 'OK', latency_ms: 0 }),
      expect: this.#expected(map['expect'], [...path, 'expect']),
    };
  }

  #tool(value: Tree | undefined, path: Path): readonly [string, string] {
    if (typeof value === 'string') return this.#names(value, path);
    const [server, tool, ...more] = this.fields.texts(value, path);
    if (server !== undefined && tool !== undefined && more.length === 0) return [server, tool];
    this.fields.wrong(path, 'does not name a tool', TOOL_HELP);
    return ['', ''];
  }

  #names(text: string, path: Path): readonly [string, string] {
    const at = text.indexOf('/');
    if (at > 0 && at < text.length - 1) return [text.slice(0, at), text.slice(at + 1)];
    this.fields.wrong(path, 'does not name a tool', TOOL_HELP);
    return ['', ''];
  }

  #end(value: Tree | undefined, path: Path): CaseEnd {
    const map = this.fields.map(value, path, ['status', 'latency_ms']);
    const statuses = ['OK', 'ERROR', 'TIMEOUT', 'CANCELLED'] as const;
    return {
      status: has(map, 'status') ? this.fields.word(map['status'], [...path, 'status'], statuses) : 'OK',
      latency_ms: has(map, 'latency_ms')
        ? this.fields.whole(map['latency_ms'], [...path, 'latency_ms'], DAY_MS)
        : 0,
    };
  }

  #identity(value: Tree | undefined, path: Path, otherwise: PolicyIdentity): PolicyIdentity {
    if (value === undefined) return otherwise;
    const { fields } = this;
    const map = fields.map(value, path, IDENTITY_KEYS);
    const client = has(map, 'client')
      ? fields.word(map['client'], [...path, 'client'], words(ClientName))
      : undefined;
    const env = has(map, 'env') ? fields.word(map['env'], [...path, 'env'], words(EnvName)) : undefined;
    return {
      agent_id: has(map, 'agent_id')
        ? fields.text(map['agent_id'], [...path, 'agent_id'])
        : otherwise.agent_id,
      client: client ?? otherwise.client,
      env: env ?? otherwise.env,
      workload: has(map, 'workload')
        ? this.#workload(map['workload'], [...path, 'workload'])
        : otherwise.workload,
    };
  }

  #workload(value: Tree | undefined, path: Path): PolicyIdentity['workload'] {
    const map = this.fields.map(value, path, WORKLOAD_KEYS);
    const { labels, ...places } = map;
    const texts = Object.entries(places).map(
      ([key, text]) => [key, this.fields.text(text, [...path, key])] as const,
    );
    const given = labels === undefined ? {} : this.fields.object(labels, [...path, 'labels']);
    const named: Record<string, string> = {};
    for (const [key, label] of Object.entries(given)) {
      if (typeof label === 'string') named[key] = label;
      else this.fields.wrong([...path, 'labels', key], 'is not a text', 'put it in double quotes');
    }
    return { ...Object.fromEntries(texts), ...(labels === undefined ? {} : { labels: named }) };
  }

  #expected(value: Tree | undefined, path: Path): Expected {
    const { fields } = this;
    if (value === undefined || typeof value === 'string') {
      const action = value === undefined ? 'ALLOW' : fields.word(value, path, ACTIONS);
      return { action, fields: {}, hint: {} };
    }
    const map = fields.map(value, path, EXPECT_KEYS);
    if (isTreeMap(value) && !has(map, 'action')) {
      fields.missing(path, 'action', `add it with one of ${ACTIONS.map((one) => `\`${one}\``).join(', ')}`);
    }
    const wanted: Record<string, JsonValue> = {};
    for (const key of TEXT_FIELDS) if (has(map, key)) wanted[key] = fields.text(map[key], [...path, key]);
    if (has(map, 'rule_id')) {
      wanted['rule_id'] = map['rule_id'] === null ? null : fields.text(map['rule_id'], [...path, 'rule_id']);
    }
    if (has(map, 'severity'))
      wanted['severity'] = fields.word(map['severity'], [...path, 'severity'], words(Severity));
    if (has(map, 'backoff_ms')) {
      wanted['backoff_ms'] = fields.whole(
        map['backoff_ms'],
        [...path, 'backoff_ms'],
        Number.MAX_SAFE_INTEGER,
      );
    }
    if (has(map, 'tags')) wanted['tags'] = [...fields.texts(map['tags'], [...path, 'tags'])].toSorted(byText);
    if (has(map, 'terminate')) {
      const terminate = fields.map(map['terminate'], [...path, 'terminate'], TERMINATE_KEYS);
      for (const key of TERMINATE_KEYS) {
        if (has(terminate, key)) wanted[key] = fields.text(terminate[key], [...path, 'terminate', key]);
      }
    }
    const action = has(map, 'action') ? fields.word(map['action'], [...path, 'action'], ACTIONS) : 'ALLOW';
    return { action, fields: wanted, hint: this.#hint(map['hint'], [...path, 'hint']) };
  }

  #hint(value: Tree | undefined, path: Path): Readonly<Record<string, JsonValue>> {
    if (value === undefined) return {};
    const map = this.fields.map(value, path, HINT_KEYS);
    const wanted: Record<string, JsonValue> = {};
    for (const key of HINT_KEYS) if (has(map, key)) wanted[key] = this.fields.json(map[key]);
    return wanted;
  }
}

const TOOL_HELP = 'write `server/tool`, or `["server", "tool"]` where the server has a `/` in its name';
const DEFAULT_IDENTITY: PolicyIdentity = { agent_id: 'agent', client: 'unknown', env: 'unknown' };

function words<const Word extends string>({
  options,
}: {
  readonly options: readonly Word[];
}): readonly [Word, ...(readonly Word[])] {
  const [first, ...rest] = options;
  if (first === undefined) throw new Error('an enumeration has no words');
  return [first, ...rest];
}

function has(map: TreeMap, key: string): boolean {
  return Object.hasOwn(map, key);
}

function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function located(findings: readonly Finding[], places: Places): readonly PolicyProblem[] {
  return findings
    .map(({ code, message, path, at, help }): PolicyProblem => {
      const text = pathText(path.map((step) => (typeof step === 'number' ? step : plainKey(step))));
      const place = places.find(path, at);
      return {
        severity: 'error',
        code,
        message,
        ...place,
        path: text,
        ...(help === undefined ? {} : { help }),
      };
    })
    .toSorted(byPlace)
    .slice(0, MAX_PROBLEMS);
}
