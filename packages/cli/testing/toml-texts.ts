import fc from 'fast-check';

/** A generated configuration, and what its servers were given. */
export interface GeneratedConfig {
  readonly text: string;
  readonly servers: readonly {
    readonly name: string;
    readonly command: string;
    readonly args?: readonly string[];
  }[];
}

type Pick = <T>(of: readonly T[]) => T;

const NAMES = ['files', 'git-hub', 'a b', 'é', 'dot.ted', '__proto__', 'q"uote', '7', 'constructor'];
const TEXTS = [
  'npx',
  '-y',
  '',
  'C:\\tools\\run.exe',
  "it's",
  'say "hi"',
  'é\u{1F600}',
  '# no comment',
  'two\nlines',
  '${HOME}',
  '--',
];

/** TOML of every shape that a client's file may have: valid, and with the same servers however it is written. */
export const anyConfig: fc.Arbitrary<GeneratedConfig> = fc.gen().map((draw) => {
  const pick: Pick = (of) => draw(fc.constantFrom, ...of);
  const nl = pick(['\n', '\n', '\r\n']);
  const few = (most: number): number => draw(fc.nat, { max: most });
  const names = [...new Set(Array.from({ length: 1 + few(3) }, () => pick(NAMES)))];
  const servers = names.map((name) => ({
    name,
    command: pick(TEXTS),
    ...(pick([true, true, false]) ? { args: Array.from({ length: few(4) }, () => pick(TEXTS)) } : {}),
  }));
  const writer = new Writer(pick, nl);
  const family = pick(['headers', 'headers', 'members', 'inline', 'dotted']);
  const lines: string[] = writer.void();
  for (let count = few(2); count > 0; count -= 1) lines.push(writer.line(`top${count} = ${writer.any()}`));
  if (family === 'inline') {
    const inside = servers.map((one) => `${writer.key(one.name)} = ${writer.inline(writer.pairs(one))}`);
    lines.push(writer.line(`mcp_servers = ${writer.inline(inside)}`));
  }
  for (const one of servers) {
    if (family === 'dotted') {
      const way = `mcp_servers${pick(['.', ' . '])}${writer.key(one.name)}.`;
      lines.push(...writer.pairs(one).map((pair) => writer.line(way + pair)));
    }
  }
  lines.push(...writer.void(), writer.line('[other.table]'), writer.line(`x = ${writer.any()}`));
  if (family === 'members') {
    lines.push(writer.line(`[${pick([' ', ''])}mcp_servers ]`));
    for (const one of servers) {
      if (pick([true, false]))
        lines.push(writer.line(`${writer.key(one.name)} = ${writer.inline(writer.pairs(one))}`));
      else lines.push(...writer.pairs(one).map((pair) => writer.line(`${writer.key(one.name)}.${pair}`)));
    }
  }
  for (const one of servers) {
    if (family !== 'headers') continue;
    const key = writer.key(one.name);
    lines.push(...writer.void(), writer.line(`[mcp_servers.${key}]`));
    lines.push(...writer.pairs(one).map((pair) => writer.line(pair)));
    if (pick([true, false]))
      lines.push(writer.line(`[mcp_servers.${key}.tools.x]`), writer.line('approval_mode = "approve"'));
  }
  lines.push(
    ...writer.void(),
    writer.line('[[list]]'),
    writer.line(`y = ${writer.any()}`),
    writer.line('[[list]]'),
  );
  const text = pick(['', '\uFEFF']) + lines.join(nl) + pick(['', nl]);
  return { text, servers };
});

class Writer {
  readonly #pick: Pick;
  readonly #nl: string;

  constructor(pick: Pick, nl: string) {
    this.#pick = pick;
    this.#nl = nl;
  }

  void(): string[] {
    return [...this.#pick([[], [''], ['# a comment with "quotes" and [brackets]', '']])];
  }

  line(text: string): string {
    return this.#pick(['', '', '  ', '\t']) + text + this.#pick(['', '', ' ', ' # behind, it', '\t#']);
  }

  key(name: string): string {
    if (/^[A-Za-z0-9_-]+$/.test(name) && this.#pick([true, false])) return name;
    return this.#pick([basic(name), name.includes("'") ? basic(name) : `'${name}'`]);
  }

  text(value: string): string {
    const kinds = [basic(value)];
    if (!/['\n]/.test(value)) kinds.push(`'${value}'`, `'''${value}'''`, `'''${this.#nl}${value}'''`);
    if (!/["\\\n]/.test(value)) kinds.push(`"""${value}"""`, `"""\\${this.#nl}   ${value}"""`);
    return this.#pick(value === '' ? ['""', "''"] : kinds.filter((kind) => !/"""\\[^]* {3}\s/.test(kind)));
  }

  list(texts: readonly string[]): string {
    const items = texts.map((text) => this.text(text));
    const [gap, end] = this.#pick([
      [', ', ''],
      [`,${this.#nl}  `, this.#nl],
      [`, # one, "two"]${this.#nl}\t`, ` # last${this.#nl}`],
    ] as const);
    const trailing = items.length > 0 ? this.#pick(['', ',']) : '';
    return `[${this.#pick(['', ' '])}${items.join(gap)}${trailing}${end}]`;
  }

  inline(pairs: readonly string[]): string {
    const blank = this.#pick(['', ' ']);
    return `{${blank}${pairs.join(this.#pick([', ', ',', ' , ']))}${blank}}`;
  }

  pairs(server: GeneratedConfig['servers'][number]): string[] {
    const equals = this.#pick([' = ', '=', '\t=  ']);
    const pairs = [`${this.#pick(['command', '"command"'])}${equals}${this.text(server.command)}`];
    if (server.args !== undefined) pairs.push(`args${equals}${this.list(server.args)}`);
    pairs.push(
      ...this.#pick([
        [],
        ['env = { TOKEN = "x, y" }'],
        ['env.A = "1"', 'env."B c" = \'2\''],
        ['tool_timeout_sec = 60.5'],
      ]),
      ...this.#pick([[], [`env_vars = ${this.list(['MINE'])}`]]),
    );
    return this.#pick([true, false]) ? pairs.toReversed() : pairs;
  }

  any(): string {
    return this.#pick([
      '1_000',
      '-0.5e3',
      '0xFF',
      'inf',
      'true',
      '1979-05-27 07:32:00Z',
      '1979-05-27',
      '07:32:00.5',
      '[[1, 2], ["a", { b = [] }]]',
      '{}',
      '{ "a.b".c = 1, d = {} }',
      `"""${this.#nl}a ""\\" quote""${this.#nl}# no comment"""`,
      `'''${this.#nl}[no.header]${this.#nl}'''''`,
      '"\\u00e9\\t\\U0001F600"',
    ]);
  }
}

function basic(text: string): string {
  return JSON.stringify(text);
}
