import fc from 'fast-check';

/** A generated configuration, and what its servers were given. */
export interface GeneratedConfig {
  readonly text: string;
  readonly servers: readonly GeneratedServer[];
}

/** A server as it was given: with a command, or with an address. */
export interface GeneratedServer {
  readonly name: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly url?: string;
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

const URLS = ['https://a.example/mcp', 'http://localhost:1/x?y=1#z', "https://b.example/it's"];

/**
 * TOML of every shape that a client's file may have: valid, and with the same servers however it is written.
 */
export const anyConfig = configs(false);

/** The same, with remote servers among them. */
export const anyConfigWithRemotes = configs(true);

function configs(remotes: boolean): fc.Arbitrary<GeneratedConfig> {
  return fc.gen().map((draw) => configOf(draw, remotes));
}

function configOf(draw: fc.GeneratorValue, remotes: boolean): GeneratedConfig {
  const pick: Pick = (of) => draw(fc.constantFrom, ...of);
  const nl = pick(['\n', '\n', '\r\n']);
  const few = (most: number): number => draw(fc.nat, { max: most });
  const names = [...new Set(Array.from({ length: 1 + few(3) }, () => pick(NAMES)))];
  const servers = names.map((name): GeneratedServer => {
    if (remotes && pick([true, false])) return { name, url: pick(URLS) };
    const args = pick([true, true, false]) ? { args: Array.from({ length: few(4) }, () => pick(TEXTS)) } : {};
    return { name, command: pick(TEXTS), ...args };
  });
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
    if (one.url !== undefined && !lines.some((line) => line.includes('http_headers')))
      lines.push(...writer.headers(`mcp_servers.${key}`));
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
}

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

  /** A table of headers below `key`, or none. */
  headers(key: string): string[] {
    const header = this.line(`[${key}.http_headers]`);
    return this.#pick([[], [header], [header, this.line('A = "1"'), ...this.void()]]);
  }

  pairs(server: GeneratedServer): string[] {
    const equals = this.#pick([' = ', '=', '\t=  ']);
    if (server.url !== undefined) {
      const pairs = [
        `url${equals}${this.text(server.url)}`,
        ...this.#pick([
          [],
          [`http_headers${equals}{}`],
          ['http_headers = { A = "1" }'],
          ['http_headers."A b" = \'1\''],
        ]),
        ...this.#pick([
          [],
          ['env_http_headers = { }'],
          ['env_http_headers.B = "C"'],
          ['bearer_token_env_var = "T"'],
        ]),
      ];
      return this.#pick([true, false]) ? pairs.toReversed() : pairs;
    }
    if (server.command === undefined) return [];
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
