/**
 * An MCP server that leaves a durable trace: the arguments of each call that reaches it are appended to
 * `KILLS_EXECUTED` before anything else happens. A call with `kill` ends that process between the effect and
 * the answer. Answers take their time, so that a kill finds calls at every stage.
 */
import { appendFileSync } from 'node:fs';

const { KILLS_EXECUTED: executed, KILLS_STUBBORN: stubborn } = process.env;
if (stubborn === '1') {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {});
  setInterval(() => {}, 1000);
}

let rest = '';
let turn = 0;
process.stdout.on('error', () => process.exit(0));
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) if (line !== '') receive(JSON.parse(line));
});

function receive({ id, method, params }) {
  if (method === 'tools/call') return execute(id, params.arguments);
  const result = {
    protocolVersion: params?.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'kills', version: '1.0.0' },
  };
  if (id !== undefined) answer(id, result);
}

function execute(id, args) {
  appendFileSync(executed, `${JSON.stringify(args)}\n`);
  if (args.kill !== undefined) for (const pid of args.kill) kill(pid);
  turn += 1;
  setTimeout(() => answer(id, { content: [{ type: 'text', text: args.n }] }), (turn * 37) % 150);
}

function kill(pid) {
  try {
    process.kill(pid === 'self' ? process.pid : pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}

function answer(id, result) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
}
