/** A message that at least one lenient reader takes for a call that the policy refuses. */
export interface Smuggled {
  readonly name: string;
  /** The bytes, without the last line feed. */
  readonly bytes: () => Buffer;
}

/** The policy of these attacks: `danger` never, `read` of nothing but `/safe`, everything else. */
export const POLICY = `
policy_id: smuggling
version: "1"
mode: guardrails
defaults: { decision_on_error: BLOCK }
selectors: {}
rules:
  - { rule_id: no-danger, kind: deny, enabled: true, severity: critical, match: { tool_name: { glob: ["danger"] } },
      effect: { action: BLOCK, reason_code: DENYLIST_MATCH, message: "no danger" } }
  - { rule_id: safe-read, kind: allow, enabled: true, severity: info,
      match: { tool_name: { glob: ["read"] }, args: { key_equals: { path: "/safe" } } },
      effect: { action: ALLOW, reason_code: ALLOWLIST_MATCH, message: "safe" } }
  - { rule_id: no-read, kind: deny, enabled: true, severity: critical, match: { tool_name: { glob: ["read"] } },
      effect: { action: BLOCK, reason_code: DENYLIST_MATCH, message: "no reading" } }
`;

/** What the policy refuses, as a server logs it. */
export const REFUSED = /^danger |^read \/secret/m;

const MIB = 1_048_576;
const text = (name: string, line: string | (() => string)): Smuggled => ({
  name,
  bytes: () => Buffer.from(typeof line === 'string' ? line : line()),
});
const raw = (name: string, bytes: () => Buffer): Smuggled => ({ name, bytes });

const DANGER = '"params":{"name":"danger","arguments":{}}';
const HEAD = '{"jsonrpc":"2.0","id":"s",';
const call = (params: string): string => `${HEAD}"method":"tools/call","params":{${params}}}`;
const pad = (bytes: number): string => `"pad":"${'x'.repeat(bytes)}"`;
/** `count` containers around nothing, the text of which nests deeper than arguments are inspected. */
const nest = (count: number): string => '['.repeat(count) + ']'.repeat(count);

const plain: readonly Smuggled[] = [
  text('the call itself', call('"name":"danger","arguments":{}')),
  text('the call without arguments', call('"name":"danger"')),
  text('an id of 0', `{"jsonrpc":"2.0","id":0,"method":"tools/call",${DANGER}}`),
  text(
    'an id of a thousand digits',
    `{"jsonrpc":"2.0","id":${'9'.repeat(1000)},"method":"tools/call",${DANGER}}`,
  ),
  text('an id of 1e999999999', `{"jsonrpc":"2.0","id":1e999999999,"method":"tools/call",${DANGER}}`),
  text('an id that is null', `{"jsonrpc":"2.0","id":null,"method":"tools/call",${DANGER}}`),
  text('an id that is an object', `{"jsonrpc":"2.0","id":{},"method":"tools/call",${DANGER}}`),
  text(
    'an id of 2,000 characters',
    `{"jsonrpc":"2.0","id":"${'i'.repeat(2000)}","method":"tools/call",${DANGER}}`,
  ),
  text('no id', `{"jsonrpc":"2.0","method":"tools/call",${DANGER}}`),
  text('no version', `{"id":"s","method":"tools/call",${DANGER}}`),
  text('version 2.0 as a number', `{"jsonrpc":2.0,"id":"s","method":"tools/call",${DANGER}}`),
  text('version 1.0', `{"jsonrpc":"1.0","id":"s","method":"tools/call",${DANGER}}`),
  text('a result beside the method', `${HEAD}"result":{},"method":"tools/call",${DANGER}}`),
  text('an error beside the method', `${HEAD}"method":"tools/call",${DANGER},"error":{"code":1}}`),
  text('a tool of the policy in `_meta`', call('"_meta":{"name":"echo","progressToken":1},"name":"danger"')),
  text('as a task', call('"name":"danger","task":{"ttl":60000}')),
  text(
    'as the retry of a call that asked for input',
    call('"name":"danger","inputResponses":{},"requestState":"s"'),
  ),
];

const batches: readonly Smuggled[] = [
  text('a batch of one', `[${call('"name":"danger"')}]`),
  text('a batch behind an allowed call', `[${call('"name":"echo"')},${call('"name":"danger"')}]`),
  text('a batch in a batch', `[[${call('"name":"danger"')}]]`),
  text('a batch of more than a mebibyte', () => `[{${pad(MIB)}},${call('"name":"danger"')}]`),
];

