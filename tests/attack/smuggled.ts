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
const spooled = process.env['SUB_LONG'] === undefined ? sized('8 mebibytes', 8 * MIB) : huge;
const large: readonly Smuggled[] = [
  ...Object.values(sized('a mebibyte', MIB)),
  ...[huge['itself'], spooled['method'], spooled['name']].filter((one) => one !== undefined),
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

const places: readonly Smuggled[] = [
  text('params in a list', `${HEAD}"method":"tools/call","params":["danger",{}]}`),
  text('params in a list of one object', `${HEAD}"method":"tools/call","params":[{"name":"danger"}]}`),
  text('params in a text', `${HEAD}"method":"tools/call","params":"{\\"name\\":\\"danger\\"}"}`),
  text('a tool in a list', call('"name":["danger"]')),
  text('a tool in `_meta` alone', call('"_meta":{"name":"danger"},"arguments":{}')),
  text('a tool that is null, and one in `_meta`', call('"name":null,"_meta":{"name":"danger"}')),
  text('`__proto__` around the params', `${HEAD}"method":"tools/call","__proto__":{"params":1},${DANGER}}`),
  text('`__proto__` beside the tool', call('"__proto__":{"name":"echo"},"name":"danger"')),
  text('`constructor` and `toString` beside the tool', call('"constructor":1,"toString":2,"name":"danger"')),
  text('arguments that are a number', call('"name":"danger","arguments":1')),
  text('arguments that are a list', call('"name":"danger","arguments":[{}]')),
  text('an empty line and spaces before the call', `\n  \n${call('"name":"danger"')}`),
  text('spaces behind the call', `${call('"name":"danger"')}  \t`),
  text(
    'the answer to nothing before the call',
    `{"jsonrpc":"2.0","id":"s","result":{}}\n${call('"name":"danger"')}`,
  ),
];

const numbers: readonly Smuggled[] = [
  '1.0',
  '1e0',
  '-0',
  '-0.0',
  '1E400',
  '1e-400',
  '9007199254740993',
  '-1',
  '0.1',
].map((id) => text(`an id of ${id}`, `{"jsonrpc":"2.0","id":${id},"method":"tools/call",${DANGER}}`));

const sequences: readonly Smuggled[] = [
  text('an id in flight', `${call('"name":"echo"')}\n${call('"name":"danger"')}`),
  text(
    'an id in flight that is written another way',
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}\n` +
      `{"jsonrpc":"2.0","id":1.0,"method":"tools/call",${DANGER}}`,
  ),
  text(
    'a call that is cancelled before it is decided',
    `${call('"name":"danger"')}\n{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}}`,
  ),
  text(
    'a cancellation before the call',
    `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}}\n${call('"name":"danger"')}`,
  ),
  text(
    'a notification of a call before the call',
    `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo"}}\n${call('"name":"danger"')}`,
  ),
  text('two hundred calls at once', () =>
    Array.from({ length: 200 }, (_, n) => call('"name":"danger"').replace('"s"', `"s${n}"`)).join('\n'),
  ),
  text('a call behind an answer of 70,000 bytes', () =>
    [`{"jsonrpc":"2.0","id":"x","result":{${pad(70_000)}}}`, call('"name":"danger"')].join('\n'),
  ),
];

const syntax: readonly Smuggled[] = [
  text('a comment', `${HEAD}/* x */"method":"tools/call",${DANGER}}`),
  text('a comment that hides a method', `${HEAD}/*"method":"ping",*/"method":"tools/call",${DANGER}}`),
  text('a comment behind the call', `${call('"name":"danger"')}// x`),
  text('a hash behind the call', `${call('"name":"danger"')}#`),
  text('Infinity', `${HEAD}"x":Infinity,"method":"tools/call",${DANGER}}`),
  text('a number with a plus', `${HEAD}"x":+1,"method":"tools/call",${DANGER}}`),
  text('a number with a leading zero', `${HEAD}"x":01,"method":"tools/call",${DANGER}}`),
  text('two commas', `${HEAD},"method":"tools/call",${DANGER}}`),
  text('a key of a thousand characters', `${HEAD}"${'k'.repeat(1000)}":1,"method":"tools/call",${DANGER}}`),
  text('five thousand keys', () => {
    const keys = Array.from({ length: 5000 }, (_, n) => `"k${n}":${n}`);
    return `${HEAD}${keys.join(',')},"method":"tools/call",${DANGER}}`;
  }),
  text('a second method behind five thousand keys', () => {
    const keys = Array.from({ length: 5000 }, (_, n) => `"k${n}":${n}`);
    return `${HEAD}"method":"ping",${keys.join(',')},"method":"tools/call",${DANGER}}`;
  }),
  text(
    'a second method after 70,000 bytes',
    `${HEAD}"method":"ping",${pad(70_000)},"method":"tools/call",${DANGER}}`,
  ),
  text('a second name far inside', call('"x":[[{"name":"a","name":"b"}]],"name":"danger"')),
];

/** Names that only a server reads as those of the standard or of the policy. */
const lookalikes: readonly Smuggled[] = [
  ...[
    'tools%2Fcall',
    'tools/call/',
    '/tools/call',
    'tools//call',
    'tools\\\\call',
    'tools.call',
    'tools_call',
  ].map((method) => text(`the method ${method}`, `${HEAD}"method":"${method}",${DANGER}}`)),
  text('a method in fullwidth letters', `${HEAD}"method":"\uff54ools/call",${DANGER}}`),
  text('a method with an invisible character', `${HEAD}"method":"tools/\u200bcall",${DANGER}}`),
  text('a tool with a space behind it', call('"name":"danger "')),
  text('a tool with a space before it', call('"name":" danger"')),
  text('a tool with a no-break space', call('"name":"danger\u00a0"')),
  text('a tool in fullwidth letters', call('"name":"\uff44anger"')),
  text('a tool in mathematical letters', call('"name":"\u{1d41d}anger"')),
  text('a tool with an invisible character', call('"name":"dan\u200bger"')),
  text('a tool with a soft hyphen', call('"name":"dan\u00adger"')),
  text('a tool with a byte order mark', call('"name":"\ufeffdanger"')),
  text('a tool that is percent-encoded', call('"name":"d%61nger"')),
];

/**
 * Everything of this kind that was thought of. Each case is live: without the shim a lenient server runs the
 * call.
 */
export const SMUGGLED: readonly Smuggled[] = [
  ...plain,
  ...batches,
  ...duplicates,
  ...spellings,
  ...encodings,
  ...lineBreaks,
  ...large,
  ...deep,
  ...places,
  ...numbers,
  ...sequences,
  ...syntax,
  ...lookalikes,
];
