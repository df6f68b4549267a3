/** A configuration as people and programs write it, and what an import makes of its servers. */
export interface CorpusFile {
  readonly name: string;
  readonly text: string;
  readonly routed: readonly string[];
  /** Servers that are left as they are. */
  readonly left?: readonly string[];
  /** The file cannot be read: where, and why. */
  readonly problem?: string;
}

const crlf = (text: string): string => text.replaceAll('\n', '\r\n');

/** Files of Codex. */
export const CODEX_CORPUS: readonly CorpusFile[] = [
  {
    name: 'as `codex mcp add` writes it',
    text: `model = "gpt-5.5"

[projects."/home/me/work"]
trust_level = "trusted"

[mcp_servers.files]
command = "npx"
args = ["-y", "@modelcontextprotocol/server-filesystem", "/home/me"]

[mcp_servers.github]
command = "docker"
args = ["run", "-i", "--rm", "-e", "GITHUB_TOKEN", "ghcr.io/github/github-mcp-server"]

[mcp_servers.github.env]
GITHUB_TOKEN = "ghp_x"
`,
    routed: ['files', 'github'],
  },
  {
    name: 'written by hand, with remarks everywhere',
    text: `# my codex

# ---- servers ----
[mcp_servers.files] # the project
command = 'npx'     # npm's own
# the package, then the folder
args = [            # in this order
  "-y",             # no question
  "@modelcontextprotocol/server-filesystem",

  ".",              # here
]                   # done
# nothing else
[mcp_servers.files.tools.write_file] # ask
approval_mode = "prompt"

# ---- the end ----
`,
    routed: ['files'],
  },
  {
    name: 'with windows line ends and paths',
    text: crlf(`[mcp_servers.git]
command = 'C:\\Program Files\\Git\\mcp.exe'
args = ['--repo', "C:\\\\work\\\\repo", '''
C:\\more''']
env = { HOME = 'C:\\Users\\me' }

[mcp_servers.none]
command = "cmd"
args = ["/c", "npx", "-y", "x"]
`),
    routed: ['git', 'none'],
  },
  { name: 'with a byte order mark', text: '\uFEFF[mcp_servers.a]\r\ncommand = "a"\r\n', routed: ['a'] },
  { name: 'without a newline at its end', text: '[mcp_servers.a]\ncommand = "a"', routed: ['a'] },
  {
    name: 'without a newline, ending in a remark',
    text: '[mcp_servers.a]\ncommand = "a"\nargs = [] # none',
    routed: ['a'],
  },
  {
    name: 'with servers in one inline table',
    text: 'mcp_servers = { a = { command = "a" }, "b c" = { command = \'b\', args = [ "1", ], env = { K = "v" } } } # all\n\n[tui]\ntheme = "x"\n',
    routed: ['a', 'b c'],
  },
  {
    name: 'with inline tables over lines',
    text: '[mcp_servers]\na = { # first\n  command = "a",\n  args = [\n    "1", # one\n  ], # trailing\n}\nb = {command="b"}\n',
    routed: ['a', 'b'],
  },
  {
    name: 'with dotted keys',
    text: 'mcp_servers.a.command = "a"\nmcp_servers . a . args = ["1"]\nmcp_servers.a.env.K = "v"\nmodel = "x"\nmcp_servers."b.c".command = "b"\n[features]\napps = false\n',
    routed: ['a', 'b.c'],
  },
  {
    name: 'with dotted keys under one header',
    text: '[mcp_servers]\na.command = "a"\na.env_vars = ["X"]\n\tb.command = "b" # indented\n\tb.args = []\n',
    routed: ['a', 'b'],
  },
  {
    name: 'with all four kinds of strings',
    text: `[mcp_servers.a]
command = """
/opt/with "quotes"/run"""
args = ["one\\ttab", 'two\\not', """three \\
   folded""", '''four
lines''', "é\\u00e9\\U0001F600"]
`,
    routed: ['a'],
  },
  {
    name: 'with names of every kind',
    text: '[mcp_servers."with space"]\ncommand = "a"\n[mcp_servers.\'dot.ted\']\ncommand = "b"\n[mcp_servers."ünï"]\ncommand = "c"\n[mcp_servers.7]\ncommand = "d"\n[mcp_servers.__proto__]\ncommand = "e"\n',
    routed: ['7', 'with space', 'dot.ted', 'ünï', '__proto__'],
  },
  {
    name: 'with headers out of order',
    text: '[mcp_servers.a.env]\nK = "v"\n[tui]\nx = 1\n[mcp_servers.a]\ncommand = "a"\n[mcp_servers]\n[mcp_servers.b]\ncommand = "b"\n',
    routed: ['a', 'b'],
  },
  {
    name: 'indented, with tabs and blanks around everything',
    text: '\t[ mcp_servers . a ]\t# t\n\t\t"command"\t=\t"a"\t\n\t\t\'args\' = [\t"1"\t,\t"2"\t]   \n   \n\t[mcp_servers.a.env]\n\t\tK\t=\t"v"\n',
    routed: ['a'],
  },
  {
    name: 'with variables that are handed on',
    text: '[mcp_servers.a]\ncommand = "a"\nenv_vars = [\n  "TOKEN", # mine\n  { name = "OTHER", source = "remote" },\n]\nenv = { SUB_ENV = "prod" }\n[mcp_servers.b]\ncommand = "b"\nenv_vars = []\n[mcp_servers.c]\ncommand = "c"\nenv_vars = ["SUB_RUN_ID", "SUB_AGENT_ID", "SUB_ENV", "SUB_CLIENT", "SUB_PRINCIPAL"]\n',
    routed: ['a', 'b', 'c'],
  },
  {
    name: 'with every setting of a server',
    text: '[mcp_servers.a]\nenabled = true\nrequired = false\nstartup_timeout_sec = 20.0\ntool_timeout_sec = 1_000\ncwd = "/w"\nenabled_tools = ["x"]\ndisabled_tools = []\ndefault_tools_approval_mode = "prompt"\ncommand = "a"\nsupports_parallel_tool_calls = true\nenvironment_id = "local"\n',
    routed: ['a'],
  },
  {
    name: 'with remote servers, each with other headers',
    text: `[mcp_servers.plain]
url = "https://a.example/mcp"
[mcp_servers.token]
url = 'https://b.example/mcp' # b
bearer_token_env_var = "B"
[mcp_servers.inline]
http_headers = { "X-A" = "1", Authorization = "Bearer x" }
url = "https://c.example/mcp"
[mcp_servers.empty]
url = "https://d.example/mcp"
http_headers = {}
env_http_headers = { }
[mcp_servers.below]
url = "https://e.example/mcp"
[mcp_servers.below.http_headers] # of e
"X-A" = "1" # one
[mcp_servers.below.env_http_headers]
[mcp_servers.dotted]
url = "http://localhost:3000/mcp"
http_headers.X-A = "1"
env_http_headers.X-B = "B"
tool_timeout_sec = 5
`,
    routed: ['plain', 'token', 'inline', 'empty', 'below', 'dotted'],
  },
  {
    name: 'with servers that log in themselves',
    text: '[mcp_servers.a]\nurl = "https://a.example/mcp"\nauth = "oauth"\n[mcp_servers.b]\nurl = "https://b.example"\nscopes = ["x"]\n[mcp_servers.c]\nurl = "https://c.example"\noauth = { client_id = "x" }\n[mcp_servers.d]\ncommand = "d"\n',
    routed: ['d'],
    left: ['a', 'b', 'c'],
  },
  {
    name: 'that changes servers of another file',
    text: '[mcp_servers.a]\nenabled = false\n[mcp_servers.b.tools.x]\napproval_mode = "approve"\n[mcp_servers.c]\ncommand = "c"\n',
    routed: ['c'],
    left: ['a', 'b'],
  },
  {
    name: 'with a server that is routed to another home',
    text: '[mcp_servers.a]\ncommand = "/usr/bin/node"\nargs = ["/opt/sub.mjs", "shim", "stdio", "--server", "a", "--home", "/else/.subluminal", "--", "npx"]\n[mcp_servers.b]\ncommand = "b"\n',
    routed: ['b'],
    left: ['a'],
  },
  {
    name: 'with numbers and times that programs write otherwise',
    text: 'a = 9223372036854775807\nb = 1e1000\nc = 0xDEAD_BEEF\nd = 1979-05-27T07:32:00.999999-07:00\ne = -0.0\nf = [nan, +inf]\ng = 07:32\n[mcp_servers.a]\ncommand = "a"\n',
    routed: ['a'],
  },
  {
    name: 'with lists of tables around the servers',
    text: '[[hooks.PreToolUse]]\nmatcher = "*"\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "x"\n[mcp_servers.a]\ncommand = "a"\n[[hooks.PreToolUse]]\n[hooks.PreToolUse.more]\ncommand = "[mcp_servers.fake]"\n',
    routed: ['a'],
  },
  {
    name: 'with texts that look like tables',
    text: 'notes = """\n[mcp_servers.fake]\ncommand = "x"\n"""\nmore = \'\'\'\n[mcp_servers.fake]\n\'\'\'\n# [mcp_servers.fake]\n[mcp_servers.a]\ncommand = "a" # command = "b"\n',
    routed: ['a'],
  },
  {
    name: 'with a mix of line ends',
    text: '[mcp_servers.a]\r\ncommand = "a"\nargs = [\r\n"1",\n]\r\n\n[mcp_servers.b]\ncommand = "b"\r\n',
    routed: ['a', 'b'],
  },
  { name: 'without servers', text: '# nothing yet\nmodel = "x"\n', routed: [] },
  { name: 'with an empty table of servers', text: '[mcp_servers]\n', routed: [] },
  { name: 'that is empty', text: '', routed: [] },
  { name: 'that holds blanks', text: '\n \t\n', routed: [] },
  {
    name: 'with a server twice',
    text: '[mcp_servers.a]\ncommand = "a"\n[mcp_servers.a]\ncommand = "b"\n',
    routed: [],
    problem: 'line 3, column ',
  },
  {
    name: 'that ends in a string',
    text: '[mcp_servers.a]\ncommand = "a',
    routed: [],
    problem: 'line 2, column ',
  },
  {
    name: 'with what a merge left',
    text: '<<<<<<< HEAD\n[mcp_servers.a]\n=======\n',
    routed: [],
    problem: 'line 1, column ',
  },
  { name: 'that is JSON', text: '{"mcpServers": {}}', routed: [], problem: 'line 1, column ' },
];