const duplicates: readonly Smuggled[] = [
  text('a second method', `${HEAD}"method":"ping","method":"tools/call",${DANGER}}`),
  text('a first method', `${HEAD}"method":"tools/call","method":"ping",${DANGER}}`),
  text('a second name', call('"name":"echo","name":"danger"')),
  text('a first name', call('"name":"danger","name":"echo"')),
  text('second params', `${HEAD}"method":"tools/call","params":{"name":"echo"},${DANGER}}`),
  text('first params', `${HEAD}"method":"tools/call",${DANGER},"params":{"name":"echo"}}`),
  text('a second path', call('"name":"read","arguments":{"path":"/safe","path":"/secret"}')),
  text('a first path', call('"name":"read","arguments":{"path":"/secret","path":"/safe"}')),
  text('second arguments', call('"name":"read","arguments":{"path":"/safe"},"arguments":{"path":"/secret"}')),
  text('an escaped second method', `${HEAD}"method":"ping","\\u006dethod":"tools/call",${DANGER}}`),
  text('an escaped first name', call('"\\u006e\\u0061me":"danger","name":"echo"')),
  text(
    'an escaped method and tool',
    `${HEAD}"\\u006dethod":"tools\\/call","params":{"name":"\\u0064anger"}}`,
  ),
  text('an escaped second path', call('"name":"read","arguments":{"path":"/safe","pat\\u0068":"/secret"}')),
];

const spellings: readonly Smuggled[] = [
  text('Method', `${HEAD}"method":"ping","Method":"tools/call",${DANGER}}`),
  text('METHOD alone', `${HEAD}"METHOD":"tools/call",${DANGER}}`),
  text('Params', `${HEAD}"method":"tools/call","params":{"name":"echo"},"Params":{"name":"danger"}}`),
  text('a long s', `${HEAD}"method":"tools/call","params":{"name":"echo"},"param\u017f":{"name":"danger"}}`),
  text('a dotted I', `{"jsonrpc":"2.0","\u0130d":"s","method":"tools/call",${DANGER}}`),
  text('Name', call('"name":"echo","Name":"danger"')),
  text('NAME before name', call('"NAME":"danger","n":1,"name":"danger"')),
  text('Path', call('"name":"read","arguments":{"path":"/safe","Path":"/secret"}')),
  text('Arguments', call('"name":"read","arguments":{"path":"/safe"},"Arguments":{"path":"/secret"}')),
  text('Tools/Call', `${HEAD}"method":"Tools/Call",${DANGER}}`),
  text('a method with a space behind it', `${HEAD}"method":"tools/call ",${DANGER}}`),
  text('a method that ends at a NUL', `${HEAD}"method":"tools/call\\u0000x",${DANGER}}`),
  text('a method key that ends at a NUL', `${HEAD}"method":"ping","method\\u0000":"tools/call",${DANGER}}`),
  text('a name key that ends at a NUL', call('"name":"echo","name\\u0000 and much more of it":"danger"')),
  text('a tool that ends at a NUL', call('"name":"danger\\u0000x"')),
  text(
    'a path key that ends at a NUL',
    call('"name":"read","arguments":{"path":"/safe","path\\u0000x":"/secret"}'),
  ),
];

const encodings: readonly Smuggled[] = [
  text('a byte order mark', `\ufeff${call('"name":"danger"')}`),
  raw('an overlong letter in the tool', () =>
    Buffer.concat([
      Buffer.from(call('"name":"').slice(0, -2)),
      Buffer.from([0xc1, 0xa4]),
      Buffer.from('anger"}}'),
    ]),
  ),
  raw('an overlong letter in a second key', () =>
    Buffer.concat([
      Buffer.from(`${HEAD}"`),
      Buffer.from([0xc1, 0xad]),
      Buffer.from(`ethod":"tools/call","method":"ping",${DANGER}}`),
    ]),
  ),
  raw('a broken byte beside the call', () =>
    Buffer.concat([
      Buffer.from(`${HEAD}"x":"`),
      Buffer.from([0xff]),
      Buffer.from(`","method":"tools/call",${DANGER}}`),
    ]),
  ),
  text('half of a surrogate pair', `${HEAD}"x":"\\ud800","method":"tools/call",${DANGER}}`),
  text('a raw NUL in a text', `${HEAD}"x":"\0","method":"tools/call",${DANGER}}`),
  text('a raw tab in a text', `${HEAD}"x":"\t","method":"tools/call",${DANGER}}`),
  text('NaN', `${HEAD}"x":NaN,"method":"tools/call",${DANGER}}`),
  text('a comma too many', `${HEAD}"method":"tools/call",${DANGER},}`),
  text('text behind the message', `${call('"name":"danger"')} and more`),
  text(
    'a second message behind the first',
    `${HEAD}"method":"tools/call",${DANGER}}{"jsonrpc":"2.0","method":"x"}`,
  ),
];

