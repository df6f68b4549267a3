/** One forbidden piece of code, where it stands, and the lint rule that must name it. */
export interface Violation {
  readonly what: string;
  readonly file: string;
  readonly code: string;
  readonly rule: 'imports' | 'network-globals' | 'process-start' | 'hidden-code';
}

/** One of each sort. The files do not exist in the real tree. */
export const VIOLATIONS: readonly Violation[] = [
  {
    what: 'a static import of a network built-in',
    file: 'packages/shim/src/planted/static.ts',
    code: "import net from 'node:net';\nnet.connect(80);\n",
    rule: 'imports',
  },
  {
    what: 'a network built-in without its prefix',
    file: 'packages/shim/src/planted/unprefixed.ts',
    code: "import http from 'http';\nhttp.get('http://a.example');\n",
    rule: 'imports',
  },
  {
    what: 'a subpath of a network built-in',
    file: 'packages/cli/src/planted/subpath.ts',
    code: "import { lookup } from 'node:dns/promises';\nawait lookup('a.example');\n",
    rule: 'imports',
  },
  {
    what: 'a dynamic import',
    file: 'packages/shim/src/planted/dynamic.ts',
    code: "export const tls = await import('node:tls');\n",
    rule: 'imports',
  },
  {
    what: 'a dynamic import of a template',
    file: 'packages/shim/src/planted/template.ts',
    code: 'export const tls = await import(`node:tls`);\n',
    rule: 'imports',
  },
  {
    what: 'a computed dynamic import',
    file: 'packages/shim/src/planted/computed.ts',
    code: "const name = 'te';\nexport const net = await import(['node:n', 't'].join(name[1]));\n",
    rule: 'imports',
  },
  {
    what: 'a require',
    file: 'packages/shim/src/planted/require.cts',
    code: "const http2 = require('node:http2');\nhttp2.connect('https://a.example');\n",
    rule: 'imports',
  },
  {
    what: 'a require under another name',
    file: 'packages/shim/src/planted/alias.cts',
    code: "const load = require;\nload('node:net').connect(80);\n",
    rule: 'imports',
  },
  {
    what: 'an import by assignment',
    file: 'packages/shim/src/planted/assignment.cts',
    code: "import dgram = require('node:dgram');\ndgram.createSocket('udp4');\n",
    rule: 'imports',
  },
  {
    what: 'a re-export',
    file: 'packages/core-types/src/planted/re-export.ts',
    code: "export { connect } from 'node:tls';\n",
    rule: 'imports',
  },
  {
    what: 'a re-export of everything',
    file: 'packages/core-types/src/planted/star.ts',
    code: "export * from 'node:https';\n",
    rule: 'imports',
  },
  {
    what: 'an import in a type',
    file: 'packages/policy/src/planted/type.ts',
    code: "export type Door = import('node:net').Socket;\n",
    rule: 'imports',
  },
  {
    what: 'import.meta.resolve',
    file: 'packages/cli/src/planted/resolve.ts',
    code: "export const gateway = import.meta.resolve('@subluminal/gateway');\n",
    rule: 'imports',
  },
  {
    what: 'process.getBuiltinModule',
    file: 'packages/shim/src/planted/builtin-module.ts',
    code: "export const net = process.getBuiltinModule('node:net');\n",
    rule: 'imports',
  },
  {
    what: 'getBuiltinModule taken out of process',
    file: 'packages/shim/src/planted/builtin-taken.ts',
    code: "const { getBuiltinModule } = process;\nexport const net = getBuiltinModule('node:net');\n",
    rule: 'hidden-code',
  },
  {
    what: 'process under another name',
    file: 'packages/shim/src/planted/process-alias.ts',
    code: "export const net = Reflect.get(process, 'getBuiltin' + 'Module')('node:net');\n",
    rule: 'network-globals',
  },
  {
    what: 'process through the global object',
    file: 'packages/shim/src/planted/process-global.ts',
    code: "const name = ['b'].join('');\nexport const b = Reflect.get(globalThis.process, name);\n",
    rule: 'network-globals',
  },
  {
    what: 'createRequire',
    file: 'packages/shim/src/planted/create-require.ts',
    code: "import { createRequire } from 'node:module';\ncreateRequire(import.meta.url)('node:net');\n",
    rule: 'imports',
  },
  {
    what: 'a package that the row does not name',
    file: 'packages/policy/src/planted/package.ts',
    code: "export { FrameDecoder } from '@subluminal/ipc';\n",
    rule: 'imports',
  },
  {
    what: 'a deep import of an allowed package',
    file: 'packages/ipc/src/planted/deep.ts',
    code: "export { codes } from '@subluminal/core-types/dist/errors/codes.js';\n",
    rule: 'imports',
  },
  {
    what: 'a relative path into another package',
    file: 'packages/shim/src/planted/relative.ts',
    code: "export { compose } from '../../../gateway/src/compose.js';\n",
    rule: 'imports',
  },
  {
    what: 'an npm package that the row does not name',
    file: 'packages/shim/src/planted/npm.ts',
    code: "import { request } from 'undici';\nawait request('https://a.example');\n",
    rule: 'imports',
  },
  {
    what: 'the socket module in ipc outside the connecting file',
    file: 'packages/ipc/src/planted/second-door.ts',
    code: "import net from 'node:net';\nnet.connect({ port: 80 });\n",
    rule: 'imports',
  },
  {
    what: 'the http client in the gateway outside egress',
    file: 'packages/gateway/src/services/planted.ts',
    code: "import { request } from 'undici';\nawait request('https://a.example');\n",
    rule: 'imports',
  },
  {
    what: 'a URL import',
    file: 'packages/cli/src/planted/url.ts',
    code: "export const code = await import('data:text/javascript,export default 1');\n",
    rule: 'imports',
  },
  {
    what: 'a shipped file that imports a test',
    file: 'packages/ipc/src/planted/imports-test.ts',
    code: "export { fixture } from './some.test.js';\n",
    rule: 'imports',
  },
  {
    what: 'a file that no row covers',
    file: 'packages/unknown/src/index.ts',
    code: 'export const harmless = 1;\n',
    rule: 'imports',
  },
  {
    what: 'fetch',
    file: 'packages/cli/src/planted/fetch.ts',
    code: "await fetch('https://a.example');\n",
    rule: 'network-globals',
  },
  {
    what: 'fetch as a property of the global object',
    file: 'packages/cli/src/planted/global-fetch.ts',
    code: "await globalThis['fetch']('https://a.example');\n",
    rule: 'network-globals',
  },
  {
    what: 'a computed property of the global object',
    file: 'packages/cli/src/planted/global-computed.ts',
    code: "const name = ['fe', 'tch'].join('');\nexport const door = (globalThis as Record<string, unknown>)[name];\n",
    rule: 'network-globals',
  },
  {
    what: 'the global object under another name',
    file: 'packages/cli/src/planted/global-alias.ts',
    code: 'const everything = globalThis;\nexport { everything };\n',
    rule: 'network-globals',
  },
  {
    what: 'WebSocket',
    file: 'packages/shim/src/planted/web-socket.ts',
    code: "export const socket = new WebSocket('wss://a.example');\n",
    rule: 'network-globals',
  },
  {
    what: 'a network global in the gateway outside egress',
    file: 'packages/gateway/src/planted-global.ts',
    code: "await fetch('https://a.example');\n",
    rule: 'network-globals',
  },
  {
    what: 'a process started in an unlisted file',
    file: 'packages/shim/src/planted/spawn.ts',
    code: "import { spawn } from 'node:child_process';\nspawn('curl');\n",
    rule: 'process-start',
  },
  {
    what: 'a worker thread in an unlisted file',
    file: 'packages/ledger/src/planted/worker.ts',
    code: "import { Worker } from 'node:worker_threads';\nexport const worker = new Worker('x');\n",
    rule: 'process-start',
  },
  {
    what: 'process.binding',
    file: 'packages/shim/src/planted/binding.ts',
    code: "(process as unknown as { binding(name: string): unknown }).binding('tcp_wrap');\n",
    rule: 'hidden-code',
  },
  {
    what: 'process._linkedBinding',
    file: 'packages/shim/src/planted/linked.ts',
    code: "export const linked = Reflect.get(process, 'x') ?? process['_linkedBinding'];\n",
    rule: 'hidden-code',
  },
  {
    what: 'process.dlopen',
    file: 'packages/shim/src/planted/dlopen.ts',
    code: "process.dlopen({ exports: {} }, '/tmp/x.node');\n",
    rule: 'hidden-code',
  },
  {
    what: 'eval',
    file: 'packages/cli/src/planted/eval.ts',
    code: "(0, eval)('1');\n",
    rule: 'hidden-code',
  },
  {
    what: 'the constructor of a function',
    file: 'packages/cli/src/planted/constructor.ts',
    code: "export const code = new (() => 1).constructor('return 1');\n",
    rule: 'hidden-code',
  },
  {
    what: 'new Function',
    file: 'packages/cli/src/planted/function.ts',
    code: "export const code = new Function('return 1');\n",
    rule: 'hidden-code',
  },
];

/** Code that looks alike and is allowed: the rules must stay silent on it. */
export const HARMLESS: Readonly<Record<string, string>> = {
  'packages/ipc/src/connect.ts':
    "import net from 'node:net';\nexport const door = net.connect({ path: '/x' });\n",
  'packages/cli/src/planted/names.ts':
    'export const actions = { fetch: 1, eval: 2 };\nexport const n = actions.fetch + globalThis.performance.now();\n',
  'packages/policy/src/planted/own.ts': "export { other } from './other.js';\n",
  'packages/policy/src/planted/other.ts': 'export const other = 1;\n',
  'packages/egress/src/planted.ts': "import tls from 'node:tls';\nexport const door = tls.connect;\n",
  'packages/shim/src/planted/type-only.ts':
    "import type { ChildProcess } from 'node:child_process';\nexport type Upstream = ChildProcess;\n",
};