const BREAKS = [
  ['a carriage return', '\r'],
  ['a vertical tab', '\v'],
  ['a form feed', '\f'],
  ['a next line (NEL)', '\u0085'],
  ['a line separator', '\u2028'],
  ['a paragraph separator', '\u2029'],
] as const;
const lineBreaks: readonly Smuggled[] = BREAKS.flatMap(([name, mark]) => [
  text(
    `${name} before the call`,
    `{"jsonrpc":"2.0","method":"notifications/x"}${mark}${call('"name":"danger"')}`,
  ),
  text(
    `${name} in a text before the call`,
    `{"jsonrpc":"2.0","method":"notifications/${mark}"}${mark}${call('"name":"danger"')}`,
  ),
]);

/** Messages that are not held in memory, as long as they are told to be. */
const sized = (size: string, bytes: number): Record<string, Smuggled> => ({
  itself: text(`the call with ${size}`, () => call(`"name":"danger","arguments":{${pad(bytes)}}`)),
  lateName: text(`the name after ${size}`, () => call(`"arguments":{${pad(bytes)}},"name":"danger"`)),
  method: text(
    `a second method after ${size}`,
    () => `${HEAD}"method":"ping",${pad(bytes)},"method":"tools/call",${DANGER}}`,
  ),
  escaped: text(
    `an escaped second method after ${size}`,
    () => `${HEAD}"method":"ping",${pad(bytes)},"\\u006dethod":"tools/call",${DANGER}}`,
  ),
  name: text(`a second name after ${size}`, () =>
    call(`"name":"echo","arguments":{${pad(bytes)}},"name":"danger"`),
  ),
  spelt: text(`Name after ${size}`, () => call(`"name":"echo","arguments":{${pad(bytes)}},"Name":"danger"`)),
  nul: text(`a name that ends at a NUL after ${size}`, () =>
    call(`"name":"echo","arguments":{${pad(bytes)}},"name\\u0000":"danger"`),
  ),
  params: text(
    `second params after ${size}`,
    () => `${HEAD}"method":"tools/call","params":{"name":"echo",${pad(bytes)}},${DANGER}}`,
  ),
  args: text(`second arguments after ${size}`, () =>
    call(`"name":"read","arguments":{"path":"/safe",${pad(bytes)}},"arguments":{"path":"/secret"}`),
  ),
  unseen: text(`a path that nobody inspects, with ${size}`, () =>
    call(`"name":"read","arguments":{"path":"/secret",${pad(bytes)}}`),
  ),
});
const huge = sized('64 mebibytes', 64 * MIB);
const large: readonly Smuggled[] = [
  ...Object.values(sized('a mebibyte', MIB)),
  ...[huge['itself'], huge['method'], huge['name']].filter((one) => one !== undefined),
];

const deep: readonly Smuggled[] = [
  text('the call, nested 65 deep', call(`"name":"danger","arguments":{"x":${nest(65)}}`)),
  text('a second name, nested 65 deep', call(`"name":"echo","arguments":{"x":${nest(65)}},"name":"danger"`)),
  text(
    'a path that nobody inspects, nested 65 deep',
    call(`"name":"read","arguments":{"path":"/secret","x":${nest(65)}}`),
  ),
  text(
    'Path, nested 65 deep',
    call(`"name":"read","arguments":{"path":"/safe","Path":"/secret","x":${nest(65)}}`),
  ),
];

/** Everything of this kind that was thought of. Each case is live: without the shim a lenient server runs the call. */
export const SMUGGLED: readonly Smuggled[] = [
  ...plain,
  ...batches,
  ...duplicates,
  ...spellings,
  ...encodings,
  ...lineBreaks,
  ...large,
  ...deep,
];
